package solana_test

import (
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/solana"
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
