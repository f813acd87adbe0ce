package solana_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/solana"
)

// The adapter reads through every provider as it is.
func TestProviders(t *testing.T) {
	t.Parallel()
	chaintest.RunProviders(t, chaintest.SolanaBehaviours(), func(t *testing.T) chaintest.ProviderHarness {
		return newProvided(t)
	})
}

// provided is a ledger that is read through a provider alone.
type provided struct {
	*ledgerHarness
	provider *chaintest.Provider

	mu     sync.Mutex
	passed time.Duration
}

func newProvided(t *testing.T) *provided {
	t.Helper()
	h := newLedger(t)
	p := &provided{ledgerHarness: h, provider: chaintest.NewProvider(t, h.URL())}
	reader, err := solana.New(solana.Config{
		Profile: h.profile(), Endpoints: []string{p.provider.URL}, Rate: unhurried, Now: p.now,
	})
	if err != nil {
		t.Fatal(err)
	}
	h.reader = reader
	return p
}

func (p *provided) now() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Now().Add(p.passed)
}

func (p *provided) Provider() *chaintest.Provider { return p.provider }

func (p *provided) Wait(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.passed += d
}

// A node that has cleaned up says from which slot on it has blocks.
func TestProviders_History(t *testing.T) {
	t.Parallel()
	p := newProvided(t)
	p.provider.Behave(chaintest.CleanedUp())
	if h, ok, err := p.reader.BlockAt(t.Context(), 1); ok || err != nil {
		t.Errorf("a block that was cleaned up: %+v, %v", h, err)
	}
	if e := p.reader.Endpoints()[0]; !e.Healthy || !slices.Contains(e.Learnt, "history: from slot 3") {
		t.Errorf("learnt %q, %s", e.Learnt, e.Reason)
	}
}

// The head of a skipped slot is found in ranges of five slots.
func TestProviders_SkippedSlots(t *testing.T) {
	t.Parallel()
	p := newProvided(t)
	before, err := p.reader.Heads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := p.ledger.Skip(40); err != nil {
		t.Fatal(err)
	}
	p.Mine(1)
	p.provider.Behave(chaintest.RulesOf(t, chaintest.SolanaBehaviours(), "Slots5"))
	at, ok, err := p.reader.BlockAt(t.Context(), before.Latest.Number+33)
	if err != nil || !ok || at.Hash != before.Latest.Hash {
		t.Fatalf("a skipped slot is %+v, %v, %v; want the hash of %+v", at, ok, err, before.Latest)
	}
	if e := p.reader.Endpoints()[0]; !slices.Contains(e.Learnt, "slots: 5 a range") {
		t.Errorf("learnt %q", e.Learnt)
	}
}

// A payment is found below more signatures than the provider lists at once, whether it says so or not.
func TestProviders_ManySignatures(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Signatures10", "SignaturesCut"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvided(t)
			to, mint := p.Address(), p.mints[p.Credited().Contract]
			p.Pay(chaintest.Payment{To: to, Asset: p.Credited(), Units: 5})
			p.Mine(1)
			account := ata(solanago.PublicKey(to.Raw), mint)
			for range 25 {
				p.mustSend([]solanago.Instruction{
					transferChecked(ata(p.rich.PublicKey(), mint), mint, account, p.rich.PublicKey(), 0, 6),
				})
			}
			p.Mine(1)
			p.provider.Behave(chaintest.RulesOf(t, chaintest.SolanaBehaviours(), name))
			wantUnits(t, scanAll(t, 6, p.reader, to), 5)
			if e := p.reader.Endpoints()[0]; !slices.Contains(e.Learnt, "signatures: 10 a page") {
				t.Errorf("learnt %q", e.Learnt)
			}
		})
	}
}
