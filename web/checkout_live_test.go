package web

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
)

// TestLivePage_Again: a browser whose stream broke off names the step that it shows, in the address of the stream or
// as the id of the last event, and is sent the step of the payment as it is now. The page was loaded with the address,
// showed the money, and a reorg took the money back while nothing reached it.
func TestLivePage_Again(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	srv := httptest.NewServer(b.server.Handler())
	defer srv.Close()
	p := b.start(b.newPayment(b.newMerchant(5)), chain.Polygon)
	loaded := b.stage(p)
	live := b.openLive(srv, p, loaded)
	if name, _, _ := live.next(); name != "status" {
		t.Fatalf("the first event is %q", name)
	}
	other := b.start(b.newPayment(b.newMerchant(5)), chain.Polygon)
	seen := b.stage(b.deposit(other, 20*money.USD, false))
	if seen == loaded {
		t.Fatalf("both steps are called %q", seen)
	}
	if first := b.reopened(srv, p, loaded, seen); first != "stage" {
		t.Errorf("a page that shows the money is sent %q, want the step with the address", first)
	}
	if first := b.reopened(srv, p, seen, ""); first != "stage" {
		t.Errorf("a page that was opened with the money is sent %q, want the step with the address", first)
	}
	if first := b.reopened(srv, p, seen, loaded); first != "status" {
		t.Errorf("a page that shows the address is sent %q, want its live line", first)
	}
}

// TestLivePage_NamesSteps: each step that is sent has its name as the id of the event.
func TestLivePage_NamesSteps(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	srv := httptest.NewServer(b.server.Handler())
	defer srv.Close()
	p := b.start(b.newPayment(b.newMerchant(5)), chain.Polygon)
	res, err := srv.Client().Get(srv.URL + "/pay/" + string(p.ID) + "/live?stage=x")
	must(t, err)
	defer res.Body.Close()
	text := bufio.NewReader(res.Body)
	var read strings.Builder
	for !strings.Contains(read.String(), "event: stage\n") {
		line, err := text.ReadString('\n')
		if err == io.EOF {
			break
		}
		must(t, err)
		read.WriteString(line)
	}
	if want := "id: " + b.stage(p) + "\n"; !strings.Contains(read.String(), want) {
		t.Errorf("the stream begins with %q, want %q", read.String(), want)
	}
}

// stage is the name of the step that the page of a payment shows.
func (b *bundle) stage(p payment.Payment) string {
	b.t.Helper()
	shown, err := b.server.presenter.Props(b.t.Context(), p, views.Page{Lang: "en"}, checkout.ViewNow)
	must(b.t, err)
	return shown.Stage()
}

// reopened is the first event of a stream that a browser opens again: stage is in its address, last the id of the
// last event that it was sent.
func (b *bundle) reopened(srv *httptest.Server, p payment.Payment, stage, last string) string {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet,
		srv.URL+"/pay/"+string(p.ID)+"/live?"+url.Values{"stage": {stage}}.Encode(), nil)
	must(b.t, err)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	res, err := srv.Client().Do(r)
	must(b.t, err)
	defer res.Body.Close()
	first, _, _ := events{b.t, bufio.NewScanner(res.Body)}.next()
	return first
}
