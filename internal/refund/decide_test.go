package refund_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
)

var (
	t0   = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	usdc = chain.Asset{Network: chain.Polygon, Contract: "0xC0", Symbol: "USDC", Decimals: 6, Token: money.USDC}
	usdt = chain.Asset{Network: chain.BEP20, Contract: "0xD0", Symbol: "USDT", Decimals: 18, Token: money.USDT}
	old  = chain.Asset{Network: chain.Polygon, Contract: "0xE0", Symbol: "USDC.e", Decimals: 6}
	junk = chain.Asset{Network: chain.Polygon, Contract: "0xF0", Symbol: "0xF0"}
)

// account is a completed payment in USDC on Polygon with the money given, in the smallest unit of each token.
func account(state payment.DepositState, came map[chain.Asset]uint64) refund.Account {
	p := payment.Payment{
		ID: "01KAX0000000000000000000AA", KeyID: 1, Kind: payment.KindMerchant, Status: payment.Completed, Seq: 1,
		Choice: payment.Choice{Network: chain.Polygon, Token: money.USDC},
	}
	for asset, units := range came {
		p.Deposits = append(p.Deposits, payment.Deposit{
			State: state, Transfer: chain.Transfer{
				Key: chain.Key{Network: asset.Network, Tx: "0xin"}, Asset: asset, Units: money.UnitsFromUint64(units),
			},
		})
	}
	return refund.Account{Payment: p}
}

// then applies a change.
func then(t *testing.T, a refund.Account, c refund.Change, err error) refund.Account {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	next := refund.Account{Payment: c.Payment.Payment}
	found := false
	for _, r := range a.Refunds {
		if r.ID == c.Refund.ID {
			r, found = c.Refund, true
		}
		next.Refunds = append(next.Refunds, r)
	}
	if !found {
		next.Refunds = append(next.Refunds, c.Refund)
	}
	return next
}

func wantReason(t *testing.T, err error, reason fault.Reason) {
	t.Helper()
	if f := fault.Of(err); f == nil || f.ReasonOf() != reason {
		t.Errorf("error %v, want reason %s", err, reason)
	}
}

func TestAccount_Request(t *testing.T) {
	t.Parallel()
	a := account(payment.DepositFinal, map[chain.Asset]uint64{usdc: 10_000_000, old: 90_000_000, junk: 7, usdt: 3e18})
	t.Run("AllThatIsLeft", func(t *testing.T) {
		t.Parallel()
		c, err := a.Request(refund.Ask{ID: "A"}, t0)
		then(t, a, c, err)
		if r := c.Refund; r.Amount() != "10" || r.Asset != usdc || r.Status != refund.Requested || c.None() {
			t.Errorf("refund %+v", r)
		}
	})
	t.Run("WrongToken", func(t *testing.T) {
		t.Parallel()
		c, err := a.Request(refund.Ask{ID: "A", Token: "USDC.e", Amount: "90"}, t0)
		then(t, a, c, err)
		if c.Refund.Asset != old {
			t.Errorf("refund %+v", c.Refund)
		}
	})
	t.Run("OnTheOtherNetwork", func(t *testing.T) {
		t.Parallel()
		c, err := a.Request(refund.Ask{ID: "A", Network: chain.BEP20}, t0)
		then(t, a, c, err)
		if r := c.Refund; r.Asset != usdt || r.Amount() != "3" {
			t.Errorf("refund %+v", r)
		}
	})
	t.Run("TooMuch", func(t *testing.T) {
		t.Parallel()
		c, err := a.Request(refund.Ask{ID: "A", Amount: "6"}, t0)
		b := then(t, a, c, err)
		_, err = b.Request(refund.Ask{ID: "B", Amount: "4.000001"}, t0)
		wantReason(t, err, fault.ReasonRefundTooMuch)
		c, err = b.Request(refund.Ask{ID: "B", Amount: "4"}, t0)
		b = then(t, b, c, err)
		_, err = b.Request(refund.Ask{ID: "C", Token: "USDC"}, t0)
		wantReason(t, err, fault.ReasonNothingToRefund)
		c, err = b.Cancel("A", t0)
		b = then(t, b, c, err)
		c, err = b.Request(refund.Ask{ID: "C", Token: "USDC"}, t0)
		if then(t, b, c, err); c.Refund.Amount() != "6" {
			t.Errorf("after a cancelled refund of 6, %s is left", c.Refund.Amount())
		}
	})
	t.Run("Again", func(t *testing.T) {
		t.Parallel()
		c, err := a.Request(refund.Ask{ID: "A"}, t0)
		b := then(t, a, c, err)
		if c, err = b.Request(refund.Ask{ID: "A"}, t0); err != nil || !c.None() || c.Refund.ID != "A" {
			t.Errorf("change %+v, error %v", c, err)
		}
	})
	t.Run("Refused", func(t *testing.T) {
		t.Parallel()
		_, err := account(payment.DepositSeen, map[chain.Asset]uint64{usdc: 1}).Request(refund.Ask{ID: "A"}, t0)
		wantReason(t, err, fault.ReasonNothingToRefund)
		_, err = account(payment.DepositFinal, map[chain.Asset]uint64{junk: 5}).Request(refund.Ask{ID: "A"}, t0)
		wantReason(t, err, fault.ReasonNothingToRefund)
		for _, amount := range []string{"0", "-1", "x", "1.0000001"} {
			if _, err := a.Request(refund.Ask{ID: "A", Amount: amount}, t0); !fault.Is(err, fault.Invalid) {
				t.Errorf("amount %q: %v", amount, err)
			}
		}
		top := account(payment.DepositFinal, map[chain.Asset]uint64{usdc: 1})
		top.Payment.Kind = payment.KindTopUp
		_, err = top.Request(refund.Ask{ID: "A"}, t0)
		wantReason(t, err, fault.ReasonTopUp)
	})
}

func here(a chain.Address) chain.Watched { return chain.Watched{Address: a, Raw: []byte(a)} }

// paid is a transfer that pays the refund, in a block of the time given.
func paid(r refund.Refund, tx string, at time.Time) chain.Transfer {
	return chain.Transfer{
		Key: chain.Key{Network: r.Asset.Network, Tx: chain.TxHash(tx)}, Asset: r.Asset, To: r.Address.Address,
		Units: r.Units, Block: chain.Head{Number: uint64(at.Sub(t0)/time.Second) + 1, Hash: "0xb", Time: at},
	}
}

func TestAccount_Life(t *testing.T) {
	t.Parallel()
	a := account(payment.DepositFinal, map[chain.Asset]uint64{usdc: 10_000_000})
	c, err := a.Request(refund.Ask{ID: "A"}, t0)
	a = then(t, a, c, err)
	_, err = a.Ask("A", t0)
	wantReason(t, err, fault.ReasonNoRefundAddress)
	_, err = a.Send("A", "0xh", t0)
	wantReason(t, err, fault.ReasonNoRefundAddress)
	_, err = a.GiveAddress("A", here("0xa1"), false, t0.Add(refund.LinkFor+time.Second))
	wantReason(t, err, fault.ReasonRefundEnded)
	c, err = a.GiveAddress("A", here("0xa1"), false, t0)
	a = then(t, a, c, err)
	c, err = a.GiveAddress("A", here("0xa2"), true, t0)
	a = then(t, a, c, err)
	c, err = a.Ask("A", t0)
	a = then(t, a, c, err)
	_, err = a.Ask("A", t0)
	wantReason(t, err, fault.ReasonRefundSent)
	_, err = a.GiveAddress("A", here("0xa3"), false, t0)
	wantReason(t, err, fault.ReasonRefundSent)
	_, err = a.Cancel("A", t0)
	wantReason(t, err, fault.ReasonRefundSent)
	c, err = a.Unsend("A", t0)
	b := then(t, a, c, err)
	c, err = b.Cancel("A", t0)
	if b = then(t, b, c, err); b.Refunds[0].Status != refund.Cancelled {
		t.Errorf("after nothing was sent: %+v", b.Refunds[0])
	}
	c, err = a.Send("A", "0xh", t0)
	a = then(t, a, c, err)
	transfer := paid(a.Refunds[0], "0xh", t0.Add(time.Second))
	c, err = a.Settle("A", transfer, t0)
	a = then(t, a, c, err)
	if r := a.Refunds[0]; r.Status != refund.Final || r.Hash != "0xh" || r.FinalAt.IsZero() {
		t.Errorf("settled: %+v", r)
	}
	if c, err = a.Settle("A", transfer, t0); err != nil || !c.None() {
		t.Errorf("settled again: %+v, %v", c, err)
	}
	_, err = a.Cancel("A", t0)
	wantReason(t, err, fault.ReasonRefundEnded)
	if events := a.Payment.Seq - 1; events != 6 {
		t.Errorf("%d events, want one for each of 6 changes", events)
	}
	if _, err = a.Cancel("B", t0); !errors.Is(err, refund.ErrUnknown) {
		t.Errorf("another refund: %v", err)
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	make2 := func() (first, second refund.Refund) {
		first = refund.Refund{
			ID: "B", Asset: usdc, Units: money.UnitsFromUint64(5), Status: refund.Sent, Address: here("0xa"), CreatedAt: t0,
		}
		second = first
		second.ID, second.CreatedAt = "A", t0.Add(time.Second)
		return first, second
	}
	first, second := make2()
	at := t0.Add(2 * time.Second)
	one, two := paid(first, "0x1", at), paid(first, "0x2", at.Add(time.Second))
	names := func(pairs []refund.Pair) string {
		var list strings.Builder
		for _, p := range pairs {
			list.WriteString(string(p.Refund.ID) + string(p.Transfer.Tx) + " ")
		}
		return list.String()
	}
	other, little, early, coin := one, one, one, one
	other.To, little.Units, coin.Asset = "0xother", money.UnitsFromUint64(4), old
	early.Block.Time = t0.Add(-time.Second)
	done := first
	done.Status, done.Hash = refund.Final, "0x1"
	for name, c := range map[string]struct {
		refunds   []refund.Refund
		transfers []chain.Transfer
		want      string
	}{
		"OldestFirst":  {[]refund.Refund{second, first}, []chain.Transfer{two, one, one}, "B0x1 A0x2 "},
		"OneForTwo":    {[]refund.Refund{second, first}, []chain.Transfer{one}, "B0x1 "},
		"TakenAlready": {[]refund.Refund{done, second}, []chain.Transfer{one}, ""},
		"Another":      {[]refund.Refund{done, second}, []chain.Transfer{one, two}, "A0x2 "},
		"DoesNotFit":   {[]refund.Refund{first}, []chain.Transfer{other, little, early, coin}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := names(refund.Match(c.refunds, c.transfers)); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestAccount_Back: what goes back is summed up by how far it is; a cent that stays does not keep it from being all.
func TestAccount_Back(t *testing.T) {
	t.Parallel()
	of := func(status refund.Status, asset chain.Asset, units uint64) refund.Refund {
		return refund.Refund{Status: status, Asset: asset, Units: money.UnitsFromUint64(units)}
	}
	handed := of(refund.AddressGiven, usdc, 3_000_000)
	handed.AskedAt = t0
	for name, c := range map[string]struct {
		refunds []refund.Refund
		want    refund.Back
	}{
		"None":      {nil, refund.Back{}},
		"Cancelled": {[]refund.Refund{of(refund.Cancelled, usdc, 10_000_000)}, refund.Back{}},
		"Each": {
			[]refund.Refund{
				of(refund.Final, usdc, 1_000_000), handed, of(refund.AddressGiven, usdc, 2_000_000),
				of(refund.Requested, usdc, 4_000_000),
			},
			refund.Back{Arrived: 1_000_000, Sent: 3_000_000, Ready: 2_000_000, Asked: 4_000_000, Unit: "USDC"},
		},
		"All": {
			[]refund.Refund{of(refund.Final, usdc, 10_000_000)},
			refund.Back{Arrived: 10_000_000, Unit: "USDC", All: true},
		},
		"AllButDust": {
			[]refund.Refund{of(refund.Final, usdc, 9_990_001)},
			refund.Back{Arrived: 9_990_001, Unit: "USDC", All: true},
		},
		"ACentStays": {[]refund.Refund{of(refund.Final, usdc, 9_990_000)}, refund.Back{Arrived: 9_990_000, Unit: "USDC"}},
		"TwoTokens": {
			[]refund.Refund{of(refund.Final, usdc, 1_000_000), of(refund.Final, usdt, 2_000_000_000_000_000_000)},
			refund.Back{Arrived: 3_000_000, Unit: "USD"},
		},
	} {
		a := account(payment.DepositFinal, map[chain.Asset]uint64{usdc: 10_000_000})
		a.Payment.Routes = []payment.Route{{Network: usdc.Network, Tokens: []money.Token{money.USDC}}}
		a.Refunds = c.refunds
		for _, r := range c.refunds {
			if r.Status == refund.Final {
				a.Payment.Refunded = append(a.Payment.Refunded, payment.Refunded{
					Network: r.Asset.Network, Contract: r.Asset.Contract, Arrived: r.Units,
				})
			}
		}
		if got := a.Back(); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestAccount_Attention: money that was paid back needs nobody any more; what is left of it does.
func TestAccount_Attention(t *testing.T) {
	t.Parallel()
	a := account(payment.DepositFinal, map[chain.Asset]uint64{usdc: 12_000_000, old: 5_000_000})
	a.Payment.Amount = 10 * money.USD
	a.Payment.Routes = []payment.Route{{Network: usdc.Network, Tokens: []money.Token{money.USDC}}}
	over, other := payment.ReasonOver, payment.ReasonOtherAsset
	for i, x := range []struct {
		asset    chain.Asset
		amount   string
		standing payment.Standing
		excess   money.Micros
		reasons  []payment.Reason
	}{
		{usdc, "1.5", payment.StandingOver, money.USD / 2, []payment.Reason{other, over}},
		{usdc, "0.5", payment.StandingPaid, 0, []payment.Reason{other}},
		{old, "5", payment.StandingPaid, 0, nil},
		{usdc, "4", payment.StandingPartReturned, 0, nil},
		{usdc, "", payment.StandingReturned, 0, nil},
	} {
		id, tx := refund.ID(fmt.Sprint("r", i)), fmt.Sprint("0x", i)
		c, err := a.Request(refund.Ask{ID: id, Amount: x.amount, Token: x.asset.Symbol}, t0)
		a = then(t, a, c, err)
		c, err = a.GiveAddress(id, here("0xa1"), false, t0)
		a = then(t, a, c, err)
		before := a.Payment.Attention()
		c, err = a.Settle(id, paid(c.Refund, tx, t0), t0)
		a = then(t, a, c, err)
		p := a.Payment
		if p.Standing() != x.standing || p.Excess() != x.excess || !slices.Equal(p.Attention(), x.reasons) {
			t.Errorf("after %s %s: %s, %s over, %v; before %v", x.amount, x.asset.Symbol, p.Standing(), p.Excess(),
				p.Attention(), before)
		}
	}
}

// TestAccount_Resolved: what its merchant has settled needs no attention again because money goes back.
func TestAccount_Resolved(t *testing.T) {
	t.Parallel()
	a := account(payment.DepositFinal, map[chain.Asset]uint64{usdc: 12_000_000, old: 5_000_000})
	if len(a.Payment.Attention()) == 0 {
		t.Fatal("money that was not asked for needs no attention")
	}
	resolved, err := a.Payment.Resolve(payment.Actor{}, t0)
	if err != nil {
		t.Fatal(err)
	}
	a.Payment = resolved.Payment
	c, err := a.Request(refund.Ask{ID: "r", Amount: "2"}, t0)
	if a = then(t, a, c, err); len(a.Payment.Attention()) > 0 {
		t.Errorf("a refund asks for attention again: %q", a.Payment.Attention())
	}
}
