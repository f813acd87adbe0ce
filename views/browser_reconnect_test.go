package views_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/static"
	"github.com/florinpay/florin/views/checkout"
)

// broken is the stream of a payment that breaks off twice while its money is seen and vanishes again.
type broken struct {
	t     testing.TB
	mu    sync.Mutex
	shown []string // the steps that the page said it shows, one for each time it opened the stream
}

// turn notes what the page says it shows, and counts how often it came.
func (s *broken) turn(r *http.Request) (shown string, times int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown = r.Header.Get("Last-Event-ID")
	if shown == "" {
		shown = r.URL.Query().Get("shown")
	}
	s.shown = append(s.shown, shown)
	return shown, len(s.shown)
}

func (s *broken) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	shown, times := s.turn(r)
	if times == 2 {
		http.Error(w, "not now", http.StatusServiceUnavailable) // then the page opens a new stream
		return
	}
	p := sampleNamed(s.t, "waiting")
	if times == 1 {
		p = sampleNamed(s.t, "confirming")
	}
	event, html, next := liveEvent(s.t, p, shown)
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "retry: 10\n\nid: %s\nevent: %s\ndata: %s\n\n", next, event,
		strings.ReplaceAll(html, "\n", "\ndata: "))
	w.(http.Flusher).Flush()
	if times > 1 {
		<-r.Context().Done()
	}
}

// TestReconnectInBrowser: a page that was sent a step, and whose stream breaks off, says which step it shows when it
// opens the stream again, however it does. After a reorg it shows the address again.
func TestReconnectInBrowser(t *testing.T) {
	t.Parallel()
	live := &broken{t: t}
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("/pay", func(w http.ResponseWriter, r *http.Request) {
		if err := checkout.Pay(sampleNamed(t, "waiting")).Render(r.Context(), w); err != nil {
			t.Error(err)
		}
	})
	mux.HandleFunc("/pay/{txnid}/now", unchanged)
	mux.Handle("/pay/{txnid}/live", live)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	ctx := browser.New(t, browser.Phone, browser.ReducedMotion, browser.AllowError(`status of 503`))
	addressAgain := `document.getElementById("announce").textContent === "Waiting for your payment" && ` +
		`!!document.querySelector('` + test("copy-address") + `')`
	browser.Run(ctx, t, chromedp.Navigate(server.URL+"/pay"),
		chromedp.Poll(addressAgain, nil, chromedp.WithPollingTimeout(reloadTime)))
	live.mu.Lock()
	defer live.mu.Unlock()
	waiting, seen := sampleNamed(t, "waiting"), sampleNamed(t, "confirming")
	if want := []string{
		tagOf(waiting), tagOf(seen), tagOf(seen),
	}; strings.Join(live.shown, " ") != strings.Join(want, " ") {
		t.Errorf("the page says it shows %q, want %q", live.shown, want)
	}
}
