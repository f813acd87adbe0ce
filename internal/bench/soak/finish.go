package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/money"
)

// finish waits until everything that was begun has ended, and compares the program with the chains.
func (l *lab) finish(ctx context.Context) error {
	l.sayf("no payer comes and no fault happens any more: %d payments", len(l.orders))
	ctx, cancel := context.WithTimeout(ctx, paymentTTL+longestEnd)
	defer cancel()
	ended := make(map[string]int)
	for _, o := range l.orders {
		if err := l.payRest(ctx, o); err != nil {
			return err
		}
	}
	for _, o := range l.orders {
		status, err := l.await(ctx, o)
		if err != nil {
			return err
		}
		ended[status]++
	}
	l.sayf("payments: %v", ended)
	for _, check := range []func(context.Context) error{l.settled, l.reconciled, l.verified} {
		if err := l.until(ctx, check); err != nil {
			return err
		}
	}
	return errors.Join(l.failures...)
}

// payRest lets a payer who paid too little pay the rest, while the payment waits for it: its time was extended by more
// than the run can wait.
func (l *lab) payRest(ctx context.Context, o *order) error {
	var stands money.Micros
	for _, t := range o.sent {
		_, ok, err := o.network.included(ctx, t.tx)
		if err != nil {
			return err
		}
		if ok && t.token == o.token {
			stands += t.amount
		}
	}
	if stands == 0 || stands >= o.amount {
		return nil
	}
	rest := transfer{token: o.token, amount: o.amount - stands}
	var err error
	rest.tx, err = o.network.pay(ctx, rest.token, o.address, rest.amount)
	o.sent = append(o.sent, rest)
	return err
}

// until repeats a check until it succeeds or the time is over.
func (l *lab) until(ctx context.Context, check func(context.Context) error) error {
	for {
		err := check(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		pause(ctx, 5*time.Second)
		if ctx.Err() != nil {
			return err
		}
	}
}

// shown is a payment as the program shows it.
type shown struct {
	Transaction struct {
		Status    string
		ExpiresAt time.Time
	}
}

// await waits until a payment has ended and the receiver knows, and checks how it ended.
func (l *lab) await(ctx context.Context, o *order) (status string, err error) {
	var got shown
	err = l.until(ctx, func(ctx context.Context) error {
		code, err := l.program.do(ctx, http.MethodGet, "/orders/"+o.txnid, nil, &got)
		if err != nil || code != http.StatusOK {
			return errors.Join(fmt.Errorf("payment %s: status %d", o.txnid, code), err)
		}
		status = got.Transaction.Status
		switch status {
		case "COMPLETED", "EXPIRED":
		default:
			return fmt.Errorf("payment %s on %s is still %s", o.txnid, o.network.name, status)
		}
		return l.reported(ctx, o.txnid, strings.ToLower(status))
	})
	if err != nil {
		return "", err
	}
	return status, o.check(ctx, got)
}

// refusals is how often the receiver must have refused a payment's webhook for its next attempt to be due after the end
// of the run.
const refusals = 3

// reported checks that the receiver knows how a payment ended: by a webhook or, if it refused that too often to be
// asked again within the run, by the feed of events, as a merchant catches up.
func (l *lab) reported(ctx context.Context, txnid, status string) error {
	if l.heard(txnid, status) {
		return nil
	}
	l.mu.Lock()
	refused := l.refused[txnid]
	l.mu.Unlock()
	if refused < refusals {
		return fmt.Errorf("no webhook reported that payment %s is %s", txnid, status)
	}
	for after := ""; ; {
		var page struct {
			Events    []struct{ Data webhookBody }
			NextAfter string
		}
		code, err := l.program.do(ctx, http.MethodGet, "/events?limit=100&after="+after, nil, &page)
		if err != nil || code != http.StatusOK {
			return errors.Join(fmt.Errorf("events: status %d", code), err)
		}
		for _, e := range page.Events {
			if e.Data.TxnID == txnid && e.Data.Status == status {
				return nil
			}
		}
		if page.NextAfter == after || len(page.Events) == 0 {
			return fmt.Errorf("%d webhooks were refused, and no event says that payment %s is %s", refused, txnid, status)
		}
		after = page.NextAfter
	}
}

func (l *lab) heard(txnid, status string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.received[txnid][status]
}

// check compares how a payment ended with what its payer sent. Money that a reorganization took away may count or
// not: a payment never completes with less than was sent, nor expires with enough on the chain in time.
func (o *order) check(ctx context.Context, got shown) error {
	var sent, inTime money.Micros
	for _, t := range o.sent {
		if t.token != o.token {
			continue
		}
		sent += t.amount
		at, ok, err := o.network.included(ctx, t.tx)
		if err != nil {
			return err
		}
		if ok && !at.After(got.Transaction.ExpiresAt) {
			inTime += t.amount
		}
	}
	status := got.Transaction.Status
	if status == "COMPLETED" && sent < o.amount || status != "COMPLETED" && inTime >= o.amount {
		return fmt.Errorf("payment %s of %s %s on %s is %s: %s were sent, of which %s came in time",
			o.txnid, o.amount, o.token, o.network.name, status, sent, inTime)
	}
	return nil
}

// settled checks that all money is in the settlement wallets, but for specks.
func (l *lab) settled(ctx context.Context) error {
	var total money.Micros
	for _, n := range l.networks {
		for _, token := range []string{usdt, usdc} {
			want, left, err := l.arrived(ctx, n, token)
			if err != nil {
				return err
			}
			got, err := n.balance(ctx, token, n.wallet)
			if err != nil {
				return err
			}
			if got+left != want {
				return fmt.Errorf("%s: %s %s were sent, %s are in the wallet and %s on deposit addresses",
					n.name, want, token, got, left)
			}
			total += got
		}
	}
	l.sayf("settled: %s dollars", total)
	return nil
}

// arrived sums what payers sent in transactions that are on the chain, and what of it lies on deposit addresses.
func (l *lab) arrived(ctx context.Context, n *network, token string) (sent, left money.Micros, err error) {
	for _, o := range l.orders {
		if o.network != n || len(o.sent) == 0 {
			continue
		}
		for _, t := range o.sent {
			if t.token != token {
				continue
			}
			_, ok, err := n.included(ctx, t.tx)
			if err != nil {
				return 0, 0, err
			}
			if ok {
				sent += t.amount
			}
		}
		lies, err := n.balance(ctx, token, o.address)
		if err != nil {
			return 0, 0, err
		}
		if lies >= sweepDust {
			return 0, 0, fmt.Errorf("%s %s of payment %s are still on %s on %s", lies, token, o.txnid, o.address, n.name)
		}
		left += lies
	}
	return sent, left, nil
}

// reconciled runs `florin reconcile`.
func (l *lab) reconciled(ctx context.Context) error { return l.clean(ctx, "reconcile") }

// verified runs `florin verify-ledger`.
func (l *lab) verified(ctx context.Context) error { return l.clean(ctx, "verify-ledger") }

func (l *lab) clean(ctx context.Context, command string) error {
	out, err := l.program.call(ctx, "", command)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	l.sayf("florin %s: %s", command, strings.TrimSpace(out))
	return nil
}
