package ledger_test

import (
	"errors"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/testkit"
)

func hold(n int) ledger.Entry    { return ledger.Hold(7, "start:"+strconv.Itoa(n), noon) }
func release(n int) ledger.Entry { return ledger.Release(7, "end:"+strconv.Itoa(n), noon) }
func settle(n int) ledger.Entry  { return ledger.Settle(7, "end:"+strconv.Itoa(n), noon) }

func TestReserve(t *testing.T) {
	t.Parallel()
	for f, want := range map[ledger.Funds]int64{
		{}:                        10,
		{Balance: 20}:             10,
		{Balance: 30}:             10,
		{Balance: 31}:             11,
		{Balance: 300}:            100,
		{Balance: 200, Held: 100}: 100,
		{Balance: 100, Held: 200}: 100,
	} {
		if got := ledger.Reserve(f); got != want {
			t.Errorf("Reserve(%+v) = %d, want %d", f, got, want)
		}
	}
}

// However many payments strangers open, they hold no more than two thirds, and leave
// ten: the merchant's own payments can start.
func TestPosting_Hold_Reserve(t *testing.T) {
	t.Parallel()
	for balance, most := range map[int64]int{0: 0, 9: 0, 10: 0, 11: 1, 20: 10, 90: 60, 91: 60, 300: 200} {
		t.Run(strconv.FormatInt(balance, 10), func(t *testing.T) {
			t.Parallel()
			p, held := holding(balance), 0
			for n := range 1_000 {
				if err := p.Post([]ledger.Entry{hold(n)}); err == nil {
					held++
				} else if !errors.Is(err, ledger.ErrReserve) && !errors.Is(err, ledger.ErrNoCredits) {
					t.Fatal(err)
				}
			}
			if held != most {
				t.Errorf("of %d credits strangers hold %d, want %d", balance, held, most)
			}
			for n := range balance - int64(most) {
				if err := p.Post([]ledger.Entry{spend("own:" + strconv.FormatInt(n, 10))}); err != nil {
					t.Fatalf("the merchant's payment %d of the reserve: %v", n, err)
				}
			}
		})
	}
}

func TestPosting_Hold_Ends(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		end     ledger.Entry
		balance int64
	}{"Release": {release(1), 0}, "Settle": {settle(1), -1}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := holding(20)
			for _, e := range []ledger.Entry{hold(1), test.end, test.end} {
				testkit.Must(t, p.Post([]ledger.Entry{e}))
			}
			if got := p.Changes()[credits]; got != (ledger.Funds{Balance: test.balance}) {
				t.Errorf("the funds changed by %+v, want %d and nothing held", got, test.balance)
			}
		})
	}
	t.Run("NothingHeld", func(t *testing.T) {
		t.Parallel()
		for _, e := range []ledger.Entry{release(1), settle(1)} {
			if err := holding(20).Post([]ledger.Entry{e}); err == nil {
				t.Errorf("%s of a credit that is not held was posted", e.Reason)
			}
		}
	})
	t.Run("Refused", func(t *testing.T) {
		t.Parallel()
		p := holding(20)
		if err := p.Post([]ledger.Entry{hold(1), spend(""), hold(2)}); err == nil {
			t.Fatal("an entry without a Ref was posted")
		}
		if got := p.Changes()[credits]; got != (ledger.Funds{}) {
			t.Errorf("a refused list changed the funds by %+v", got)
		}
	})
}

// In any order of starts and ends, no unit appears or disappears, and a hold is only
// posted above the reserve.
func TestPosting_Hold_Random(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		begin := int64(rapid.IntRange(0, 60).Draw(t, "credits"))
		p, spent := holding(begin), int64(0)
		funds := ledger.Funds{Balance: begin}
		for n := range rapid.IntRange(1, 80).Draw(t, "steps") {
			e := rapid.SampledFrom(
				[]ledger.Entry{hold(n), release(n), settle(n), spend("own:" + strconv.Itoa(n))},
			).Draw(t, "entry")
			err := p.Post([]ledger.Entry{e})
			if err != nil {
				continue
			}
			before := funds
			change := p.Changes()[credits]
			funds = ledger.Funds{Balance: begin + change.Balance, Held: change.Held}
			if e.To == ledger.Spent {
				spent++
			}
			if e.Holds() && funds.Balance < ledger.Reserve(before) {
				t.Fatalf("a hold left %+v of %+v", funds, before)
			}
			if funds.Balance < 0 || funds.Held < 0 || funds.Balance+funds.Held+spent != begin {
				t.Fatalf("%d credits became %+v and %d spent", begin, funds, spent)
			}
		}
	})
}

func TestAccount_HeldID(t *testing.T) {
	t.Parallel()
	for account, want := range map[ledger.Account]int64{
		ledger.Held(7): 7, ledger.Key(7): 0, ledger.Spent: 0, "held:": 0, "held:07": 0, "x:7": 0,
	} {
		if id, ok := account.HeldID(); ok != (want > 0) || ok && id != want {
			t.Errorf("HeldID(%q) = %d, %t, want %d", account, id, ok, want)
		}
	}
	if _, ok := ledger.Held(7).KeyID(); ok {
		t.Error("held units are in the key's own account")
	}
}
