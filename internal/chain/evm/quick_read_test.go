package evm_test

import (
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
)

// quickReads is a scripted chain behind a provider, with what a watcher has read of it.
type quickReads struct {
	*provided
	watch  *chain.WatchSet
	known  map[chain.TxHash]bool
	latest uint64
}

// newQuickReads watches so many addresses through a provider that behaves so.
func newQuickReads(t *testing.T, addresses int, b chaintest.Behaviour) *quickReads {
	t.Helper()
	g := &quickReads{provided: newProvided(t), watch: chain.NewWatchSet(addresses), known: make(map[chain.TxHash]bool)}
	for range addresses {
		g.watch.Add(g.Address())
	}
	g.Mine(60)
	g.provider.Behave(b.Rules())
	g.round()
	return g
}

func (g *quickReads) refused() int {
	_, refused := g.provider.Requests()
	return refused
}

// round reads everything, as a watcher does.
func (g *quickReads) round() {
	g.t.Helper()
	heads, err := g.reader.Heads(g.t.Context())
	if err != nil {
		g.t.Fatal(err)
	}
	found, _, err := g.reader.Scan(g.t.Context(), g.latest+1, heads.Latest, g.watch)
	if err != nil {
		g.t.Fatal(err)
	}
	for _, f := range found {
		g.known[f.Tx] = true
	}
	g.latest = heads.Latest.Number
}

// quickRead looks, and lets a round follow news. It reports whether there were any.
func (g *quickReads) quickRead() bool {
	g.t.Helper()
	seen, err := g.reader.QuickRead(g.t.Context(), chain.Look{
		After: g.latest, Watch: g.watch, Final: true,
		News: func(_ chain.Address, tx chain.TxHash) bool { return !g.known[tx] },
	})
	if err != nil {
		g.t.Fatal(err)
	}
	if want := g.chain.Head().Number - 1; seen.Final != want {
		g.t.Errorf("final block %d, want %d", seen.Final, want)
	}
	if seen.News {
		g.round()
	}
	return seen.News
}

// A quick read asks in ranges that the endpoint takes, is refused no more once they are learnt, finds money all the
// same, and asks for no block again and again.
func TestQuickRead_Limits(t *testing.T) {
	t.Parallel()
	for _, b := range chaintest.EVMBehaviours() {
		if b.Name != "Range5" && b.Name != "Range10" && b.Name != "Time" {
			continue
		}
		t.Run(b.Name, func(t *testing.T) {
			t.Parallel()
			g := newQuickReads(t, 3, b)
			g.quickRead()
			g.Mine(66)
			g.quickRead() // learns
			before, asked := g.refused(), g.endpoints[0].Calls("eth_getLogs")
			const quickReads = 12
			for i := range quickReads {
				g.Mine(4)
				if g.quickRead() {
					t.Errorf("news in quick read %d without any money", i)
				}
			}
			if n := g.refused() - before; n > 0 {
				t.Errorf("refused %d times after the limit was learnt", n)
			}
			if n := g.endpoints[0].Calls("eth_getLogs") - asked; n > 3*quickReads {
				t.Errorf("%d queries in %d quick reads", n, quickReads)
			}
			g.paidIsNews()
		})
	}
}

// paidIsNews expects that money is news until a round has found it, at the next quick read and after many blocks.
func (g *quickReads) paidIsNews() {
	g.t.Helper()
	for _, blocks := range []int{1, 9, 200} {
		var to chain.Watched
		for raw := range g.watch.All {
			to = chain.AddressOf(g.profile.Network, raw)
		}
		tx := g.Pay(chaintest.Payment{To: to, Asset: g.Credited(), Units: 5})
		g.Mine(blocks)
		if !g.quickRead() || !g.known[tx] {
			g.t.Errorf("%d blocks after the money: not found", blocks)
		}
		if g.quickRead() {
			g.t.Errorf("%d blocks after the money: news again", blocks)
		}
	}
	if e := g.reader.Endpoints()[0]; !e.Healthy {
		g.t.Errorf("the endpoint counts as unhealthy: %s", e.Reason)
	}
}

// More addresses than a node filters by are looked at without asking for the same blocks in every quick read.
func TestQuickRead_Crowd(t *testing.T) {
	t.Parallel()
	for _, b := range chaintest.EVMBehaviours() {
		if b.Name == "ResultsErigon" {
			g := newQuickReads(t, 600, b)
			for range 30 {
				g.Pay(chaintest.Payment{To: g.Address(), Asset: g.Credited(), Units: 1})
				g.Mine(1)
				g.quickRead()
			}
			if n := g.refused(); n > 0 {
				t.Errorf("refused %d times", n)
			}
			g.paidIsNews()
		}
	}
}
