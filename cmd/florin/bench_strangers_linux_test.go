package main_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit"
)

const (
	// mostBeside is how much longer a payer may wait while strangers do what they may.
	mostBeside = 1.5
	// strangers each have an address in a network of its own, and payersOfPhase pay while they are at it.
	strangers     = 40
	payersOfPhase = 10
	payerEvery    = time.Second
)

// benchStrangers measures how much longer payers wait for their page and for their money to be seen while strangers at
// 40 addresses look for payments, open pages, sign in and have links to new passwords sent: five requests a second in
// all, and five each.
func benchStrangers(b *testing.B) {
	b.Helper()
	// Addresses of this machine are clients here, not proxies.
	f := openBenched(b, nil, "FLORIN_TRUSTED_PROXIES=192.0.2.0/24")
	defer f.stop(b, syscall.SIGTERM)
	known, err := f.life(dial(b, f.server))
	testkit.Must(b, err)
	quiet := f.payers(b)
	fmt.Printf("%-34s page %v p50, %v worst; completed %v p50, %v worst after it was sent\n", "payers alone",
		quiet.page(50), quiet.page(100), quiet.paid(50), quiet.paid(100))
	for _, pause := range []time.Duration{strangers * time.Second / 5, time.Second / 5} {
		attacked, count := f.beside(b, known.txnid, pause)
		slower := float64(attacked.paid(50)) / float64(quiet.paid(50))
		reportf(b, slower <= mostBeside,
			"%-34s page %v p50, %v worst; completed %v p50, %v worst: %.2f times slower (at most %.1f)",
			fmt.Sprintf("beside %.0f requests a second", float64(count)/(payersOfPhase*payerEvery.Seconds())),
			attacked.page(50), attacked.page(100), attacked.paid(50), attacked.paid(100), slower, mostBeside)
	}
}

// payerWaits are how long payers waited, the shortest first.
type payerWaits struct{ pages, payments []time.Duration }

func (w payerWaits) page(percent int) time.Duration {
	return at(w.pages, percent).Round(time.Millisecond / 10)
}

func (w payerWaits) paid(percent int) time.Duration {
	return at(w.payments, percent).Round(time.Millisecond)
}

func at(all []time.Duration, percent int) time.Duration { return all[(len(all)-1)*percent/100] }

// beside measures payers while strangers each do something after every pause, and returns how much that was.
func (f *benched) beside(b *testing.B, txnid string, pause time.Duration) (w payerWaits, count int64) {
	b.Helper()
	ctx, stop := context.WithCancel(b.Context())
	var done atomic.Int64
	var all sync.WaitGroup
	for i := range strangers {
		d := net.Dialer{Timeout: dialLimit, LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, byte(10+i), 7)}}
		c := &http.Client{Transport: &http.Transport{DialContext: d.DialContext}}
		all.Go(func() {
			defer c.CloseIdleConnections()
			for n := i; ; n++ { // not all at the same moment
				select {
				case <-ctx.Done():
					return
				case <-time.After(pause * time.Duration(1+n%2) * 2 / 3):
				}
				if err := f.stranger(ctx, c, n, txnid); err != nil && ctx.Err() == nil {
					b.Error(err)
					return
				}
				done.Add(1)
			}
		})
	}
	w = f.payers(b)
	stop()
	all.Wait()
	return w, done.Load()
}

// dialFrom is dial from an address of this machine.
func dialFrom(s *server, from net.IP) (*client, error) {
	d := net.Dialer{Timeout: dialLimit, LocalAddr: &net.TCPAddr{IP: from}}
	conn, err := d.DialContext(context.Background(), "tcp4", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, in: bufio.NewReaderSize(conn, 8<<10)}, nil
}

// stranger does one of the things that anybody may do. What it is answered does not matter.
func (f *benched) stranger(ctx context.Context, c *http.Client, n int, txnid string) error {
	path, kind, body := "/signin", "application/x-www-form-urlencoded", "email=merchant%40example.com&password=wrong"
	switch n % 5 {
	case 0, 1:
		path, kind = "/txn/"+txnid+"/find", "application/json"
		body = fmt.Sprintf(`{"hash":"0x%064x"}`, rand.Uint64())
	case 2:
		path, kind, body = "/cancel-payment", "application/json", `{"txnid":"01ARZ3NDEKTSV4RRFFQ69G5FAV"}`
	case 3:
		path = "/forgot"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.server.url+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	answer, err := c.Do(r)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // it is over
	}
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return errors.Join(err, answer.Body.Close())
}

// payers pay one after the other. Each loads the page of the payment first.
func (f *benched) payers(b *testing.B) (w payerWaits) {
	b.Helper()
	var mu sync.Mutex
	var waiting sync.WaitGroup
	c := dial(b, f.server)
	for i := range payersOfPhase {
		next := time.After(payerEvery)
		p, err := f.life(c)
		testkit.Must(b, err)
		browser, err := dialFrom(f.server, net.IPv4(127, 0, 200, byte(1+i)))
		testkit.Must(b, err)
		begun := time.Now()
		if status, answer, err := browser.get("/orders/" + p.txnid); err != nil || status != http.StatusOK {
			b.Fatalf("the payment is answered %d %.200s, %v", status, answer, err)
		}
		page := time.Since(begun)
		f.chains[0].pay(b, f.chains[0].token("USDC"), p.address, 1250)
		sent := time.Now()
		waiting.Go(func() {
			defer browser.conn.Close()
			for time.Since(sent) < patience {
				status, answer, err := browser.get("/orders/" + p.txnid)
				if err != nil || status != http.StatusOK {
					b.Errorf("the payment is answered %d %.200s, %v", status, answer, err)
					return
				}
				if fieldOf(answer, "status") == "COMPLETED" {
					mu.Lock()
					defer mu.Unlock()
					w.pages, w.payments = append(w.pages, page), append(w.payments, time.Since(sent))
					return
				}
				time.Sleep(time.Second / 5)
			}
			b.Errorf("%s is not completed after %s", p.txnid, patience)
		})
		<-next
	}
	waiting.Wait()
	if b.Failed() {
		b.FailNow()
	}
	slices.Sort(w.pages)
	slices.Sort(w.payments)
	return w
}
