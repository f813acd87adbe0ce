package solana_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/wallet"
)

// rotate gives the till another gas wallet, with funds.
func (s *till) rotate(t *testing.T) {
	t.Helper()
	s.gas, _ = wallet.GenerateSolana()
	s.sender = solana.NewSender(s.reader, solana.SenderConfig{Gas: s.gas, Seed: s.seed})
	s.fill(gasFunds)
}

// TestScan_GasRotated: what several gas wallets swept, one after the other, is found by a reader that runs and by one
// that starts afterwards.
func TestScan_GasRotated(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		s := newTill(t, h)
		s.fill(gasFunds)
		one, two := s.deposit(t, s.assets[0], 5), s.deposit(t, s.assets[0], 7)
		s.Mine(1)
		running := s.coldReader(t, s.URL())
		wantUnits(t, scanWith(t, running, one.Address, two.Address), 5, 7)
		s.carryOut(t, []chain.SweepItem{one}, s.mustSign(t, []chain.SweepItem{one}))
		s.rotate(t)
		s.carryOut(t, []chain.SweepItem{two}, s.mustSign(t, []chain.SweepItem{two}))
		s.Pay(chaintest.Payment{To: one.Address, Asset: s.assets[0], Units: 6})
		s.Mine(1)
		one.Expected = money.UnitsFromUint64(6)
		s.rotate(t)
		s.carryOut(t, []chain.SweepItem{one}, s.mustSign(t, []chain.SweepItem{one}))
		s.Pay(chaintest.Payment{To: two.Address, Asset: s.assets[0], Units: 7})
		s.Mine(1)
		wantUnits(t, scanWith(t, running, one.Address, two.Address), 5, 6, 7, 7)
		s.closed(t, []chain.SweepItem{one})
		wantUnits(t, scanWith(t, s.coldReader(t, s.URL()), one.Address, two.Address), 5, 6, 7, 7)
	})
}

// validity is more slots than a transaction can be included for.
const validity = 150 + 1

// wantWaits fails if another attempt is signed while one can be included.
func (s *till) wantWaits(t *testing.T, items []chain.SweepItem, previous chain.Attempt) {
	t.Helper()
	if a, err := s.sender.Sign(
		t.Context(), items, []chain.Attempt{previous}, time.Now(),
	); !fault.Is(err, fault.Unavailable) {
		t.Errorf("while %s can be included, %s was signed: %v", previous.Tx, a.Tx, err)
	}
}

// rotatedTill is a till whose gas wallet was changed after it had signed a sweep of 5 and 7.
func rotatedTill(t *testing.T, h *harness) (s *till, items []chain.SweepItem, old chain.Attempt) {
	t.Helper()
	s = newTill(t, h)
	s.fill(gasFunds)
	items = []chain.SweepItem{s.deposit(t, s.assets[0], 5), s.deposit(t, s.assets[0], 7)}
	s.Mine(1)
	old = s.mustSign(t, items)
	s.rotate(t)
	s.wantWaits(t, items, old)
	return s, items, old
}

// TestSender_GasRotated: an attempt of the gas wallet of before is judged by its own validity. The new wallet signs
// only when it can never be included.
func TestSender_GasRotated(t *testing.T) {
	t.Parallel()
	t.Run("OldLands", func(t *testing.T) {
		t.Parallel()
		onRuntimes(t, func(t *testing.T, h *harness) {
			s, items, old := rotatedTill(t, h)
			before := s.lamports(t, s.gas.PublicKey())
			wantMoved(t, s.carryOut(t, items, old), items, 5, 7)
			s.wantWaits(t, items, old)
			if after := s.lamports(t, s.gas.PublicKey()); after != before {
				t.Errorf("the new gas wallet holds %d, and held %d", after, before)
			}
		})
	})
	t.Run("OldLandsLate", func(t *testing.T) {
		t.Parallel()
		onRuntimes(t, func(t *testing.T, h *harness) {
			s, items, old := rotatedTill(t, h)
			s.Mine(100)
			s.Finalize()
			s.wantWaits(t, items, old)
			wantMoved(t, s.carryOut(t, items, old), items, 5, 7)
			s.Mine(validity)
			s.Finalize()
			s.wantWaits(t, items, old)
			if got := s.holds(t, s.settlement, s.assets[0]); got != 12 {
				t.Errorf("the settlement wallet holds %d, want 12", got)
			}
		})
	})
	t.Run("OldNeverMined", func(t *testing.T) {
		t.Parallel()
		onRuntimes(t, func(t *testing.T, h *harness) {
			s, items, old := rotatedTill(t, h)
			s.neverMined(t, items, old)
		})
	})
}

// neverMined lets an attempt expire that no block held: the wallet of today signs another, and sending the expired
// bytes again changes nothing.
func (s *till) neverMined(t *testing.T, items []chain.SweepItem, old chain.Attempt) {
	t.Helper()
	s.Mine(validity)
	s.Finalize()
	await(t, "the attempt can never be included", func() bool {
		s.Mine(1)
		seen, err := s.sender.Track(t.Context(), items, []chain.Attempt{old})
		return err == nil && seen.Status == chain.TxDropped
	})
	fresh := s.mustSign(t, items, old)
	wantMoved(t, s.carryOut(t, items, fresh), items, 5, 7)
	_ = s.sender.Broadcast(t.Context(), old) // refused, or taken and never carried out
	s.Mine(1)
	s.Finalize()
	if seen := s.track(t, chain.TxFinal, items, old, fresh); seen.Tx != fresh.Tx {
		t.Errorf("the sweep is final by %s, want %s", seen.Tx, fresh.Tx)
	}
	if got := s.holds(t, s.settlement, s.assets[0]); got != 12 {
		t.Errorf("the settlement wallet holds %d, want 12", got)
	}
}
