package solana_test

import (
	"strings"
	"testing"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
)

// merchant is a settlement wallet whose key the test has, with an account for the first token.
func (s *till) merchant(t *testing.T) (key solanago.PrivateKey, account solanago.PublicKey) {
	t.Helper()
	key = newKey(t)
	mint := s.mints[s.assets[0].Contract]
	s.mustSend([]solanago.Instruction{createATA(s.rich.PublicKey(), key.PublicKey(), mint)})
	s.Mine(1)
	return key, ata(key.PublicKey(), mint)
}

// depositFor is deposit for another settlement wallet.
func (s *till) depositFor(t *testing.T, settlement solanago.PublicKey, units uint64) chain.SweepItem {
	t.Helper()
	i := s.deposit(t, s.assets[0], units)
	i.Settlement = chain.Address(settlement.String())
	return i
}

// unitsOf returns what a token account holds.
func (s *till) unitsOf(t *testing.T, account solanago.PublicKey) string {
	t.Helper()
	var answer struct {
		Value struct {
			Amount string `json:"amount"`
		} `json:"value"`
	}
	call(t, s.URL(), &answer, "getTokenAccountBalance", account.String(), map[string]any{"commitment": "confirmed"})
	return answer.Value.Amount
}

// TestSender_SettlementReassigned: nothing is paid to an associated account of the settlement wallet whose owner
// is another, and other merchants' deposits in the same sweep are moved.
func TestSender_SettlementReassigned(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		s := newTill(t, h)
		s.fill(gasFunds)
		merchant, account := s.merchant(t)
		robbed, good := s.depositFor(t, merchant.PublicKey(), 5), s.deposit(t, s.assets[0], 7)
		s.mustSend([]solanago.Instruction{setOwner(account, merchant.PublicKey(), newKey(t).PublicKey())}, merchant)
		s.Mine(1)
		s.Finalize()
		s.refuses(t, chain.ErrTooLarge, []chain.SweepItem{robbed})
		items := []chain.SweepItem{robbed, good}
		seen := s.carryOut(t, items, s.mustSign(t, items))
		wantMoved(t, seen, items[1:], 7)
		wantUnmoved(t, seen, robbed, "owner")
		if got := s.unitsOf(t, account); got != "0" {
			t.Errorf("the thief's account holds %s", got)
		}
	})
}

// TestSender_SettlementReassignedAfterSigning: the transaction itself fails if the settlement account was given
// away after it was signed.
func TestSender_SettlementReassignedAfterSigning(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		s := newTill(t, h)
		s.fill(gasFunds)
		merchant, account := s.merchant(t)
		items := []chain.SweepItem{s.depositFor(t, merchant.PublicKey(), 5)}
		s.Mine(1)
		s.Finalize()
		a := s.mustSign(t, items)
		s.mustSend([]solanago.Instruction{setOwner(account, merchant.PublicKey(), newKey(t).PublicKey())}, merchant)
		s.Mine(1)
		if err := s.sender.Broadcast(t.Context(), a); err != nil {
			t.Fatal(err)
		}
		s.Mine(1)
		s.Finalize()
		s.track(t, chain.TxReverted, items, a)
		if got := s.unitsOf(t, account); got != "0" {
			t.Errorf("the thief's account holds %s", got)
		}
	})
}

// TestSender_SettlementFrozen: a settlement account that the issuer has frozen does not hold up other merchants.
func TestSender_SettlementFrozen(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		s := newTill(t, h)
		s.fill(gasFunds)
		merchant, account := s.merchant(t)
		stuck, good := s.depositFor(t, merchant.PublicKey(), 5), s.deposit(t, s.assets[0], 7)
		s.mustSend([]solanago.Instruction{freeze(account, s.mints[s.assets[0].Contract], s.rich.PublicKey())})
		s.Mine(1)
		s.Finalize()
		s.refuses(t, chain.ErrTooLarge, []chain.SweepItem{stuck})
		items := []chain.SweepItem{stuck, good}
		seen := s.carryOut(t, items, s.mustSign(t, items))
		wantMoved(t, seen, items[1:], 7)
		wantUnmoved(t, seen, stuck, "frozen")
	})
}

// TestSender_SettlementPrefunded: lamports at the address of a settlement account that does not exist yet do not
// keep it from being created.
func TestSender_SettlementPrefunded(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		s := newTill(t, h)
		s.fill(gasFunds)
		wallet := newKey(t).PublicKey()
		items := []chain.SweepItem{s.depositFor(t, wallet, 5)}
		account := ata(wallet, s.mints[s.assets[0].Contract])
		s.mustSend([]solanago.Instruction{transferSOL(s.rich.PublicKey(), account, s.rent(0))})
		s.Mine(1)
		s.Finalize()
		wantMoved(t, s.carryOut(t, items, s.mustSign(t, items)), items, 5)
		if got := s.unitsOf(t, account); got != "5" {
			t.Errorf("the settlement account holds %s, want 5", got)
		}
	})
}

// wantUnmoved fails unless the item alone was left out, for a reason that contains the word.
func wantUnmoved(t *testing.T, seen chain.SweepOutcome, i chain.SweepItem, word string) {
	t.Helper()
	if len(seen.Unmoved) != 1 || seen.Unmoved[0].Address != i.Address.Address ||
		!strings.Contains(seen.Unmoved[0].Reason, word) {
		t.Errorf("left out: %+v; want %s because of %q", seen.Unmoved, i.Address.Address, word)
	}
}
