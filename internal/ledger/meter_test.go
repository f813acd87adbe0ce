package ledger_test

import (
	"errors"
	"testing"

	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/testkit"
)

func TestMeter_Charge(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		meter   ledger.Meter
		balance int64
		want    error
		posted  int
		change  int64
	}{
		"Metered":      {ledger.Metered, 2, nil, 1, -1},
		"Zero":         {"", 2, nil, 1, -1},
		"NoCredits":    {ledger.Metered, 0, ledger.ErrNoCredits, 0, 0},
		"Free":         {ledger.Free, 2, nil, 2, 0},
		"FreeAndEmpty": {ledger.Free, 0, nil, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := holding(test.balance)
			cost := spend("start:1")
			if err := p.Post(test.meter.Charge(cost)); !errors.Is(err, test.want) {
				t.Fatalf("Post = %v, want %v", err, test.want)
			}
			posted := p.Posted()
			if len(posted) != test.posted || p.Changes()[credits].Balance != test.change {
				t.Fatalf("posted %+v, a change of %d", posted, p.Changes()[credits].Balance)
			}
			if n := len(posted); n > 0 && posted[n-1] != cost {
				t.Errorf("the use is recorded as %+v, want %+v", posted[n-1], cost)
			}
		})
	}
	t.Run("Again", func(t *testing.T) {
		t.Parallel()
		p := holding(0)
		for range 2 {
			testkit.Must(t, p.Post(ledger.Free.Charge(spend("start:1"))))
		}
		if n := len(p.Posted()); n != 2 {
			t.Errorf("a repeated charge posted %d entries, want 2", n)
		}
	})
	t.Run("Grant", func(t *testing.T) {
		t.Parallel()
		grant := ledger.Grant(7, ledger.Credit, 5, ledger.ReasonGrant, "g", noon)
		if got := ledger.Free.Charge(grant); len(got) != 1 || got[0] != grant {
			t.Errorf("a grant on a free installation is %+v", got)
		}
	})
}

func TestMeter_Affords(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		meter   ledger.Meter
		balance ledger.Balance
		unit    ledger.Unit
		want    error
	}{
		"Credit":    {ledger.Metered, ledger.Balance{Credits: 1}, ledger.Credit, nil},
		"NoCredits": {ledger.Metered, ledger.Balance{Queries: 1}, ledger.Credit, ledger.ErrNoCredits},
		"NoQueries": {ledger.Metered, ledger.Balance{Credits: 1}, ledger.Query, ledger.ErrNoQueries},
		"Free":      {ledger.Free, ledger.Balance{}, ledger.Credit, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := test.meter.Affords(test.balance, test.unit); !errors.Is(err, test.want) {
				t.Errorf("Affords = %v, want %v", err, test.want)
			}
		})
	}
}

func TestMeter_IsLow(t *testing.T) {
	t.Parallel()
	if !ledger.Metered.IsLow(ledger.Low) || ledger.Metered.IsLow(ledger.Low+1) || ledger.Free.IsLow(0) {
		t.Error("a balance is low at Low credits, and never on a free installation")
	}
}
