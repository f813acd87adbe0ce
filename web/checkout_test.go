package web

import (
	"bufio"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

var asForm = []string{
	"Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "same-origin", "Accept",
	"text/html",
}

func TestCheckoutWithoutScripts(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	p := b.newPayment(m)
	path := "/pay?txnid=" + string(p.ID)
	b.run(t, []scenario{
		{name: "choose", method: "GET", path: path, status: 200, want: []string{"Nordlicht", "49.9", "POLYGON", "BEP20"}, not: []string{`value="SOL"`}},
		{
			name: "start", method: "POST", path: "/pay/" + string(p.ID) + "/start?lang=de",
			body: "network=POLYGON&token=USDC", header: asForm, status: 303,
		},
	})
	started := b.ask("POST", "/pay/"+string(p.ID)+"/start?lang=de", "network=POLYGON&token=USDC", asForm...)
	if to := started.header.Get("Location"); to != "/pay?txnid="+string(p.ID)+"&lang=de" {
		t.Errorf("after the start: %s", to)
	}
	p, err := b.payments.Get(t.Context(), string(p.ID))
	must(t, err)
	route, _ := p.Route()
	t.Run("Waiting", func(t *testing.T) {
		b.run(t, []scenario{
			{name: "send", method: "GET", path: path, status: 200, want: []string{string(route.Address.Address), "ethereum:0x3c49", "<svg"}},
			{name: "cancel step", method: "GET", path: path + "&view=cancel", status: 200, want: []string{"/cancel"}},
			{name: "find step", method: "GET", path: path + "&view=find", status: 200, want: []string{`name="hash"`}},
			{
				name: "older browser", method: "POST", path: "/pay/" + string(p.ID) + "/start",
				body: "network=POLYGON&token=USDC", header: []string{
					"Content-Type", "application/x-www-form-urlencoded",
					"Origin", testBaseURL,
				}, status: 303,
			},
			{name: "HEAD", method: "HEAD", path: path, status: 200},
			{name: "unoffered network", method: "POST", path: "/pay/" + string(p.ID) + "/start", body: "network=SOL&token=USDC", header: asForm, status: 422, want: []string{"Nordlicht"}},
			{
				name: "unknown network", method: "POST", path: "/pay/" + string(p.ID) + "/start",
				body: "network=X&token=USDC&view=choose", header: asForm, status: 400,
				want: []string{`data-testid="choose"`, "Choose a network and a token."},
			},
			{name: "receipt before it is paid", method: "GET", path: "/pay/" + string(p.ID) + "/receipt", status: 303},
			{
				name: "from another site", method: "POST", path: "/pay/" + string(p.ID) + "/cancel", body: "x=1",
				header: []string{"Sec-Fetch-Site", "cross-site"}, status: 403,
			},
			{name: "from another origin", method: "POST", path: "/pay/" + string(p.ID) + "/cancel", body: "x=1", header: []string{"Origin", "https://evil.example"}, status: 403},
			{name: "hash that is none", method: "POST", path: "/pay/" + string(p.ID) + "/find", body: "hash=hello", header: asForm, status: 400, want: []string{`value="hello"`}},
			{
				name: "unknown hash", method: "POST", path: "/pay/" + string(p.ID) + "/find",
				body: "hash=" + string(testHash(9)), header: asForm, status: 200,
			},
			{name: "hash missing over REST", method: "POST", path: "/txn/" + string(p.ID) + "/find", body: `{}`, status: 400, want: []string{"hash is required", `"finding":null`}},
			{name: "unknown hash over REST", method: "POST", path: "/txn/" + string(p.ID) + "/find", body: `{"hash":"` + string(testHash(9)) + `"}`, status: 200, want: []string{`"verdict":"not_found"`, `"network":null`}},
		})
	})
	p = b.deposit(p, 20*money.USD, true)
	b.run(t, []scenario{
		{name: "short", method: "GET", path: path, status: 200, want: []string{"29.9"}},
		{
			name: "cancel with money", method: "POST", path: "/pay/" + string(p.ID) + "/cancel", header: asForm,
			body: "x=1", status: 409,
		},
		{name: "find what counts", method: "POST", path: "/txn/" + string(p.ID) + "/find", body: `{"hash":"` + string(p.Hash) + `"}`, status: 200, want: []string{`"verdict":"short"`, `"missing":29.9`, `"network":"POLYGON"`, `"amount":20`}},
	})
	p = b.deposit(p, 29_900_000, true)
	b.run(t, []scenario{
		{name: "paid", method: "GET", path: path, status: 200, want: []string{"https://shop.example/thanks?cart=7&amp;status=completed&amp;txnid=" + string(p.ID)}},
		{name: "receipt", method: "GET", path: "/pay/" + string(p.ID) + "/receipt", status: 200, want: []string{string(p.Hash), "49.9"}},
		{
			name: "start again", method: "POST", path: "/pay/" + string(p.ID) + "/start",
			body: "network=BASE&token=USDC", header: asForm, status: 409,
		},
		{name: "unknown payment", method: "GET", path: "/pay?txnid=" + unknownTxn, status: 404, want: []string{"<html"}},
		{name: "no payment", method: "GET", path: "/pay", status: 400, want: []string{"<html"}},
		{name: "front page", method: "GET", path: "/", status: 200, want: []string{"<html"}},
	})
	expired := b.expire(b.newPayment(m))
	b.run(t, []scenario{{name: "expired", method: "GET", path: "/pay?txnid=" + string(expired.ID), status: 200, not: []string{"POLYGON"}}})
}

func TestNothingAMerchantWritesIsMarkup(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	p, err := b.payments.Create(t.Context(), payment.CreateInput{KeyID: m.key.ID, Amount: "5", Details: payment.Details{
		Description: `<script>alert(1)</script>`, Reference: `"><img src=x onerror=alert(1)>`,
	}}, audit.Act{})
	must(t, err)
	b.run(t, []scenario{{
		name: "markup", method: "GET", path: "/pay?txnid=" + string(p.ID), status: 200,
		not: []string{"<script>alert", "<img src=x"}, want: []string{"&lt;script&gt;"},
	}})
}

func TestPageHeaders(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	path := "/pay?txnid=" + string(b.newPayment(b.newMerchant(5)).ID)
	first, second := b.ask("GET", path, ""), b.ask("GET", path, "", "Accept-Language", "ar")
	nonce := regexp.MustCompile(`'nonce-([\w-]+)'`)
	one, two := nonce.FindStringSubmatch(first.header.Get("Content-Security-Policy")), nonce.FindStringSubmatch(second.header.Get("Content-Security-Policy"))
	if one == nil || two == nil || one[1] == two[1] || !strings.Contains(first.body, `nonce="`+one[1]+`"`) {
		t.Errorf("nonces %v and %v", one, two)
	}
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "X-Frame-Options": "DENY",
		"Cache-Control":             "no-store, no-transform",
		"Strict-Transport-Security": "max-age=63072000", "Content-Type": "text/html; charset=utf-8",
	} {
		if got := first.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if first.header.Get("Set-Cookie") != "" {
		t.Error("the checkout sets a cookie")
	}
	if !strings.Contains(second.body, `dir="rtl"`) || second.header.Get("Content-Language") != "ar" {
		t.Error("the page does not speak Arabic")
	}
	zipped := b.ask("GET", path, "", "Accept-Encoding", "br, gzip;q=0.8")
	if zipped.header.Get("Content-Encoding") != "gzip" {
		t.Fatal("the page is not compressed")
	}
	z, err := gzip.NewReader(strings.NewReader(zipped.body))
	must(t, err)
	plain, err := io.ReadAll(z)
	must(t, err)
	if !strings.Contains(string(plain), "Nordlicht") {
		t.Error("the compressed page is another one")
	}
	if len(zipped.body) > 14<<10 {
		t.Errorf("the page has %d bytes compressed, more than one round trip carries", len(zipped.body))
	}
}

// events reads a stream of server-sent events.
type events struct {
	t *testing.T
	r *bufio.Scanner
}

// next returns the next event that is no heartbeat; ok is false at the end of the stream.
func (e events) next() (name, data string, ok bool) {
	for e.r.Scan() {
		line := e.r.Text()
		switch {
		case strings.HasPrefix(line, "event: "):
			name = line[len("event: "):]
		case strings.HasPrefix(line, "data:"):
			data += strings.TrimPrefix(line[len("data:"):], " ") + "\n"
		case line == "" && name == "beat":
			name, data = "", ""
		case line == "" && name != "":
			return name, data, true
		}
	}
	return "", "", false
}

// openLive opens the stream of a payment, on the page of a campaign if one is given.
func (b *bundle) openLive(srv *httptest.Server, p payment.Payment, shown string, campaign ...string) events {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
	b.t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet,
		srv.URL+"/pay/"+string(p.ID)+"/live?"+url.Values{"shown": {shown}, "campaign": campaign}.Encode(), nil)
	must(b.t, err)
	res, err := srv.Client().Do(r)
	must(b.t, err)
	b.t.Cleanup(func() { _ = res.Body.Close() })
	if media := res.Header.Get("Content-Type"); res.StatusCode != http.StatusOK || media != "text/event-stream" {
		b.t.Fatalf("the stream answers %d %s", res.StatusCode, media)
	}
	return events{b.t, bufio.NewScanner(res.Body)}
}

func TestLivePage(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	srv := httptest.NewServer(b.server.Handler())
	defer srv.Close()
	p := b.start(b.newPayment(b.newMerchant(5)), chain.Polygon)
	live := b.openLive(srv, p, b.tag(p))
	p = b.deposit(p, 20*money.USD, false)
	if name, data, _ := live.next(); name != "stage" || !strings.Contains(data, "<") {
		t.Fatalf("after money was seen: %s %s", name, data)
	}
	b.deposit(p, 30*money.USD, true)
	p = b.deposit(p, 30*money.USD, true)
	for part := ""; !strings.Contains(part, `data-testid="paid"`); part = live.step() {
	}
	b.refundOf(p, "20")
	if part := live.step(); !strings.Contains(part, `data-testid="back"`) {
		t.Errorf("after the merchant asked for a refund: %s", part)
	}
}

func TestStreamsEndWithTheServer(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	srv := httptest.NewServer(b.server.Handler())
	defer srv.Close()
	live := b.openLive(srv, b.newPayment(b.newMerchant(5)), "")
	if _, _, ok := live.next(); !ok {
		t.Fatal("no event came")
	}
	began := time.Now()
	must(t, b.server.Shutdown(t.Context()))
	must(t, b.server.Shutdown(t.Context()))
	if _, _, ok := live.next(); ok {
		t.Error("the stream goes on")
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}

func TestLiveOfAnUnknownPayment(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.run(t, []scenario{{name: "unknown", method: "GET", path: "/pay/" + unknownTxn + "/live", status: 404}})
}
