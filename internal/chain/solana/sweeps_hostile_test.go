package solana_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/solana"
)

// named is a till whose reader works through a node, by a clock of the test, and a transaction of a stranger that
// names the address of the sweeps.
func named(t *testing.T) (s *till, reader *solana.Adapter, n *node, c *clock, strange string, sweeps chain.Address) {
	t.Helper()
	s = newTill(t, newLedger(t).harness)
	s.fill(gasFunds)
	sweeps = sweepsOf(t, s.seed)
	key := solanago.MustPublicKeyFromBase58(string(sweeps))
	strange = s.mustSend([]solanago.Instruction{transferSOL(s.rich.PublicKey(), key, 1_000_000)}).String()
	s.Mine(1)
	n, c = newNode(t, s.URL()), newClock()
	reader, err := solana.New(solana.Config{
		Profile: s.profile(), Endpoints: []string{n.url()}, Rate: unhurried, Sweeps: sweeps, Now: c.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, reader, n, c, strange, sweeps
}

// TestSweeps_CannotHold: a transaction that names the address of the sweeps and cannot be read, or a list of that
// address that cannot be had, holds up no network and hides no payment that was swept meanwhile.
func TestSweeps_CannotHold(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(n *node, strange, sweeps string){
		"Null":    func(n *node, strange, _ string) { forText("getTransaction", theTx, says("null"))(n, "", strange) },
		"Garbled": func(n *node, strange, _ string) { forText("getTransaction", theTx, says(`"?"`))(n, "", strange) },
		"Version": func(n *node, strange, _ string) {
			n.failFor("getTransaction", strange, http.StatusOK, rpcError(-32015, "version (2) is not supported"))
		},
		"HTTP": func(n *node, strange, _ string) {
			n.failFor("getTransaction", strange, http.StatusInternalServerError, "worker crashed")
		},
		"ListFails": func(n *node, _, sweeps string) {
			n.failFor("getSignaturesForAddress", sweeps, http.StatusGatewayTimeout, "")
		},
		"ListRefused": func(n *node, _, sweeps string) {
			n.failFor("getSignaturesForAddress", sweeps, http.StatusOK, rpcError(-32603, "Internal error"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, reader, n, clock, strange, sweeps := named(t)
			spoil(n, strange, string(sweeps))
			first := s.deposit(t, s.assets[0], 7)
			s.Mine(1)
			got, unread := scanWithin(t, reader, clock, 5*time.Second, first.Address)
			wantUnits(t, got, 7)
			if len(unread) > 0 {
				t.Fatalf("not read: %s", unread)
			}
			items := []chain.SweepItem{first}
			s.carryOut(t, items, s.mustSign(t, items))
			s.Pay(chaintest.Payment{To: first.Address, Asset: s.assets[0], Units: 7})
			s.Mine(1) // the account holds what it held before
			for range 10 {
				clock.advance(time.Second)
				got, _ = scanWithin(t, reader, clock, 5*time.Second, first.Address)
				wantUnits(t, got, 7, 7)
				s.Mine(1)
			}
		})
	}
}

// TestSweeps_SpamIsBounded: of a history of the sweeps' address with tens of thousands of transactions a scan lists no
// more than it can use.
func TestSweeps_SpamIsBounded(t *testing.T) {
	t.Parallel()
	s, reader, n, clock, _, sweeps := named(t)
	first := s.deposit(t, s.assets[0], 7)
	s.Mine(1)
	s.spam(solanago.MustPublicKeyFromBase58(string(sweeps)), 4_500)
	before := n.count("getSignaturesForAddress")
	got, _ := scanWithin(t, reader, clock, 5*time.Second, first.Address)
	wantUnits(t, got, 7)
	if calls := n.count("getSignaturesForAddress") - before; calls > 6 {
		t.Errorf("%d pages were read", calls)
	}
}

// TestSweeps_ReadLater: an account whose money a sweep took before the account was first read is found empty, and its
// history is read, though scans of other accounts have read the sweep already.
func TestSweeps_ReadLater(t *testing.T) {
	t.Parallel()
	s, reader, _, clock, _, _ := named(t) //nolint:dogsled // the other tests use them
	first, other := s.deposit(t, s.assets[0], 7), s.Address()
	s.Mine(1)
	scanWithin(t, reader, clock, 5*time.Second, other)
	items := []chain.SweepItem{first}
	s.carryOut(t, items, s.mustSign(t, items))
	for range 2 {
		s.Mine(1)
		scanWithin(t, reader, clock, 5*time.Second, other)
	}
	got, _ := scanWithin(t, reader, clock, 5*time.Second, first.Address)
	wantUnits(t, got, 7)
}

// TestSweeps_EmptyHistory: a node that lists nothing of an account that a sweep has emptied is not believed that
// nothing came there.
func TestSweeps_EmptyHistory(t *testing.T) {
	t.Parallel()
	s, reader, n, clock, _, _ := named(t)
	first := s.deposit(t, s.assets[0], 7)
	s.Mine(1)
	items := []chain.SweepItem{first}
	s.carryOut(t, items, s.mustSign(t, items))
	s.Mine(1)
	account := s.accountOf(first).String()
	n.set("getSignaturesForAddress", func(params, result json.RawMessage) json.RawMessage {
		if strings.Contains(string(params), account) {
			return json.RawMessage("[]")
		}
		return result
	})
	if got, unread := scanWithin(t, reader, clock, 10*time.Second, first.Address); len(unread) == 0 {
		t.Fatalf("the account counts as read with %d transfers", len(got))
	}
	n.set("getSignaturesForAddress", nil)
	s.readsAgain(t, reader, clock, first.Address, 7)
}

// TestSweeps_Hidden: a payment that was swept, and of which the only node lists neither, is found when the node is
// asked again.
func TestSweeps_Hidden(t *testing.T) {
	t.Parallel()
	s, reader, n, clock, _, _ := named(t)
	to := s.paidAndSwept(t)
	n.set("getSignaturesForAddress", always("[]"))
	for range 2 { // longer than a fork goes back
		if got, err := scanFinal(t, reader, to); err != nil || len(got) > 0 {
			t.Fatalf("%v, %v; want a node that is believed", got, err)
		}
		s.Mine(200)
		s.Finalize()
	}
	n.set("getSignaturesForAddress", always("7")) // the scan that is to find it fails
	if got, err := scanFinal(t, reader, to); err == nil {
		t.Fatalf("a node that answers nonsense shows %v", got)
	}
	n.set("getSignaturesForAddress", nil)
	clock.advance(time.Minute)
	s.readsAgain(t, reader, clock, to, 7)
}

// TestSweeps_Forgotten: one of two nodes has forgotten a payment and its sweep. It is not believed that there was
// nothing before a later payment, which explains what the account holds, or before the sweep of another account, or
// that nothing was ever swept.
func TestSweeps_Forgotten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		then func(t *testing.T, s *till, to chain.Watched)
		want []uint64
	}{
		"PaidAgain": {func(_ *testing.T, s *till, to chain.Watched) {
			s.Pay(chaintest.Payment{To: to, Asset: s.assets[0], Units: 3})
		}, []uint64{3, 7}},
		"Nothing":      {func(*testing.T, *till, chain.Watched) {}, []uint64{7}},
		"AnotherSwept": {func(t *testing.T, s *till, _ chain.Watched) { s.paidAndSwept(t) }, []uint64{7}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, before, n, clock, _, sweeps := named(t)
			to := s.paidAndSwept(t)
			first := mustHeads(t, before).Final.Number + 1
			s.Mine(2)
			c.then(t, s, to)
			s.Mine(1)
			s.Finalize()
			reader, err := solana.New(solana.Config{
				Profile: s.profile(), Endpoints: []string{n.url(), newNode(t, s.URL()).url()}, Rate: unhurried,
				Sweeps: sweeps, Now: clock.Now,
			})
			if err != nil {
				t.Fatal(err)
			}
			n.forget(first)
			s.readsAgain(t, reader, clock, to, c.want...)
		})
	}
}

// paidAndSwept returns an address that 7 units came to, which were swept; all of that is final.
func (s *till) paidAndSwept(t *testing.T) chain.Watched {
	t.Helper()
	items := []chain.SweepItem{s.deposit(t, s.assets[0], 7)}
	s.Mine(1)
	s.carryOut(t, items, s.mustSign(t, items))
	s.Mine(1)
	s.Finalize()
	return items[0].Address
}

func scanFinal(t *testing.T, r chain.Reader, to chain.Watched) ([]chain.Transfer, error) {
	t.Helper()
	got, _, err := r.Scan(t.Context(), 0, mustHeads(t, r).Final, watching(to))
	return got, err
}

// forget has the node remember nothing before the slot.
func (n *node) forget(first uint64) {
	n.set("getFirstAvailableBlock", always(strconv.FormatUint(first, 10)))
	n.set("getSignaturesForAddress", func(_, result json.RawMessage) json.RawMessage {
		var list []json.RawMessage
		if json.Unmarshal(result, &list) != nil {
			return result
		}
		kept, err := json.Marshal(slices.DeleteFunc(list, func(one json.RawMessage) bool {
			var of struct{ Slot uint64 }
			return json.Unmarshal(one, &of) == nil && of.Slot < first
		}))
		if err != nil {
			return result
		}
		return kept
	})
}
