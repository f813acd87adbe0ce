package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/money"
)

// order is a payment and what its payer sent.
type order struct {
	txnid   string
	network *network
	token   string
	amount  money.Micros
	address string
	sent    []transfer
}

// transfer is a transaction of a payer.
type transfer struct {
	tx     string
	token  string
	amount money.Micros
}

// pay starts a payer at every pace, and returns when the time is over and all have ended.
func (l *lab) pay(ctx context.Context) {
	var payers sync.WaitGroup
	defer payers.Wait()
	pace := time.NewTicker(l.pace)
	defer pace.Stop()
	for number := uint64(1); ; number++ {
		select {
		case <-ctx.Done():
			return
		case <-pace.C:
		}
		payers.Go(func() {
			if err := l.shop(ctx, l.random(number)); err != nil && ctx.Err() == nil {
				l.fail(fmt.Errorf("payer %d: %w", number, err))
			}
		})
	}
}

// fail records what must not happen.
func (l *lab) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures = append(l.failures, err)
	l.sayf("FAILED: %v", err)
}

// shop opens an order and pays it in a random way.
func (l *lab) shop(ctx context.Context, rng *rand.Rand) error {
	o := &order{
		network: l.networks[rng.IntN(len(l.networks))], token: []string{usdt, usdc}[rng.IntN(2)],
		amount: money.Micros(1+rng.IntN(5_000)) * cent * 2,
	}
	if err := l.begin(ctx, o); err != nil || o.address == "" {
		return err
	}
	for _, t := range plan(rng, o) {
		pause(ctx, time.Duration(rng.IntN(4_000))*time.Millisecond)
		tx, err := o.network.pay(ctx, t.token, o.address, t.amount)
		if err != nil {
			return fmt.Errorf("pay %s on %s: %w", o.txnid, o.network.name, err)
		}
		t.tx = tx
		l.mu.Lock()
		o.sent = append(o.sent, t)
		l.mu.Unlock()
	}
	return nil
}

const (
	cent = money.USD / 100
	// sweepDust is what stays on a deposit address.
	sweepDust = 5 * cent
)

// plan lists what a payer sends.
func plan(rng *rand.Rand, o *order) []transfer {
	exact := transfer{token: o.token, amount: o.amount}
	other := usdt
	if o.token == usdt {
		other = usdc
	}
	switch rng.IntN(12) {
	case 0: // nothing
		return nil
	case 1: // too little
		return []transfer{{token: o.token, amount: o.amount / 2}}
	case 2: // too much
		return []transfer{{token: o.token, amount: o.amount + 7*cent}}
	case 3: // in two parts
		return []transfer{{token: o.token, amount: o.amount / 2}, {token: o.token, amount: o.amount - o.amount/2}}
	case 4: // the other token
		return []transfer{{token: other, amount: o.amount}}
	case 5: // a counterfeit, then money
		return []transfer{{token: counterfeit, amount: o.amount}, exact}
	case 6: // dust around it
		return []transfer{{token: o.token, amount: 10}, exact, {token: other, amount: 10}}
	case 7: // twice
		return []transfer{exact, exact}
	}
	return []transfer{exact}
}

// begin creates and starts the payment. While the program is down or cannot read the network, it tries again; the
// order has no address if the time ends before.
func (l *lab) begin(ctx context.Context, o *order) error {
	var made struct {
		Transaction struct{ TxnID string }
	}
	if err := l.insist(ctx, "/create-payment", map[string]any{
		"apiKey": l.key, "amount": float64(o.amount) / float64(money.USD),
	}, &made); err != nil || ctx.Err() != nil {
		return err
	}
	o.txnid = made.Transaction.TxnID
	l.mu.Lock()
	l.orders = append(l.orders, o)
	l.mu.Unlock()
	var started struct {
		Transaction struct {
			Wallet struct{ Address string }
		}
	}
	err := l.insist(
		ctx, "/pay", map[string]any{"txnid": o.txnid, "network": o.network.name, "token": o.token}, &started,
	)
	l.mu.Lock()
	defer l.mu.Unlock()
	o.address = started.Transaction.Wallet.Address
	return err
}

// insist posts until the program answers with success, or the time is over, which is no error.
func (l *lab) insist(ctx context.Context, path string, body, into any) error {
	for ctx.Err() == nil {
		var answer struct {
			Message string
		}
		status, err := l.program.do(ctx, http.MethodPost, path, body, into)
		switch {
		case err != nil, status == http.StatusServiceUnavailable, status == http.StatusTooManyRequests:
			pause(ctx, time.Second) // it is down, or does not offer the network at present
		case status == http.StatusOK:
			return nil
		case status == http.StatusConflict, status == http.StatusGone:
			return nil // the payment ended before the network was offered again
		default:
			_, _ = l.program.do(ctx, http.MethodPost, path, body, &answer)
			return fmt.Errorf("%s answers %d: %s", path, status, answer.Message)
		}
	}
	return nil
}

// pause waits, at most until the context ends.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
