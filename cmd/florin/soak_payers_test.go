package main_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit"
)

// pay starts a payer at every pace, and returns when the time is over and all have ended.
func (s *soak) pay(t *testing.T, ctx context.Context) {
	t.Helper()
	var payers sync.WaitGroup
	defer payers.Wait()
	pace := time.NewTicker(min(2*time.Second, *soakFor/50))
	defer pace.Stop()
	for number := uint64(1); ; number++ {
		select {
		case <-ctx.Done():
			return
		case <-pace.C:
			payers.Go(func() { s.visit(t, ctx, rand.New(rand.NewPCG(*soakSeed, number))) })
		}
	}
}

// visit opens a payment and pays it in a random way.
func (s *soak) visit(t *testing.T, ctx context.Context, random *rand.Rand) {
	t.Helper()
	v := &visit{on: s.networks[random.IntN(len(s.networks))], order: order{
		token: []string{"USDT", "USDC"}[random.IntN(2)], cents: int64(100 + 2*random.IntN(5_000)),
	}}
	plan := v.plan(random)
	created := s.insist(t, ctx, "/create-payment",
		fmt.Sprintf(`{"apiKey":%q,"amount":%d.%02d}`, s.key, v.cents/100, v.cents%100))
	if created == nil {
		return
	}
	v.txnid, _ = created["txnid"].(string)
	s.program.Lock()
	s.visits = append(s.visits, v)
	s.program.Unlock()
	started := s.insist(t, ctx, "/pay",
		fmt.Sprintf(`{"txnid":%q,"network":%q,"token":%q}`, v.txnid, v.on.name, v.token))
	if started == nil {
		return
	}
	v.address, _ = started["wallet"].(map[string]any)["address"].(string)
	for _, p := range plan {
		pause(ctx, time.Duration(random.IntN(4_000))*time.Millisecond)
		p.tx = v.on.pay(t, p.token, v.address, p.cents)
		v.sent = append(v.sent, p)
	}
}

// worthless is the name of a counterfeit.
const worthless = "counterfeit"

// plan lists what a payer sends.
func (v *visit) plan(random *rand.Rand) []sent {
	exact, half := sent{token: v.token, cents: v.cents}, sent{token: v.token, cents: v.cents / 2}
	other := map[string]string{"USDT": "USDC", "USDC": "USDT"}[v.token]
	switch random.IntN(12) {
	case 0: // nothing
		return nil
	case 1: // too little
		return []sent{half}
	case 2: // too much
		return []sent{{token: v.token, cents: v.cents + 7}}
	case 3: // in two parts
		return []sent{half, half}
	case 4: // the other token, which the merchant takes too
		return []sent{{token: other, cents: v.cents}}
	case 5: // a counterfeit, then money
		return []sent{{token: worthless, cents: v.cents}, exact}
	case 6: // dust around it
		return []sent{{token: v.token, cents: 1}, exact, {token: other, cents: 1}}
	case 7: // twice
		return []sent{exact, exact}
	}
	return []sent{exact}
}

var errDown = errors.New("the program is down")

// try makes a request to the program that runs.
func (s *soak) try(ctx context.Context, path, body string) (status int, answer map[string]any, err error) {
	s.program.Lock()
	server, down := s.server, s.down
	s.program.Unlock()
	if down {
		return 0, nil, errDown
	}
	return server.ask(ctx, http.MethodPost, path, body)
}

// insist posts until the program answers with success and returns the payment, or nil if the time is over before, or
// if the payment ended before its network was offered again.
func (s *soak) insist(t *testing.T, ctx context.Context, path, body string) map[string]any {
	t.Helper()
	for ctx.Err() == nil {
		status, answer, err := s.try(ctx, path, body)
		switch {
		case err != nil, status == http.StatusServiceUnavailable, status == http.StatusTooManyRequests:
			pause(ctx, time.Second)
		case status == http.StatusOK:
			payment, _ := answer["transaction"].(map[string]any)
			return payment
		case status == http.StatusConflict, status == http.StatusGone:
			return nil
		default:
			t.Errorf("%s answers %d %v", path, status, answer)
			return nil
		}
	}
	return nil
}

func (r *receiver) setBusy(busy bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy = busy
}

// finish waits until everything that was begun has ended, and compares the program with the chains.
func (s *soak) finish(t *testing.T) {
	t.Helper()
	s.logf(t, "no payer comes and no fault happens any more: %d payments", len(s.visits))
	for _, v := range s.visits {
		v.payRest(t)
	}
	ended := make(map[any]int)
	for _, v := range s.visits {
		ended[s.awaitEnd(t, v)]++
	}
	s.logf(t, "payments: %v", ended)
	for _, n := range s.networks {
		for _, token := range []string{"USDT", "USDC"} {
			s.wantArrived(t, n, token)
		}
	}
	s.logf(t, "every cent is at the merchant")
	eventually(t, "chains and ledger agree", func() bool {
		r := s.installation.run(t, "", "reconcile", "--wait", "100ms")
		return r.status == 0 && strings.HasPrefix(r.stdout, "No differences in ") &&
			strings.Contains(r.stdout, " addresses on 4 networks")
	})
	s.prints(t, "has no differences", "verify-ledger")
}

// payRest lets a payer pay the rest who paid too little, or whose money a reorganization took away, while the payment
// waits for it: its time was extended by more than the test can wait.
func (v *visit) payRest(t *testing.T) {
	t.Helper()
	rest, tried := v.cents, false
	for _, p := range v.sent {
		_, ok, err := v.on.included(p.tx)
		testkit.Must(t, err)
		if p.token != worthless {
			tried = true
			if ok {
				rest -= p.cents
			}
		}
	}
	if tried && rest > 0 {
		v.sent = append(v.sent, sent{v.on.pay(t, v.token, v.address, rest), v.token, rest})
	}
}

// awaitEnd waits until a payment has ended and the merchant knows, and checks how it ended. Money that a
// reorganization took away may count or not: a payment never completes with less than was sent, nor expires with enough
// on the chain in time.
func (s *soak) awaitEnd(t *testing.T, v *visit) (status any) {
	t.Helper()
	var p map[string]any
	defer func() {
		if t.Failed() {
			t.Logf("%+v\nis %v", v, p)
		}
	}()
	eventually(t, "the end of "+v.txnid+" on "+v.on.name, func() bool {
		p = s.status(t, v.txnid)
		status = p["status"]
		return (status == "COMPLETED" || status == "EXPIRED") && s.knows(t, v.txnid, strings.ToLower(status.(string)))
	})
	expires, _ := time.Parse(time.RFC3339, fmt.Sprint(p["expiresAt"]))
	var all, inTime int64
	for _, one := range v.sent {
		if one.token == worthless {
			continue
		}
		at, ok, err := v.on.included(one.tx)
		testkit.Must(t, err)
		all += one.cents
		if ok && !at.After(expires) {
			inTime += one.cents
		}
	}
	if status == "COMPLETED" && all < v.cents || status != "COMPLETED" && inTime >= v.cents {
		t.Errorf("payment %s of %d cents of %s on %s is %v: %d were sent, of which %d came in time",
			v.txnid, v.cents, v.token, v.on.name, status, all, inTime)
	}
	return status
}

// tooOften is how often the receiver must have refused a webhook for its next attempt to be due after minutes.
const tooOften = 2

// knows reports whether the merchant knows how a payment ended: by a webhook or, if his receiver refused that too often
// to be asked again within the test, by the feed of events.
func (s *soak) knows(t *testing.T, txnid, status string) bool {
	t.Helper()
	for _, a := range s.about(txnid) {
		if a.body["status"] == status {
			return true
		}
	}
	s.mu.Lock()
	refused := s.refused[txnid]
	s.mu.Unlock()
	for after, more := any(""), refused >= tooOften; more; {
		code, page, err := s.ask(t.Context(), http.MethodGet, fmt.Sprintf("/events?limit=100&after=%v", after), "",
			"X-Api-Key", s.key)
		if err != nil || code != http.StatusOK {
			t.Fatalf("events: %d %v", code, err)
		}
		list, _ := page["events"].([]any)
		for _, e := range list {
			data, _ := e.(map[string]any)["data"].(map[string]any)
			if data["txnid"] == txnid && data["status"] == status {
				return true
			}
		}
		more = len(list) > 0 && page["nextAfter"] != after
		after = page["nextAfter"]
	}
	return false
}

// wantArrived waits until all money of the token that is on the chain is in the settlement wallet, but for specks on
// deposit addresses.
func (s *soak) wantArrived(t *testing.T, n *soakNetwork, token string) {
	t.Helper()
	const dust = 5
	var want, left, got int64
	eventually(t, token+" on "+n.name+" arrives", func() bool {
		want, left = 0, 0
		for _, v := range s.visits {
			if v.on != n || len(v.sent) == 0 {
				continue
			}
			for _, p := range v.sent {
				if _, ok, err := n.included(p.tx); err != nil {
					t.Fatal(err)
				} else if ok && p.token == token {
					want += p.cents
				}
			}
			lies := n.cents(t, token, v.address)
			if lies >= dust {
				return false
			}
			left += lies
		}
		got = n.cents(t, token, n.settlement)
		return got+left >= want
	})
	if got+left != want {
		t.Errorf("%s: %d cents of %s were sent, %d are in the wallet and %d on deposit addresses",
			n.name, want, token, got, left)
	}
}
