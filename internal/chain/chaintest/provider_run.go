package chaintest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// ProviderHarness is a Harness that reads its chain through a provider alone.
type ProviderHarness interface {
	Harness
	// Provider is where the reader sends its requests.
	Provider() *Provider
	// Wait lets the reader's clock go on, so that no endpoint cools down.
	Wait(d time.Duration)
}

// RunProviders runs every behaviour against a reader: it reads everything all the same, within some rounds, says what
// it learnt, and keeps to it.
func RunProviders(t *testing.T, behaviours []Behaviour, start func(t *testing.T) ProviderHarness) {
	t.Helper()
	for _, b := range behaviours {
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			testProvider(t, start(t), b)
		})
	}
}

// errUndecided: the only endpoint does not confirm what it reported.
var errUndecided = errors.New("a transfer is not confirmed")

// RulesOf returns the rules of the behaviour of that name.
func RulesOf(t *testing.T, behaviours []Behaviour, name string) Rules {
	t.Helper()
	for _, b := range behaviours {
		if b.Name == name {
			return b.Rules()
		}
	}
	t.Fatalf("there is no behaviour %s", name)
	return Rules{}
}

// providerRounds is in how many rounds everything must be read: a round fails when the endpoint is limited.
const providerRounds = 12

// probes is how often something larger may be tried once a limit is known.
const probes = 3

// providerBlocks is how many blocks are between two payments.
const providerBlocks = 20

func testProvider(t *testing.T, h ProviderHarness, b Behaviour) {
	var wants []want
	var watched []chain.Watched
	for i := range 8 {
		p := Payment{h.Address(), h.Credited(), uint64(i + 1)}
		watched = append(watched, p.To)
		wants = append(wants, want{p, h.Pay(p)})
		for range 1 + 2*boolInt(b.Crowd) {
			h.Pay(Payment{h.Address(), h.Credited(), 5})
		}
		h.Mine(providerBlocks)
	}
	h.Mine(max(1, b.Blocks-8*providerBlocks))
	for range 25 + 600*boolInt(b.Crowd) {
		watched = append(watched, h.Address())
	}
	h.Finalize()
	h.Provider().Behave(b.Rules())
	got := providerRound(t, h, b, watched)
	wantTransfers(t, got, reported(h, wants...)...)
	checkLearnt(t, h.Reader(), b)
	_, before := h.Provider().Requests()
	p := Payment{h.Address(), h.Credited(), 77}
	tx := h.Pay(p)
	h.Mine(1)
	again := providerRound(t, h, b, append(watched, p.To))
	wantTransfers(t, again, reported(h, append(wants, want{p, tx})...)...)
	if changes := h.Provider().Changes(); (changes > 0) == b.Unmet {
		t.Errorf("the provider changed %d answers, met: %v", changes, !b.Unmet)
	}
	if _, after := h.Provider().Requests(); b.Learnt != "" && after > before+probes {
		t.Errorf("what was learnt was forgotten: refused %d times more", after-before)
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// providerRound reads heads, the whole chain, balances and a confirmation, each in as many tries as it takes.
func providerRound(t *testing.T, h ProviderHarness, b Behaviour, watched []chain.Watched) (got []chain.Transfer) {
	t.Helper()
	var hs chain.Heads
	try := func(what string, f func() error) {
		t.Helper()
		var err error
		for range providerRounds {
			if err = f(); err == nil {
				return
			}
			h.Wait(time.Minute)
		}
		t.Fatalf("%s (%s): %s: %v; %+v", b.Name, b.Source, what, err, h.Reader().Endpoints())
	}
	r := h.Reader()
	try("heads and scan", func() (err error) {
		if hs, err = r.Heads(t.Context()); err != nil {
			return err
		}
		checkHeads(t, hs)
		got, _, err = r.Scan(t.Context(), 0, hs.Latest, watchSet(watched...))
		return err
	})
	if len(got) == 0 {
		t.Fatal("no transfer was found")
	}
	old := hs.Latest
	old.Number -= min(old.Number, uint64(max(b.Blocks, 1)-1)) // balances may be as of any later block
	try("balances", func() error { return checkHoldings(t, h, watched, old) })
	try("confirmation", func() error {
		verdict, err := chain.JudgeAll(t.Context(), r, got[:1], hs.Latest)
		if err == nil && verdict != chain.Stands {
			err = errUndecided
		}
		return err
	})
	return got
}

// checkHoldings checks what the first addresses hold.
func checkHoldings(t *testing.T, h ProviderHarness, watched []chain.Watched, at chain.Head) error {
	t.Helper()
	addresses := make([]chain.Address, 33)
	for i := range addresses {
		addresses[i] = watched[i].Address
	}
	held, err := h.Reader().Balances(t.Context(), h.Credited(), addresses, at)
	if err != nil {
		return err
	}
	for i, units := range held {
		want := (Payment{Units: uint64(i + 1)}).units()
		if i >= 8 {
			want = money.Units{}
		}
		if units.Cmp(want) != 0 {
			t.Fatalf("address %d holds %s, want %s", i, units, want)
		}
	}
	return nil
}

// checkLearnt checks that the endpoint's health says what was learnt, and no secret.
func checkLearnt(t *testing.T, r chain.Reader, b Behaviour) {
	t.Helper()
	e := r.Endpoints()[0]
	learnt := strings.Join(e.Learnt, "; ")
	if !strings.Contains(learnt, b.Learnt) || b.Learnt == "" && learnt != "" && !b.Crowd {
		t.Errorf("learnt %q, want %q", learnt, b.Learnt)
	}
	if strings.Contains(learnt+e.Name+e.Reason, Secret) {
		t.Errorf("the health shows a secret: %+v", e)
	}
}
