package views_test

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/static"
)

// reloadTime bounds the wait for a page of this process to load again on a busy machine.
const reloadTime = time.Minute

// keptStream is less than the minute for which a browser keeps the stream of a page that it keeps for "back".
const keptStream = 40 * time.Second

// TestLeftInBrowser: a page that is left ends its stream at once. Six pages that kept theirs would hold all connections
// that a browser opens to a server over HTTP/1.1, and the seventh would not load.
func TestLeftInBrowser(t *testing.T) {
	t.Parallel()
	pages := samplePages(t, "en")
	opened, ended := make(chan struct{}), make(chan struct{})
	var first sync.Once
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("/waiting", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store") // as the server does
		if err := pages["waiting"].Render(r.Context(), w); err != nil {
			t.Error(err)
		}
	})
	mux.HandleFunc("/shop", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><link rel="icon" href="data:,"><title>Shop</title>`))
	})
	mux.HandleFunc("/pay/{txnid}/now", unchanged)
	mux.HandleFunc("/pay/{txnid}/live", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		first.Do(func() {
			close(opened)
			<-r.Context().Done()
			close(ended)
		})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	ctx := browser.New(t, browser.Phone)
	browser.Run(ctx, t, chromedp.Navigate(server.URL+"/waiting"))
	within := func(c <-chan struct{}, what string) {
		t.Helper()
		select {
		case <-c:
		case <-time.After(keptStream):
			t.Fatal(what)
		}
	}
	within(opened, "the page did not open its stream")
	browser.Run(ctx, t, chromedp.Navigate(server.URL+"/shop"))
	within(ended, "the stream of the page that was left is open")
}
