package solana_test

import (
	"testing"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
)

// closed closes the items' emptied accounts and returns the items that must be looked at again.
func (s *till) closed(t *testing.T, items []chain.SweepItem) []chain.SweepItem {
	t.Helper()
	left, err := s.sender.CloseEmptied(t.Context(), items)
	if err != nil {
		t.Fatal(err)
	}
	s.Mine(1)
	return left
}

func (s *till) accountOf(i chain.SweepItem) solanago.PublicKey {
	return ata(solanago.PublicKey(i.Address.Raw), s.mints[i.Asset.Contract])
}

// TestSender_DustAfterSigning: a unit of dust to a signed deposit account keeps nothing of the batch from being
// moved.
func TestSender_DustAfterSigning(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		s := newTill(t, h)
		s.fill(gasFunds)
		items := []chain.SweepItem{s.deposit(t, s.assets[0], 11), s.deposit(t, s.assets[0], 22)}
		s.Mine(1)
		s.Finalize()
		a := s.mustSign(t, items)
		s.Pay(chaintest.Payment{To: items[0].Address, Asset: s.assets[0], Units: 1})
		s.Mine(1)
		wantMoved(t, s.carryOut(t, items, a), items, 11, 22)
		if left := s.closed(t, items); len(left) != 1 || left[0].Address.Address != items[1].Address.Address {
			t.Errorf("closed %+v", left)
		}
		s.Finalize()
		if !s.exists(t, s.accountOf(items[0])) || s.exists(t, s.accountOf(items[1])) {
			t.Error("only the account without dust is to be closed")
		}
		wantUnits(t, s.scanned(t, items[0].Address, items[1].Address), 1, 11, 22)
	})
}

// TestSender_DustWhileClosing: dust that comes before the closing costs a fee, and the other accounts are closed
// next time.
func TestSender_DustWhileClosing(t *testing.T) {
	t.Parallel()
	s, items := ready(t)
	items = append(items, s.deposit(t, s.assets[0], 9))
	s.Mine(1)
	s.Finalize()
	s.carryOut(t, items, s.mustSign(t, items))
	s.Pay(chaintest.Payment{To: items[0].Address, Asset: s.assets[0], Units: 1}) // first in the next slot
	left := s.closed(t, items)
	if len(left) != 2 || !s.exists(t, s.accountOf(items[1])) {
		t.Fatalf("the closing did not fail: %+v", left)
	}
	s.Finalize()
	if left = s.closed(t, left); len(left) != 1 || s.exists(t, s.accountOf(items[1])) {
		t.Errorf("closed %+v", left)
	}
	s.Finalize()
	if left = s.closed(t, left); len(left) != 0 {
		t.Errorf("still to be closed: %+v", left)
	}
	if got := s.holds(t, solanago.PublicKey(items[0].Address.Raw), s.assets[0]); got != 1 {
		t.Errorf("%d are left, want 1", got)
	}
}

// TestSender_CloseMany: more accounts than fit a transaction are closed by several, and accounts of others not at all.
func TestSender_CloseMany(t *testing.T) {
	t.Parallel()
	s, _ := ready(t)
	var items []chain.SweepItem
	mint := s.mints[s.assets[0].Contract]
	for range 7 {
		i := s.deposit(t, s.assets[1], 1)
		i.Asset = s.assets[0]
		s.mustSend([]solanago.Instruction{createATA(s.rich.PublicKey(), solanago.PublicKey(i.Address.Raw), mint)})
		items = append(items, i)
	}
	s.Mine(1)
	s.Finalize()
	owner := solanago.PublicKey(items[6].Address.Raw)
	s.byOwner(t, items[6], setOwner(s.accountOf(items[6]), owner, newKey(t).PublicKey()))
	s.Finalize()
	left := s.closed(t, items)
	if len(left) != 6 {
		t.Fatalf("%d accounts can be closed, want 6", len(left))
	}
	s.Finalize()
	if left = s.closed(t, left); len(left) != 1 {
		t.Errorf("%d accounts are left after five were closed, want 1", len(left))
	}
	s.Finalize()
	if !s.exists(t, s.accountOf(items[6])) {
		t.Error("an account of another owner was closed")
	}
	other := items[0]
	other.PaymentID = items[1].PaymentID
	if _, err := s.sender.CloseEmptied(t.Context(), []chain.SweepItem{other}); err == nil {
		t.Error("an account of another payment was closed")
	}
}
