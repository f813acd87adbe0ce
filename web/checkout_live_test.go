package web

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
)

// TestLivePage_Again: a browser whose stream broke off names what it shows, in the address of the stream or
// as the id of the last event, and is sent what the payment is now. The page was loaded with the address,
// showed the money, and a reorg took the money back while nothing reached it.
func TestLivePage_Again(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	srv := httptest.NewServer(b.server.Handler())
	defer srv.Close()
	p := b.start(b.newPayment(b.newMerchant(5)), chain.Polygon)
	loaded := b.tag(p)
	other := b.start(b.newPayment(b.newMerchant(5)), chain.Polygon)
	seen := b.tag(b.deposit(other, 20*money.USD, false))
	if seen == loaded {
		t.Fatalf("both steps are called %q", seen)
	}
	if first := b.reopened(srv, p, loaded, seen); first != "stage" {
		t.Errorf("a page that shows the money is sent %q, want the step with the address", first)
	}
	if first := b.reopened(srv, p, seen, ""); first != "stage" {
		t.Errorf("a page that was opened with the money is sent %q, want the step with the address", first)
	}
	stage, _, _ := strings.Cut(loaded, views.TagSeparator)
	if first := b.reopened(srv, p, seen, stage); first != "status" {
		t.Errorf("a page that shows the address is sent %q, want its live line", first)
	}
}

// TestLivePage_NamesSteps: what is sent has its tag as the id. A page that shows everything is sent a heartbeat at
// once, in an event, which shows that the stream comes through.
func TestLivePage_NamesSteps(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	srv := httptest.NewServer(b.server.Handler())
	defer srv.Close()
	p := b.start(b.newPayment(b.newMerchant(5)), chain.Polygon)
	for shown, want := range map[string]string{
		"x": "id: " + b.tag(p) + "\nevent: stage\n", b.tag(p): "event: beat\ndata:\n",
	} {
		res, err := srv.Client().Get(srv.URL + "/pay/" + string(p.ID) + "/live?shown=" + shown)
		must(t, err)
		defer res.Body.Close()
		if got := res.Header.Get("Cache-Control"); got != "no-store, no-transform" {
			t.Errorf("Cache-Control is %q", got)
		}
		text := bufio.NewReader(res.Body)
		retry, err := text.ReadString('\n')
		must(t, err)
		if _, err = text.ReadString('\n'); err != nil || !strings.HasPrefix(retry, "retry: ") {
			t.Fatalf("the stream begins with %q, %v", retry, err)
		}
		read := make([]byte, len(want))
		_, err = io.ReadFull(text, read)
		must(t, err)
		if string(read) != want {
			t.Errorf("a page that shows %s is sent %q, want %q", shown, read, want)
		}
	}
}

// TestNow: a page that asks is answered 304 in a few bytes while it shows everything, and otherwise with what the
// stream would send. The live line alone is sent to a page that shows the step.
func TestNow(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	p := b.start(b.newPayment(b.newMerchant(5)), chain.Polygon)
	path := "/pay/" + string(p.ID) + "/now?lang=en"
	tag := b.tag(p)
	for _, named := range []string{`"` + tag + `"`, `W/"` + tag + `"`} {
		if r := b.ask("GET", path, "", "If-None-Match", named); r.status != 304 || r.body != "" {
			t.Errorf("a page that shows %s is answered %d %q", named, r.status, r.body)
		}
	}
	ask := func(named string) (parts []string, now struct {
		Tag   string
		Parts map[string]string
	},
	) {
		t.Helper()
		r := b.ask("GET", path, "", "If-None-Match", `"`+named+`"`)
		r.wants(t, 200)
		must(t, json.Unmarshal([]byte(r.body), &now))
		if got := r.header.Get("ETag"); got != `"`+now.Tag+`"` {
			t.Errorf("the ETag is %s of %s", got, now.Tag)
		}
		return slices.Sorted(maps.Keys(now.Parts)), now
	}
	stage, _, _ := strings.Cut(tag, views.TagSeparator)
	if parts, now := ask(stage); !slices.Equal(parts, []string{"status"}) || now.Tag != tag {
		t.Errorf("a page that shows the step is sent %q", parts)
	}
	if parts, now := ask(""); !slices.Equal(parts, []string{"stage"}) || !strings.Contains(now.Parts["stage"], `data-testid="qr-plain"`) {
		t.Errorf("a page that shows nothing is sent %q", parts)
	}
	b.deposit(p, p.Amount, true)
	if parts, now := ask(tag); !slices.Equal(parts, []string{"stage"}) || !strings.Contains(now.Parts["stage"], `data-testid="paid"`) {
		t.Errorf("a page whose payment completed is sent %q: %+v", parts, now)
	}
	b.ask("GET", "/pay/"+unknownTxn+"/now", "").wants(t, 404)
}

// tag names what the page of a payment shows.
func (b *bundle) tag(p payment.Payment) string {
	b.t.Helper()
	shown, err := b.server.presenter.Props(b.t.Context(), p, views.Page{Lang: "en"}, checkout.ViewNow)
	must(b.t, err)
	return views.Tag(shown.Parts(nil)...)
}

// reopened is the first event of a stream that a browser opens again: shown is in its address, last the id of the
// last event that it was sent.
func (b *bundle) reopened(srv *httptest.Server, p payment.Payment, shown, last string) string {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet,
		srv.URL+"/pay/"+string(p.ID)+"/live?"+url.Values{"shown": {shown}}.Encode(), nil)
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

// TestLivePage_Reversed: an open page that says "Paid" stays up to date until the network has finalized the money,
// and is notified when a reorg takes it back. There is no receipt then.
func TestLivePage_Reversed(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	srv := httptest.NewServer(b.server.Handler())
	defer srv.Close()
	p := b.start(b.newPayment(b.newMerchant(5)), chain.Polygon)
	live := b.openLive(srv, p, b.tag(p))
	p = b.deposit(p, p.Amount, false)
	live.step()
	block := p.Deposits[0].Transfer.Block
	p = b.view(p, payment.View{
		From: block.Number, To: block.Number, Final: block, Transfers: []chain.Transfer{p.Deposits[0].Transfer},
	})
	if p.Status != payment.Completed {
		t.Fatalf("the payment is %s", p.Status)
	}
	if paid := live.step(); !strings.Contains(paid, `data-testid="paid"`) {
		t.Fatalf("the page is sent %s", paid)
	}
	b.view(p, payment.View{From: block.Number, To: block.Number, Final: block})
	if reversed := live.step(); !strings.Contains(reversed, `data-testid="reversed"`) {
		t.Errorf("after the reorg the page is sent %s", reversed)
	}
	if a := b.ask(http.MethodGet, checkout.ActPath(string(p.ID), "receipt", ""), ""); a.status != http.StatusSeeOther {
		t.Errorf("the receipt answers %d", a.status)
	}
}

// step is the next step that the page is sent; empty when the stream has ended.
func (e events) step() string {
	for {
		name, data, ok := e.next()
		if name == "stage" || !ok {
			return data
		}
	}
}

// view applies what a range of blocks holds for a payment.
func (b *bundle) view(p payment.Payment, v payment.View) payment.Payment {
	b.t.Helper()
	v.Network = p.Choice.Network
	p, err := b.store.UpdatePayment(b.t.Context(), p.ID, func(p payment.Payment) (payment.Change, error) {
		return p.Observe(v, b.clock.Now())
	})
	must(b.t, err)
	return p
}
