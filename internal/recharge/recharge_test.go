package recharge_test

import (
	"context"
	"errors"
	"log/slog"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/storetest"
)

func TestBuy(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		stop := w.mining()
		q := w.request(7)
		r, err := w.service().Buy(t.Context(), q, patient, audit.Act{})
		w.must(err)
		if r.State != recharge.Credited || w.queries() != 7 || w.earned() != "0.35" {
			t.Errorf("%s, %d queries, the treasury holds %s", r.State, w.queries(), w.earned())
		}
		// The same request again, as after a lost answer, continues the stored recharge.
		again, err := w.service().Buy(t.Context(), q, patient, audit.Act{})
		w.must(err)
		if again.Bytes.Tx != r.Bytes.Tx || w.queries() != 7 || w.earned() != "0.35" {
			t.Errorf("again: %s, %d queries, the treasury holds %s", again.Bytes.Tx, w.queries(), w.earned())
		}
		// Of two at once, one waits for the other; they share no nonce.
		results := make(chan recharge.Recharge, 2)
		for range 2 {
			go func() {
				r, err := w.service().Buy(t.Context(), w.request(2), patient, audit.Act{})
				if err != nil {
					t.Error(err)
				}
				results <- r
			}()
		}
		one, two := <-results, <-results
		if one.State != recharge.Credited || two.State != recharge.Credited || one.Bytes.Nonce == two.Bytes.Nonce ||
			w.queries() != 11 {
			t.Errorf("two at once: %s and %s, nonces %d and %d, %d queries", one.State, two.State, one.Bytes.Nonce, two.Bytes.Nonce, w.queries())
		}
		stop()
		w.balanced()
	})
}

// A program that stops keeps no caller waiting: the recharge is open, and the next program continues it.
func TestBuy_Stopping(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	s, q := w.service(), w.request(3)
	s.StopWaiting()
	r, err := s.Buy(t.Context(), q, 24*time.Hour, audit.Act{}) // no block is mined
	w.must(err)
	if r.State != recharge.Signed || w.queries() != 0 {
		t.Errorf("%s, %d queries before the transfer is final", r.State, w.queries())
	}
	stop := w.mining()
	defer stop()
	if r, err = w.service().Buy(t.Context(), q, patient, audit.Act{}); err != nil || r.State != recharge.Credited ||
		w.queries() != 3 {
		t.Errorf("continued: %s, %v, %d queries", r.State, err, w.queries())
	}
}

// A purchase that cannot be paid is refused before anything is signed.
func TestBuy_Refusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	behind := w.network(w.remit)
	behind.Ready = func() error { return fault.New(fault.Unavailable, "behind") }
	mine := w.network(w.remit)
	mine.Treasury = w.wallet
	for name, row := range map[string]struct {
		network *recharge.Network
		units   int64
		want    fault.Kind
	}{
		"none":             {w.network(w.remit), 0, fault.Invalid},
		"negative":         {w.network(w.remit), -1, fault.Invalid},
		"too many":         {w.network(w.remit), recharge.MaxUnits + 1, fault.Invalid},
		"not enough USDT":  {w.network(w.remit), 21, fault.PaymentRequired},
		"not offered":      {nil, 1, fault.Unprocessable},
		"to oneself":       {mine, 1, fault.Unprocessable},
		"network is blind": {behind, 1, fault.Unavailable},
	} {
		_, err := recharge.New(w.store.Settlement(), row.network, w.now, silent()).Buy(
			t.Context(), w.request(row.units), patient, audit.Act{},
		)
		if !fault.Is(err, row.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Without native coin for gas.
	rest := new(big.Int).Sub(big.NewInt(1e18), big.NewInt(5e13))
	faucet := devchain.FaucetAddress()
	_, err := w.chain.Send(t.Context(), w.owner, devchain.Tx{To: &faucet, Value: rest, Gas: 21_000})
	w.must(err)
	w.finalize()
	_, err = w.service().Buy(t.Context(), w.request(1), patient, audit.Act{})
	if !fault.Is(err, fault.PaymentRequired) {
		t.Errorf("without gas: %v", err)
	}
	if _, ok, err := w.store.Settlement().RechargeOf(t.Context(), w.wallet); ok || err != nil {
		t.Errorf("something was stored: %v", err)
	}
}

// Only a transfer from the merchant's registered wallet, of the network's token and within the gas price limit, is
// signed and stored.
func TestBuy_Signs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	free := w.signed(1)
	var tx types.Transaction
	w.must(tx.UnmarshalBinary(free.Bytes.Raw))
	base := new(big.Int).Rsh(new(big.Int).Sub(tx.GasFeeCap(), tx.GasTipCap()), 1)
	least := new(big.Int).Add(base, tx.GasTipCap())
	between := new(big.Int).Add(least, new(big.Int).Rsh(base, 1))
	capped, err := sender.NewTransfers(w.reader, money.NewUnits(between)).Sign(t.Context(), w.private, free.Transfer)
	w.must(err)
	w.must(tx.UnmarshalBinary(capped.Raw))
	if tx.GasFeeCap().Cmp(between) != 0 || tx.To().Cmp(common.HexToAddress(string(w.asset.Contract))) != 0 {
		t.Errorf("the limit is %s wei a unit of gas; the transfer offers %s, to %s", between, tx.GasFeeCap(), tx.To())
	}
	other := w.request(1)
	other.PrivateKey = secret.New(strings.Repeat("12", 32))
	token := w.network(w.remit)
	token.Asset.Contract = treasury
	for name, row := range map[string]struct {
		network *recharge.Network
		q       recharge.Request
		want    fault.Kind
	}{
		"another's key": {w.network(w.remit), other, fault.Internal},
		"another token": {token, w.request(1), fault.Internal},
		"gas too dear": {
			w.network(sender.NewTransfers(w.reader, money.NewUnits(new(big.Int).Sub(least, big.NewInt(1))))),
			w.request(1),
			fault.Unavailable,
		},
	} {
		if b, err := row.network.Chain.Sign(t.Context(), row.q.PrivateKey, chain.TokenTransfer{
			Asset: row.network.Asset, From: w.wallet, To: treasury, Amount: free.Transfer.Amount,
		}); fault.KindOf(err) != row.want || len(b.Raw) > 0 {
			t.Errorf("%s: %d bytes, %v", name, len(b.Raw), err)
		}
	}
}

// The loop completes a recharge whose process crashed after storing the bytes, or after broadcasting them, and credits
// it once, on whichever instance.
func TestCrash(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		before := w.signed(3)
		w.round() // broadcasts
		w.finalize()
		// Two instances track it at the same time.
		w.clock.Pass(15 * time.Second)
		done := make(chan error, 2)
		for range 2 {
			go func() { done <- w.service().RunOnce(t.Context()) }()
		}
		for range 2 {
			w.must(<-done)
		}
		w.wants("died before broadcast", before, recharge.Credited, 3)
		// The process dies after the broadcast and before it is recorded.
		after := w.signed(4)
		w.must(w.remit.Broadcast(t.Context(), after.Bytes))
		w.finalize()
		w.round()
		w.round()
		if w.state(after) != recharge.Credited || w.queries() != 7 || w.earned() != "0.35" {
			t.Errorf("died after broadcast: %s, %d queries, the treasury holds %s", w.state(after), w.queries(), w.earned())
		}
		w.balanced()
	})
}

// killed is a database that dies instead of committing the credit.
type killed struct{ recharge.Store }

func (killed) UpdateRecharge(
	context.Context, recharge.ID, func(recharge.Recharge) recharge.Change,
) (recharge.Recharge, error) {
	return recharge.Recharge{}, errDied
}

func TestCrash_BeforeCredit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	r := w.broadcast(2)
	w.finalize()
	w.clock.Pass(15 * time.Second)
	dying := recharge.New(killed{w.store.Settlement()}, w.network(w.remit), w.now, silent())
	if err := dying.RunOnce(t.Context()); err == nil || w.queries() != 0 {
		t.Fatalf("%v, %d queries", err, w.queries())
	}
	w.round()
	w.round()
	w.wants("in the end", r, recharge.Credited, 2)
}

// A recharge that is open on a network no longer configured is logged once. Without a treasury nothing is sold, and
// recharges sold before are still credited.
func TestNetworkRemoved(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		logged := func() string {
			var log strings.Builder
			s := recharge.New(w.store.Settlement(), nil, w.now, slog.New(slog.NewJSONHandler(&log, nil)))
			w.must(s.WarnUntracked(t.Context()))
			return log.String()
		}
		if log := logged(); log != "" {
			t.Errorf("without open recharges the log says %s", log)
		}
		r := w.signed(2)
		if log := logged(); strings.Count(log, "\n") != 1 || !strings.Contains(log, `"level":"WARN"`) || !strings.Contains(log, `"recharges":1`) {
			t.Errorf("with one open recharge the log says %s", log)
		}
		w.clock.Pass(30 * time.Minute)
		stuck, err := w.store.Reports().Stuck(t.Context(), w.now(), 0)
		w.must(err)
		problems, err := w.store.Reports().Problems(t.Context(), w.now(), 0)
		w.must(err)
		if stuck.Recharges != 1 || len(problems.Recharges) != 1 || problems.Recharges[0].Tx != r.Bytes.Tx ||
			problems.Recharges[0].Email != "ada@shop.example" {
			t.Errorf("the reports show %+v, %+v", stuck, problems.Recharges)
		}

		network := w.network(w.remit)
		network.Treasury = ""
		s := recharge.New(w.store.Settlement(), network, w.now, silent())
		if _, err := s.Buy(t.Context(), w.request(1), 0, audit.Act{}); !errors.Is(err, recharge.ErrNotOffered) {
			t.Errorf("sold without a treasury: %v", err)
		}
		w.must(s.RunOnce(t.Context()))
		w.finalize()
		w.clock.Pass(15 * time.Second)
		w.must(s.RunOnce(t.Context()))
		if w.state(r) != recharge.Credited || w.queries() != 2 || w.earned() != "0.1" {
			t.Errorf("%s, %d queries, the treasury holds %s", w.state(r), w.queries(), w.earned())
		}
		if stuck, err = w.store.Reports().Stuck(t.Context(), w.now(), 0); err != nil || stuck.Recharges != 0 {
			t.Errorf("after it was credited the report shows %+v, %v", stuck, err)
		}
	})
}
