package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// priced is an answer to POST /create-payment.
type priced struct {
	Code            int
	Message, Reason string
	Transaction     struct {
		Txnid  string
		Amount json.Number
		Price  struct {
			Amount, Currency, Rate, RateAt string
			Sources                        []string
		}
	}
}

// createPriced asks for a payment with a body that follows the key.
func (r *running) createPriced(t *testing.T, fields string) (p priced) {
	t.Helper()
	r.post(t, "/create-payment", `{"apiKey":"`+r.Demo.Key+`",`+fields+`}`, &p)
	return p
}

func (r *running) post(t *testing.T, path, body string, into any) {
	t.Helper()
	res, err := http.Post(r.BaseURL+path, "application/json", strings.NewReader(body))
	testkit.Must(t, err)
	defer func() { _ = res.Body.Close() }()
	raw, _ := io.ReadAll(res.Body)
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%s: %v: %s", path, err, raw)
	}
}

// feed presses a button of the sandbox's price feeds, and waits until its chains and the rates have followed.
func (r *running) feed(t *testing.T, act, price string, done func(priced) bool) priced {
	t.Helper()
	res, err := http.PostForm(r.BaseURL+"/sandbox/feeds", url.Values{"act": {act}, "price": {price}})
	testkit.Must(t, err)
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("feeds %s: %s", act, res.Status)
	}
	var p priced
	testkit.Until(t, patience, "the feeds "+act, func() bool {
		p = r.createPriced(t, `"price":{"amount":"30.50","currency":"EUR"}`)
		return done(p)
	})
	return p
}

// A price in euros is worth what the price feeds on the chains say, and is refused when they disagree, stop, or are far
// from the reference rates.
func TestPriceInEuros(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir())
	p := r.createPriced(t, `"price":{"amount":"30.50","currency":"EUR"}`)
	x := p.Transaction
	if p.Code != 200 || x.Amount != "35.42636" || x.Price.Rate != "1.16152" || x.Price.Amount != "30.50" ||
		x.Price.Currency != "EUR" || len(x.Price.Sources) != 4 {
		t.Fatalf("a price of 30.50 EUR: %+v", p)
	}
	if at, err := time.Parse(time.RFC3339, x.Price.RateAt); err != nil || time.Since(at).Abs() > time.Minute {
		t.Errorf("the rate is of %s: %v", x.Price.RateAt, err)
	}
	for name, act := range map[string][2]string{
		"disagree": {"disagree", "its sources disagree"}, "stop": {"stop", "it needs 2 sources and has 0"},
		"move": {"move", "its sources are too far from the reference rate"},
	} {
		got := r.feed(t, act[0], "1.21", func(p priced) bool { return strings.Contains(p.Message, act[1]) })
		if got.Code != 503 || got.Reason != "rate_unavailable" || !strings.Contains(got.Message, "EUR") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := r.createPriced(t, `"amount":12.5`); got.Code != 200 {
		t.Errorf("an amount in dollars while there is no rate: %+v", got)
	}
	mended := r.feed(t, "move", "1.17", func(p priced) bool { return p.Code == 200 && p.Transaction.Price.Rate == "1.17" })
	if mended.Transaction.Amount != "35.685" {
		t.Errorf("at another rate: %+v", mended)
	}
	var kept struct{ Transaction map[string]any }
	res, err := http.Get(r.BaseURL + "/orders/" + x.Txnid)
	testkit.Must(t, err)
	defer func() { _ = res.Body.Close() }()
	if err := json.NewDecoder(res.Body).Decode(&kept); err != nil || kept.Transaction["price"] == nil {
		t.Errorf("the first payment has kept its price: %v, %v", kept, err)
	}
}

// On a phone the payer sees both amounts and the rate, in the numbers of the language, before and after they choose how
// to pay, by day and by night.
func TestPriceOnAPhone(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir())
	for lang, want := range map[string][]string{
		"de": {"30,50\u00a0€ = 35,42636\u00a0USDC", "1\u00a0€ = 1,16152\u00a0USD"},
		"ar": {"30.50\u00a0€ = 35.42636\u00a0USDC", "1\u00a0€ = 1.16152\u00a0USD"},
	} {
		for scheme, light := range map[string]browser.Option{"light": browser.Light, "dark": browser.Dark} {
			name := lang + "-" + scheme
			p := r.createPriced(t, `"price":{"amount":"30.50","currency":"EUR"}`)
			ctx := browser.New(t, browser.Phone, browser.Language(lang), light)
			browser.Run(ctx, t, chromedp.Navigate(r.BaseURL+"/pay?txnid="+p.Transaction.Txnid))
			browser.Screenshot(ctx, t, "price-choose-"+name)
			browser.Axe(ctx, t)
			var price, rate string
			browser.Run(ctx, t, choose("POLYGON", "USDC"), chromedp.WaitVisible(testID("waiting")),
				chromedp.Text(testID("price"), &price), chromedp.Text(testID("rate"), &rate))
			browser.Screenshot(ctx, t, "price-send-"+name)
			browser.Axe(ctx, t)
			marks := strings.NewReplacer("\u200e", "", "\u200f", "") // of direction
			price, rate = marks.Replace(price), marks.Replace(rate)
			if !strings.Contains(price, want[0]) || !strings.Contains(rate, want[1]) {
				t.Errorf("%s: the page says %q and %q", name, price, rate)
			}
		}
	}
}
