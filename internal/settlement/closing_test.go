package settlement_test

import (
	"context"
	"errors"
	"testing"
	"time"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/sandbox/devsol"
)

// rentOf returns the lamports of the payment's token account.
func (w *solWorld) rentOf(p payment.Payment) uint64 {
	w.t.Helper()
	account, _, err := solanago.FindAssociatedTokenAddress(
		solanago.PublicKey(p.Routes[0].Address.Raw), w.ledger.Tokens().USDT,
	)
	w.must(err)
	return w.ledger.Balance(account)
}

// TestSweeper_SolanaDust: a unit of dust that comes between signing and inclusion does not keep the money from going
// to the merchant, and emptied accounts are closed later, by a transaction of their own.
func TestSweeper_SolanaDust(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	dusty, clean := w.paid(12*money.USD), w.paid(8*money.USD)
	s := w.sweeper()
	sender := solana.NewSender(w.reader, solana.SenderConfig{Gas: w.solGas, Seed: w.seed})
	failures := 0
	s.CloseEmptied = func(ctx context.Context, items []chain.SweepItem) ([]chain.SweepItem, error) {
		if failures++; failures == 1 {
			return nil, errors.New("the node is down")
		}
		return sender.CloseEmptied(ctx, items)
	}
	w.clock.Pass(2 * time.Minute)
	w.relay.swallows(true)
	w.must(s.RunOnce(t.Context()))
	w.do(w.ledger.Pay(w.ledger.Tokens().USDT, solanago.PublicKey(dusty.Routes[0].Address.Raw), 1))
	w.seal(1)
	w.relay.swallows(false)
	for range 6 {
		w.clock.Pass(31 * time.Second)
		w.must(s.RunOnce(t.Context()))
		w.seal(1 + devsol.DefaultFinalDepth)
	}
	w.wantSwept(dusty, true)
	w.wantSwept(clean, true)
	w.wantHeld(20 * money.USD)
	if w.rentOf(dusty) == 0 || w.rentOf(clean) != 0 {
		t.Errorf("rent of %d and %d is left; only the account with dust is to stay", w.rentOf(dusty), w.rentOf(clean))
	}
}
