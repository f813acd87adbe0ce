package table

import (
	"slices"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// Each status on each network has a range of its own in payments_by_state.
func TestPaymentStates(t *testing.T) {
	t.Parallel()
	var all []string
	for _, key := range []int64{1, 11} {
		for _, status := range payment.Statuses() {
			for _, network := range chain.Networks() {
				all = append(all, PaymentStates(key, status, network)...)
			}
		}
		all = append(all, PaymentStates(key, payment.Pending, "")...)
	}
	slices.Sort(all)
	if n := len(slices.Compact(slices.Clone(all))); n != len(all) || n != 2*(4*len(chain.Networks())+1) {
		t.Errorf("%d ranges of %d: %v", n, len(all), all)
	}
	if list := PaymentStates(7, payment.Completed, chain.Base); !slices.Equal(list, []string{"7COBA"}) {
		t.Errorf("the range of completed payments on Base is %v", list)
	}
}
