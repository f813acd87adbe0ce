package recharge_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/recharge"
)

// A recharge that ended without money is tracked for another day, an abandoned one for a month; then tracking ends.
func TestObserve_TrackingEnds(t *testing.T) {
	t.Parallel()
	begun := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	for name, row := range map[string]struct {
		from       recharge.State
		status     chain.TxStatus
		age, ended time.Duration // since it was made, since it ended
		tracked    bool
	}{
		"abandoned":                {recharge.Abandoned, chain.TxUnknown, 29 * day, 29 * day, true},
		"abandoned, a month":       {recharge.Abandoned, chain.TxUnknown, 30 * day, 30 * day, false},
		"abandoned, included":      {recharge.Abandoned, chain.TxIncluded, 30 * day, 30 * day, true},
		"failed":                   {recharge.Failed, chain.TxUnknown, 2 * day, day - 1, true},
		"failed, a day":            {recharge.Failed, chain.TxUnknown, 2 * day, day, false},
		"failed, again":            {recharge.Failed, chain.TxReverted, 2 * day, day - 1, true},
		"failed, again, a day":     {recharge.Failed, chain.TxReverted, 2 * day, day, false},
		"replaced, a day":          {recharge.Replaced, chain.TxDropped, 2 * day, day, false},
		"replaced, pooled, a day":  {recharge.Replaced, chain.TxPending, 2 * day, day, false},
		"replaced, pooled, before": {recharge.Replaced, chain.TxPending, 2 * day, day - 1, true},
	} {
		now := begun.Add(row.age)
		r := recharge.Recharge{ID: "R", State: row.from, CreatedAt: begun, EndedAt: now.Add(-row.ended), Bytes: chain.SignedTx{Tx: "0x1"}}
		got := r.Observe(chain.TransferOutcome{Status: row.status}, false, now).Recharge
		if got.State != row.from || got.LookAt.IsZero() == row.tracked || row.tracked && !got.LookAt.After(now) ||
			!got.EndedAt.Equal(r.EndedAt) {
			t.Errorf("%s: it is %s since %s and tracked again at %s", name, got.State, got.EndedAt, got.LookAt)
		}
	}
}

// observeCase is a transition of the state diagram in doc.go.
type observeCase struct {
	from      recharge.State
	outcome   chain.TransferOutcome
	confirmed bool
	age       time.Duration
	want      recharge.State
	posted    int
}

var (
	rechargeBegun = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	priceTransfer = chain.TokenTransfer{
		Asset: chain.Asset{Network: chain.BEP20, Contract: "0xT"}, From: "0xF",
		To: "0xO", Amount: money.UnitsFromUint64(5),
	}
	paidTransfer = chain.Transfer{
		Key: chain.Key{Tx: "0x1"}, Asset: priceTransfer.Asset, From: "0xF", To: "0xO", Units: priceTransfer.Amount,
	}
	paid = chain.TransferOutcome{Status: chain.TxFinal, Transfers: []chain.Transfer{paidTransfer}}
)

// paidExcept returns the outcome paid with its transfer changed.
func paidExcept(change func(*chain.Transfer)) chain.TransferOutcome {
	t := paidTransfer
	change(&t)
	return chain.TransferOutcome{Status: chain.TxFinal, Transfers: []chain.Transfer{t}}
}

func TestObserve_Paid(t *testing.T) {
	t.Parallel()
	checkObserve(t, map[string]observeCase{
		"paid": {
			recharge.Signed,
			paid,
			true, 0,
			recharge.Credited, 1,
		},
		"paid, unconfirmed": {
			recharge.Signed,
			paid,
			false, 0,
			recharge.Signed, 0,
		},
		"paid to another wallet": {recharge.Signed, paidExcept(func(t *chain.Transfer) { t.To = "0xElse" }), true, 0, recharge.Failed, 0},
		"paid by another wallet": {recharge.Signed, paidExcept(func(t *chain.Transfer) { t.From = "0xElse" }), true, 0, recharge.Failed, 0},
		"paid too little": {recharge.Signed, paidExcept(func(t *chain.Transfer) {
			t.Units = money.UnitsFromUint64(4)
		}), true, 0, recharge.Failed, 0},
		"paid too much": {recharge.Signed, paidExcept(func(t *chain.Transfer) {
			t.Units = money.UnitsFromUint64(6)
		}), true, 0, recharge.Failed, 0},
		"paid another token":   {recharge.Signed, paidExcept(func(t *chain.Transfer) { t.Asset.Contract = "0xElse" }), true, 0, recharge.Failed, 0},
		"paid by another hash": {recharge.Signed, paidExcept(func(t *chain.Transfer) { t.Tx = "0x2" }), true, 0, recharge.Failed, 0},
		"paid, not final": {
			recharge.Signed,
			chain.TransferOutcome{Status: chain.TxIncluded, Transfers: []chain.Transfer{paidTransfer}},
			true,
			0, recharge.Signed, 0,
		},
	})
}

func TestObserve_NotPaid(t *testing.T) {
	t.Parallel()
	checkObserve(t, map[string]observeCase{
		"reverted": {
			recharge.Signed, chain.TransferOutcome{Status: chain.TxReverted}, false, 0, recharge.Failed, 0,
		},
		"replaced": {
			recharge.Signed, chain.TransferOutcome{Status: chain.TxDropped}, false, 0, recharge.Replaced, 0,
		},
		"pooled": {
			recharge.Signed, chain.TransferOutcome{Status: chain.TxPending}, false, time.Minute, recharge.Signed, 0,
		},
		"included late": {
			recharge.Signed, chain.TransferOutcome{Status: chain.TxIncluded}, false, 2 * time.Hour, recharge.Signed, 0,
		},
		"unknown for an hour": {recharge.Signed, chain.TransferOutcome{}, false, time.Hour, recharge.Abandoned, 0},
	})
}

func TestObserve_AfterEnd(t *testing.T) {
	t.Parallel()
	checkObserve(t, map[string]observeCase{
		"abandoned, paid": {
			recharge.Abandoned,
			paid,
			true,
			0, recharge.Credited, 1,
		},
		"abandoned, replaced": {
			recharge.Abandoned, chain.TransferOutcome{Status: chain.TxDropped}, false, 0, recharge.Replaced, 0,
		},
		"credited, reported again": {
			recharge.Credited,
			paid,
			true, 0,
			recharge.Credited, 0,
		},
		"replaced, reported final": {
			recharge.Replaced,
			paid,
			true, 0,
			recharge.Credited, 1,
		},
		"failed, reported final": {
			recharge.Failed,
			paid,
			true, 0,
			recharge.Credited, 1,
		},
		"failed, unconfirmed": {
			recharge.Failed,
			paid,
			false, 0,
			recharge.Failed, 0,
		},
		"failed, reported dropped": {
			recharge.Failed, chain.TransferOutcome{Status: chain.TxDropped}, false, 0, recharge.Failed, 0,
		},
	})
}

func checkObserve(t *testing.T, cases map[string]observeCase) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := recharge.Recharge{
				ID: "R", KeyID: 1, Units: 2, Transfer: priceTransfer, Bytes: chain.SignedTx{Tx: "0x1"}, State: c.from,
				CreatedAt: rechargeBegun,
			}
			if _, ok := r.Payment(c.outcome); ok && c.outcome.Status != chain.TxFinal {
				t.Error("a transfer that is not final counts as a payment")
			}
			got := r.Observe(c.outcome, c.confirmed, rechargeBegun.Add(c.age))
			if got.Recharge.State != c.want || len(got.Entries) != c.posted {
				t.Errorf("%s with %d entries, want %s with %d", got.Recharge.State, len(got.Entries), c.want, c.posted)
			}
			if over := got.Recharge.State.Over(); c.from != c.want && over != got.Recharge.LookAt.IsZero() {
				t.Errorf("%s is tracked again at %s", got.Recharge.State, got.Recharge.LookAt)
			}
		})
	}
}
