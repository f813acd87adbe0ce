package checkout

import (
	"testing"

	"github.com/florinpay/florin/views/checkout"
)

// TestSettled: an open page is looked at seldom once it is paid, and often again while more money comes or some goes
// back.
func TestSettled(t *testing.T) {
	t.Parallel()
	coming, came := checkout.Deposit{Kind: checkout.DepositSeen}, checkout.Deposit{Kind: checkout.DepositFinal}
	paid := func(back checkout.Back, deposits ...checkout.Deposit) checkout.Props {
		return checkout.Props{State: checkout.StatePaid, Back: back, Deposits: deposits}
	}
	for name, x := range map[string]struct {
		page checkout.Props
		want bool
	}{
		"Paid":     {paid(checkout.Back{}, came), true},
		"More":     {paid(checkout.Back{}, came, coming), false},
		"Refund":   {paid(checkout.Back{Asked: "20.00"}, came), false},
		"Refunded": {paid(checkout.Back{Arrived: "20.00", All: true}, came), true},
		"Waiting":  {checkout.Props{State: checkout.StateWaiting}, false},
		"Late":     {checkout.Props{State: checkout.StateLate}, false},
	} {
		if got := settled(x.page); got != x.want {
			t.Errorf("%s: settled is %t", name, got)
		}
	}
}
