package web

import (
	"fmt"
	"net"
	"runtime"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/web/shell"
)

// An open page must cost at most 40 KB, so that one process holds 20,000. The
// test runs alone: it counts everything the process holds.
//
//nolint:paralleltest // it counts the memory of the whole process
func TestOpenPagesAreSmall(t *testing.T) {
	rates := shell.DefaultRates()
	rates.PaymentStreams = rates.AllStreams // one change wakes them all
	b := newBundleWith(t, Options{BaseURL: testBaseURL, CheckoutURL: testBaseURL, Rates: rates})
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	go func() { _ = b.server.Serve(l) }()
	p := b.start(b.newPayment(b.newMerchant(5)), chain.Polygon)
	const pages = 400
	before, goroutines := inUse(), runtime.NumGoroutine()
	for range pages {
		c, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
		must(t, err)
		defer func() { _ = c.Close() }()
		_, err = fmt.Fprintf(c, "GET /pay/%s/live?shown=x HTTP/1.1\r\nHost: pay.example\r\nUser-Agent: %s\r\nAccept: text/event-stream\r\n\r\n",
			p.ID, strings.Repeat("Mozilla ", 20))
		must(t, err)
	}
	eventually(t, "all pages open", func() bool { return b.server.hub.Count() == pages })
	b.deposit(p, 20*money.USD, true)
	eventually(t, "no worker left", b.server.hub.Idle)
	if each := (inUse() - before) / pages; each > 40<<10 {
		t.Errorf("an open page holds %d bytes", each)
	}
	if more := runtime.NumGoroutine() - goroutines; more > pages/2 {
		t.Errorf("%d goroutines for %d pages", more, pages)
	}
	must(t, b.server.Shutdown(t.Context()))
}

// inUse is the memory that heap and stacks take from the system.
func inUse() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}
