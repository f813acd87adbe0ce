package solana_test

import (
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/money"
)

// find returns the sweeps of the items from the slot on.
func (s *till) find(t *testing.T, items []chain.SweepItem, from uint64) []chain.SweepOutcome {
	t.Helper()
	found, err := s.sender.FindSweeps(t.Context(), items, from)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestSender_FindSweeps: what the database does not know to be swept is found by the histories of the accounts, also of
// one that was closed since.
func TestSender_FindSweeps(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	s := newTill(t, h.harness)
	s.fill(gasFunds)
	items := []chain.SweepItem{
		s.deposit(t, s.assets[0], 11), s.deposit(t, s.assets[1], 22), s.deposit(t, s.assets[0], 33),
	}
	s.Mine(1)
	s.Finalize()
	t.Run("Unswept", func(t *testing.T) {
		if found := s.find(t, items, 0); len(found) > 0 {
			t.Errorf("found %+v", found)
		}
	})
	a := s.mustSign(t, items[:2])
	seen := s.carryOut(t, items[:2], a)
	t.Run("Swept", func(t *testing.T) {
		found := s.find(t, items, 0)
		if len(found) != 1 || found[0].Tx != a.Tx || found[0].Status != chain.TxFinal || found[0].Block != seen.Block ||
			found[0].Paid.Cmp(seen.Paid) != 0 {
			t.Fatalf("found %+v, want %s of %+v", found, a.Tx, seen)
		}
		wantMoved(t, found[0], items[:2], 11, 22)
	})
	s.closed(t, items[:1])
	s.Pay(chaintest.Payment{To: items[0].Address, Asset: s.assets[0], Units: 5})
	s.Mine(1)
	s.Finalize()
	items[0].Expected = money.UnitsFromUint64(16) // with what came since
	t.Run("PaidAgain", func(t *testing.T) {
		found := s.find(t, items[:1], 0)
		if len(found) != 1 {
			t.Fatalf("found %+v, want %s", found, a.Tx)
		}
		wantMoved(t, found[0], items[:1], 11)
	})
	t.Run("AfterTheSlot", func(t *testing.T) {
		if found := s.find(t, items, seen.Block.Number+1); len(found) > 0 {
			t.Errorf("found %+v", found)
		}
	})
	t.Run("ElsewhereIsNotSwept", func(t *testing.T) {
		other := items[1]
		other.Settlement = chain.Address(s.rich.PublicKey().String())
		if found := s.find(t, []chain.SweepItem{other}, 0); len(found) > 0 {
			t.Errorf("found %+v", found)
		}
	})
}

// TestSender_FindSweeps_Twice: several sweeps of one address are found in their order.
func TestSender_FindSweeps_Twice(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	s := newTill(t, h.harness)
	s.fill(gasFunds)
	item := s.deposit(t, s.assets[0], 11)
	s.Mine(1)
	items := []chain.SweepItem{item}
	one := s.carryOut(t, items, s.mustSign(t, items))
	s.Pay(chaintest.Payment{To: item.Address, Asset: s.assets[0], Units: 11})
	s.Mine(1)
	two := s.carryOut(t, items, s.mustSign(t, items))
	items[0].Expected = money.UnitsFromUint64(22)
	found := s.find(t, items, 0)
	if len(found) != 2 || found[0].Tx != one.Tx || found[1].Tx != two.Tx {
		t.Fatalf("found %+v, want %s and %s", found, one.Tx, two.Tx)
	}
}

// TestSender_FindSweeps_Endpoints: one of two endpoints cannot invent a sweep, nor can one that has forgotten it.
func TestSender_FindSweeps_Endpoints(t *testing.T) {
	t.Parallel()
	h := newLedger(t)
	s := newTill(t, h.harness)
	s.fill(gasFunds)
	items := []chain.SweepItem{s.deposit(t, s.assets[0], 11)}
	s.Mine(1)
	a := s.mustSign(t, items)
	s.carryOut(t, items, a)
	first, second := newNode(t, s.URL()), newNode(t, s.URL())
	reader, err := solana.New(solana.Config{
		Profile: h.profile(), Endpoints: []string{first.url(), second.url()},
		Rate: unhurried, Sweeps: sweepsOf(t, s.seed),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.sender = solana.NewSender(reader, solana.SenderConfig{Gas: s.gas, Seed: s.seed})
	if found := s.find(t, items, 0); len(found) != 1 || found[0].Tx != a.Tx {
		t.Fatalf("found %+v, want %s", found, a.Tx)
	}
	for name, n := range map[string]*node{"First": first, "Second": second} {
		t.Run(name, func(t *testing.T) {
			n.set("getSignaturesForAddress", always("[]"))
			defer n.set("getSignaturesForAddress", nil)
			if found := s.find(t, items, 0); len(found) > 0 {
				t.Errorf("found %+v, which one endpoint does not have", found)
			}
		})
	}
}
