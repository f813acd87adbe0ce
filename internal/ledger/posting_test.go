package ledger_test

import (
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/testkit"
)

var (
	noon    = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	credits = ledger.KeyAccount{KeyID: 7, Unit: ledger.Credit}
)

func spend(ref string) ledger.Entry {
	return ledger.Spend(7, ledger.Credit, ledger.ReasonStart, ref, noon)
}

func holding(balance int64) *ledger.Posting {
	p := new(ledger.Posting)
	p.SetBalance(credits, ledger.Funds{Balance: balance})
	return p
}

func TestPosting_Post(t *testing.T) {
	t.Parallel()
	wrong := spend("start:1")
	wrong.Count = 2
	for name, test := range map[string]struct {
		posting *ledger.Posting
		known   []ledger.Entry
		entries []ledger.Entry
		refused bool
		want    error // nil: any refusal will do
		posted  int
		change  int64
	}{
		"OK":          {posting: holding(2), entries: []ledger.Entry{spend("start:1"), spend("start:2")}, posted: 2, change: -2},
		"Grant":       {posting: holding(0), entries: []ledger.Entry{ledger.Grant(7, ledger.Credit, 20, ledger.ReasonGrant, "g", noon)}, posted: 1, change: 20},
		"Nothing":     {posting: holding(0)},
		"NoCredits":   {posting: holding(0), entries: []ledger.Entry{spend("start:1")}, refused: true, want: ledger.ErrNoCredits},
		"AllOrNone":   {posting: holding(1), entries: []ledger.Entry{spend("start:1"), spend("start:2")}, refused: true, want: ledger.ErrNoCredits},
		"PostedOnce":  {posting: holding(5), entries: []ledger.Entry{spend("start:1"), spend("start:1")}, posted: 1, change: -1},
		"Known":       {posting: holding(0), known: []ledger.Entry{spend("start:1")}, entries: []ledger.Entry{spend("start:1")}},
		"OtherEntry":  {posting: holding(5), known: []ledger.Entry{spend("start:1")}, entries: []ledger.Entry{wrong}, refused: true},
		"NoAccount":   {posting: new(ledger.Posting), entries: []ledger.Entry{spend("start:1")}, refused: true, want: ledger.ErrNoAccount},
		"NoReference": {posting: holding(5), entries: []ledger.Entry{spend("")}, refused: true},
		"ToItself": {
			posting: holding(5), refused: true,
			entries: []ledger.Entry{{Ref: "x", From: ledger.Key(7), To: ledger.Key(7), Unit: ledger.Credit, Count: 1}},
		},
		"Negative": {
			posting: holding(5), refused: true,
			entries: []ledger.Entry{{Ref: "x", From: ledger.Key(7), To: ledger.Spent, Unit: ledger.Credit, Count: -1}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, e := range test.known {
				test.posting.SetPosted(e)
			}
			err := test.posting.Post(test.entries)
			if test.refused != (err != nil) || test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("Post = %v, want %v (refused: %t)", err, test.want, test.refused)
			}
			if n := len(test.posting.Posted()); n != test.posted {
				t.Errorf("%d entries are posted, want %d", n, test.posted)
			}
			if n := test.posting.Changes()[credits].Balance; n != test.change {
				t.Errorf("the balance changes by %d, want %d: %v", n, test.change, maps.Clone(test.posting.Changes()))
			}
		})
	}
}

func TestPosting_Post_AfterARefusal(t *testing.T) {
	t.Parallel()
	p := holding(1)
	if err := p.Post([]ledger.Entry{spend("start:1"), spend("start:2")}); !errors.Is(err, ledger.ErrNoCredits) {
		t.Fatal(err)
	}
	if err := p.Post([]ledger.Entry{spend("start:1")}); err != nil {
		t.Errorf("a refused entry cannot be posted later: %v", err)
	}
}

func TestPosting_FellLow(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before int64
		want   bool
	}{
		"Above":   {ledger.Low + 2, false},
		"Crosses": {ledger.Low + 1, true},
		"Below":   {ledger.Low, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := holding(test.before)
			testkit.Must(t, p.Post([]ledger.Entry{spend("start:1")}))
			if got := p.FellLow(credits); got != test.want {
				t.Errorf("FellLow = %t, want %t", got, test.want)
			}
		})
	}
}

func TestAccount_KeyID(t *testing.T) {
	t.Parallel()
	for account, want := range map[ledger.Account]int64{
		ledger.Key(7): 7, ledger.Spent: 0, ledger.Issued: 0, "key:": 0, "key:07": 0, "key:x": 0, "": 0,
	} {
		if id, ok := account.KeyID(); ok != (want > 0) || ok && id != want {
			t.Errorf("KeyID(%q) = %d, %t, want %d", account, id, ok, want)
		}
	}
}
