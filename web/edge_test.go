package web

import (
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/web/shell"
)

// One address is limited, by address and by key; a program on the same machine is not.
func TestRateLimits(t *testing.T) {
	t.Parallel()
	rates := shell.Rates{
		Client: shell.Rate{PerSecond: 1, Burst: 5}, Key: shell.Rate{PerSecond: 1, Burst: 3},
		Costly: shell.Rate{PerSecond: 1, Burst: 2}, Open: shell.Rate{PerSecond: 0.01, Burst: 1}, Streams: 1,
		NearStreams: 2, PaymentStreams: 2, AllStreams: 2,
	}
	b := newBundleWith(t, Options{BaseURL: testBaseURL, CheckoutURL: testBaseURL, Rates: rates})
	m := b.newMerchant(50)
	p := b.newPayment(m)
	from := func(address string) []string { return []string{"X-Forwarded-For", address} }
	count := func(n int, ask func() reply) (ok int, last reply) {
		for range n {
			if last = ask(); last.status == 200 {
				ok++
			}
		}
		return ok, last
	}
	for name, row := range map[string]struct {
		most int
		ask  func() reply
	}{
		"by address": {5, func() reply { return b.ask("GET", "/orders/"+string(p.ID), "", from("203.0.113.1")...) }},
		"by key": {3, func() reply {
			return b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":1}`, from("203.0.113.2")...)
		}},
		"costly": {2, func() reply {
			return b.ask("POST", "/txn/"+string(p.ID)+"/find", `{"hash":"`+string(testHash(1))+`"}`, from("203.0.113.3")...)
		}},
	} {
		ok, last := count(8, row.ask)
		if ok != row.most || last.status != 429 || last.header.Get("Retry-After") == "" ||
			last.text(t, "code") != "429" {
			t.Errorf("%s: %d went through, then %d %s, Retry-After %q", name, ok, last.status, last.body, last.header.Get("Retry-After"))
		}
	}
	if ok, last := count(50, func() reply { return b.ask("GET", "/orders/"+string(p.ID), "") }); ok != 50 {
		t.Errorf("the same machine: %d of 50, then %s", ok, last.body)
	}
	if ok, _ := count(20, func() reply { return b.ask("GET", "/health", "", from("203.0.113.1")...) }); ok != 20 {
		t.Errorf("health: %d of 20", ok)
	}
	page := b.ask("GET", "/pay?txnid="+string(p.ID), "", "Accept", "text/html", "X-Forwarded-For", "203.0.113.1")
	if page.status != 429 || !strings.Contains(page.body, "<html") {
		t.Errorf("a page over the limit: %d %s", page.status, page.start())
	}
	if again := `href="/pay?txnid=` + string(p.ID) + `" data-testid="again"`; !strings.Contains(page.body, again) {
		t.Errorf("a page over the limit cannot be tried again: %s", page.body)
	}
}

func TestPanicBecomesAnAnswer(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.server.handler.GET("/panic", func(echo.Context) error { panic("canary-in-a-panic") })
	got := b.ask("GET", "/panic", "")
	if got.status != 500 || strings.Contains(got.body, "canary") || !strings.Contains(got.body, got.header.Get("X-Request-Id")) {
		t.Errorf("%d %s", got.status, got.body)
	}
	if log := b.log.String(); strings.Contains(log, "canary-in-a-panic") || !strings.Contains(log, "edge_test.go") {
		t.Error("the log must hold where it happened and not what was said")
	}
}
