package web

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/testkit/browser"
)

func TestRESTRequests(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(50)
	key := func(rest string) string { return `{"apiKey":"` + m.text + `",` + rest + `}` }
	b.run(t, []scenario{
		{
			name: "no body", method: "POST", path: "/create-payment",
			header: []string{"Content-Type", "application/json"}, status: 400, want: []string{"empty"},
		},
		{name: "no key", method: "POST", path: "/create-payment", body: `{"amount":1}`, status: 401, want: []string{`"code":401`, `"paymentLink":null`}},
		{name: "key null", method: "POST", path: "/create-payment", body: `{"apiKey":null,"amount":1}`, status: 401},
		{name: "key of a wrong type", method: "POST", path: "/create-payment", body: `{"apiKey":7,"amount":1}`, status: 400, want: []string{"apiKey"}},
		{name: "key in a header", method: "POST", path: "/create-payment", body: `{"amount":1}`, header: []string{"x-api-key", m.text}, status: 200},
		{name: "key as api-key", method: "POST", path: "/create-payment", body: `{"amount":1}`, header: []string{"api-key", m.text}, status: 200},
		{name: "key as bearer", method: "POST", path: "/create-payment", body: `{"amount":1}`, header: []string{"Authorization", "bearer " + m.text}, status: 200},
		{name: "key in the body before one of a header", method: "POST", path: "/create-payment", body: key(`"amount":1`), header: []string{"x-api-key", "flk_bad"}, status: 200},
		{name: "six places", method: "POST", path: "/create-payment", body: key(`"amount":12.345678`), status: 200, want: []string{`"amount":12.345678,`}},
		{name: "amount missing", method: "POST", path: "/create-payment", body: key(`"x":1`), status: 400, want: []string{"amount is required"}},
		{name: "amount null", method: "POST", path: "/create-payment", body: key(`"amount":null`), status: 400, want: []string{"amount"}},
		{name: "unknown fields are ignored", method: "POST", path: "/create-payment", body: key(`"amount":1,"more":{"x":[1]}`), status: 200},
		{name: "the last of two counts", method: "POST", path: "/create-payment", body: key(`"amount":1,"amount":2`), status: 200, want: []string{`"amount":2,`}},
		{name: "trailing garbage", method: "POST", path: "/create-payment", body: key(`"amount":1`) + "x", status: 400},
		{name: "two objects", method: "POST", path: "/create-payment", body: key(`"amount":1`) + "{}", status: 400},
		{name: "an array", method: "POST", path: "/create-payment", body: `[1]`, status: 400, want: []string{"object"}},
		{name: "null", method: "POST", path: "/create-payment", body: `null`, status: 400, want: []string{"object"}},
		{name: "not UTF-8", method: "POST", path: "/create-payment", body: key(`"amount":1,"reference":"` + "\xff" + `"`), status: 400, want: []string{"UTF-8"}},
		{name: "unicode", method: "POST", path: "/create-payment", body: key(`"amount":1,"reference":"Ünïcødé 支付 🧾"`), status: 200},
		{name: "a number as reference", method: "POST", path: "/create-payment", body: key(`"amount":1,"reference":5`), status: 200},
		{name: "minutes in a text", method: "POST", path: "/create-payment", body: key(`"amount":1,"expiresInMinutes":"5"`), status: 200},
		{name: "minutes of a wrong type", method: "POST", path: "/create-payment", body: key(`"amount":1,"expiresInMinutes":"soon"`), status: 400, want: []string{"expiresInMinutes"}},
		{name: "minutes beyond all", method: "POST", path: "/create-payment", body: key(`"amount":1,"expiresInMinutes":99999999999`), status: 400, want: []string{"expiresInMinutes is too large"}},
		{name: "minutes below all", method: "POST", path: "/create-payment", body: key(`"amount":1,"expiresInMinutes":-99999999999`), status: 400, want: []string{"expiresInMinutes is too small"}},
		{
			name: "a page beyond all", method: "GET", path: "/events?limit=99999999999999999999",
			header: []string{"x-api-key", m.text}, status: 400, want: []string{"limit must be between"},
		},
		{name: "too large", method: "POST", path: "/create-payment", body: key(`"amount":1,"x":"` + strings.Repeat("a", 64<<10) + `"`), status: 413, want: []string{`"code":413`, "65536"}},
		{name: "GraphQL too large", method: "POST", path: "/graphql", body: `{"query":"{ __typename }","x":"` + strings.Repeat("a", 64<<10) + `"}`, status: 413, want: []string{`"errors":[`}},
		{name: "a form", method: "POST", path: "/create-payment", body: "amount=1", header: []string{"Content-Type", "application/x-www-form-urlencoded"}, status: 415, want: []string{`"code":415`}},
		{name: "a text", method: "POST", path: "/graphql", body: `{"query":"{ __typename }"}`, header: []string{"Content-Type", "text/plain"}, status: 415},
		{name: "no such route", method: "GET", path: "/nothing", status: 404, want: []string{`"code":404`}},
		{name: "wrong method", method: "GET", path: "/create-payment", status: 405, want: []string{`"code":405`}},
		{name: "GraphQL by GET", method: "GET", path: "/graphql?query={__typename}", status: 200},
		{name: "network in lower case", method: "POST", path: "/pay", body: `{"txnid":"` + unknownTxn + `","network":"polygon","token":"USDT"}`, status: 404},
		{name: "network in both cases", method: "POST", path: "/pay", body: `{"txnid":"` + unknownTxn + `","network":"Sol","token":"USDC"}`, status: 404},
		{name: "network missing", method: "POST", path: "/pay", body: `{"txnid":"` + unknownTxn + `"}`, status: 400, want: []string{"network"}},
		{name: "network unknown", method: "POST", path: "/pay", body: `{"txnid":"` + unknownTxn + `","network":"DOGE","token":"USDT"}`, status: 400, want: []string{"network"}},
		{name: "token with space", method: "POST", path: "/pay", body: `{"txnid":"` + unknownTxn + `","network":" base ","token":" usdc "}`, status: 404},
		{name: "token in lower case", method: "POST", path: "/pay", body: `{"txnid":"` + unknownTxn + `","network":"base","token":"usdc"}`, status: 404},
		{name: "token missing", method: "POST", path: "/pay", body: `{"txnid":"` + unknownTxn + `","network":"BASE"}`, status: 400, want: []string{"token"}},
		{name: "token unknown", method: "POST", path: "/pay", body: `{"txnid":"` + unknownTxn + `","network":"BASE","token":"DAI"}`, status: 400, want: []string{"token"}},
		{name: "txnid missing", method: "POST", path: "/pay", body: `{"network":"BASE","token":"USDC"}`, status: 400, want: []string{"txnid"}},
	})
}

// TestRESTRequests_Values: values of a right type that are not allowed.
func TestRESTRequests_Values(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(50)
	key := func(rest string) string { return `{"apiKey":"` + m.text + `",` + rest + `}` }
	b.run(t, []scenario{
		{name: "another currency", method: "POST", path: "/create-payment", body: key(`"amount":1,"currency":"EUR"`), status: 400, want: []string{"currency must be USD"}},
		{name: "currency of a wrong type", method: "POST", path: "/create-payment", body: key(`"amount":1,"currency":7`), status: 400, want: []string{"currency"}},
		{name: "dollars by name", method: "POST", path: "/create-payment", body: key(`"amount":1,"currency":"usd"`), status: 200},
		{name: "dollars with space", method: "POST", path: "/create-payment", body: key(`"amount":1,"currency":" USD\n"`), status: 200},
		{name: "minutes that nobody set", method: "POST", path: "/create-payment", body: key(`"amount":1,"expiresInMinutes":""`), status: 200},
		{name: "a key with what nobody sees", method: "POST", path: "/create-payment", body: `{"apiKey":"\ufeff` + m.text + `\u200b\r\n","amount":1}`, status: 200},
		{name: "currency null", method: "POST", path: "/create-payment", body: key(`"amount":1,"currency":null`), status: 200},
		{name: "GraphQL in another currency", method: "POST", path: "/graphql", body: `{"query":"mutation { payment(apiKey: \"` + m.text + `\", amount: 1, currency: \"JPY\") { code message } }"}`, status: 200, want: []string{`"code":400`, "currency"}},
		{name: "a port beyond all", method: "POST", path: "/create-payment", body: key(`"amount":1,"successUrl":"https://shop.example:99999/x"`), status: 400, want: []string{"successUrl", "port", "99999"}},
		{name: "port 0", method: "POST", path: "/create-payment", body: key(`"amount":1,"cancelUrl":"http://shop.example:0/"`), status: 400, want: []string{"cancelUrl", "port 0"}},
		{name: "a user in a return address", method: "POST", path: "/create-payment", body: key(`"amount":1,"successUrl":"https://me:pw@shop.example/"`), status: 400, want: []string{"successUrl must not hold a user name"}},
		{name: "a port of a page of one's own", method: "POST", path: "/graphql", body: `{"query":"mutation { updateCustodianDetails(input: {apiKey: \"` + m.text + `\", branding: {website: \"https://shop.example:65536/\"}}) { code message } }"}`, status: 200, want: []string{`"code":400`, "website", "65536"}},
		{name: "a port of a callback", method: "POST", path: "/graphql", body: `{"query":"mutation { updateCustodianDetails(input: {apiKey: \"` + m.text + `\", callbackUrl: \"https://shop.example:99999/\"}) { code message } }"}`, status: 200, want: []string{`"code":400`, "callbackUrl", "99999"}},
		{name: "limit of a network", method: "POST", path: "/graphql", body: `{"query":"mutation { updateCustodianDetails(input: {apiKey: \"` + m.text + `\", networks: [{network: BASE}, {network: SOL, minAmount: -1}]}) { code message } }"}`, status: 200, want: []string{`"code":400`, "networks[1].minAmount"}},
		{name: "no private key to revoke with", method: "POST", path: "/graphql", body: `{"query":"mutation { revokeApiKey(apiKey: \"` + m.text + `\", privateKey: \"zz\") { code message } }"}`, status: 200, want: []string{`"code":400`, "privateKey"}},
		{name: "no private key to recharge with", method: "POST", path: "/graphql", body: `{"query":"mutation { rechargeApiKey(apiKey: \"` + m.text + `\", privateKey: \"zz\", unit: 1) { code message } }"}`, status: 200, want: []string{`"code":400`, "privateKey"}},
		{name: "a zone in a return address", method: "POST", path: "/create-payment", body: key(`"amount":1,"successUrl":"http://[fe80::1%25eth0]/"`), status: 400, want: []string{"successUrl", "zone"}},
		{name: "no host of a return address", method: "POST", path: "/create-payment", body: key(`"amount":1,"cancelUrl":"https://shop..example/"`), status: 400, want: []string{"cancelUrl", "host"}},
		{name: "no host of a logo", method: "POST", path: "/graphql", body: `{"query":"mutation { updateCustodianDetails(input: {apiKey: \"` + m.text + `\", branding: {logoUrl: \"https://1.2.3.4.5/\"}}) { code message } }"}`, status: 200, want: []string{`"code":400`, "logoUrl"}},
		{name: "a port of no host", method: "POST", path: "/create-payment", body: key(`"amount":1,"successUrl":"https://:443/x"`), status: 400, want: []string{"successUrl"}},
		{name: "the last port", method: "POST", path: "/create-payment", body: key(`"amount":1,"successUrl":"https://shop.example:65535/x"`), status: 200},
	})
}

// slowForms is a server whose forms take a while, and are answered with nothing that shows a page, or not at all.
type slowForms struct {
	http.Handler

	sent      atomic.Int32
	cut, pass atomic.Bool // otherwise 204
}

func (s *slowForms) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != createPath {
		s.Handler.ServeHTTP(w, r)
		return
	}
	s.sent.Add(1)
	pass, cut := s.pass.Load(), s.cut.Load() // as it came: a browser sends what was cut once more by itself
	time.Sleep(time.Second)
	switch {
	case pass:
		s.Handler.ServeHTTP(w, r)
	case cut:
		panic(http.ErrAbortHandler)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// TestForms_ButtonRests: while a form is on its way, a second click sends nothing. The button is back when there is no
// answer, when it is lost, and when the page is.
func TestForms_ButtonRests(t *testing.T) {
	t.Parallel()
	slow := &slowForms{}
	b, origin := serveDashboardThrough(t, "127.0.0.1", func(h http.Handler) http.Handler {
		slow.Handler = h
		return slow
	})
	m := b.shop(b.member(ownerEmail))
	ctx, cancel := context.WithTimeout(browser.New(t, browser.AllowError("ERR_")), time.Minute)
	defer cancel()
	enterDashboard(ctx, t, origin, ownerEmail)
	const button = "form[action='/dashboard/create'] button.main"
	const rests = `document.querySelector("` + button + `")?.getAttribute("aria-disabled") ?? "no"`
	fill := chromedp.Tasks{
		chromedp.Navigate(origin + createPath), chromedp.WaitVisible("#f-amount"), chromedp.SendKeys("#f-amount", "5"),
	}
	clicks := chromedp.Evaluate(`[1, 2, 3].forEach(() => document.querySelector("`+button+`").click())`, nil)
	var state string
	browser.Run(ctx, t, fill, clicks, chromedp.Sleep(300*time.Millisecond), clicks, chromedp.Evaluate(rests, &state))
	if slow.sent.Load() != 1 || state != "true" {
		t.Fatalf("six clicks sent %d forms; the button rests: %s", slow.sent.Load(), state)
	}
	back := chromedp.Poll(`(`+rests+`) === "no"`, nil, chromedp.WithPollingInterval(100*time.Millisecond),
		chromedp.WithPollingTimeout(15*time.Second))
	browser.Run(ctx, t, back, clicks, chromedp.Sleep(2*time.Second))
	if slow.sent.Load() != 2 {
		t.Fatalf("the button that is back sent %d forms", slow.sent.Load()-1)
	}
	slow.cut.Store(true)
	browser.Run(ctx, t, fill, clicks, chromedp.Sleep(3*time.Second))
	slow.pass.Store(true)
	browser.Run(ctx, t, fill, back, clicks, chromedp.WaitNotPresent(button))
	found, err := b.store.Reports().SearchPayments(t.Context(), report.Query{Keys: []int64{m.key.ID}, Limit: 10})
	must(t, err)
	if len(found.Payments) != 1 {
		t.Errorf("the clicks made %d payments", len(found.Payments))
	}
}
