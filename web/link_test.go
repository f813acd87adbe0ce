package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

func TestPayLink(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(15)
	link := func(in campaign.LinkDraft) string {
		in.Slug = "l-" + strings.ToLower(string(testID(b.clock.Now())))
		l, err := b.campaigns.CreateLink(t.Context(), m.key.ID, in, audit.Act{})
		must(t, err)
		return "/link/" + l.Slug
	}
	fixed := link(campaign.LinkDraft{Description: "A bag of coffee", Reference: "bag-500", Amount: "12.5"})
	b.ask("GET", fixed, "").wants(t, 200, "A bag of coffee", "12.50")
	made := b.postForm(fixed, url.Values{"amount": {"0.01"}})
	if made.status != 303 || !strings.HasPrefix(made.header.Get("Location"), "/pay?txnid=") {
		t.Fatalf("%d to %q", made.status, made.header.Get("Location"))
	}
	p, err := b.payments.Get(t.Context(), made.header.Get("Location")[len("/pay?txnid="):][:26])
	must(t, err)
	if p.Amount != 12_500_000 || p.Reference != "bag-500" || p.Description != "A bag of coffee" ||
		p.Status != payment.Pending || b.balance(m) != 15 {
		t.Errorf("made %+v", p)
	}
	open := link(campaign.LinkDraft{Min: "2", Max: "10"})
	for amount, status := range map[string]int{
		"2": 303, "10": 303, "1.99": 422, "10.01": 422, "": 422, "NaN": 422,
		"-3": 422, "1e400": 422,
	} {
		if r := b.postForm(open, url.Values{"amount": {amount}}); r.status != status {
			t.Errorf("%q: %d %s", amount, r.status, plainText(r.body))
		}
	}
	b.ask("GET", open, "").wants(t, 200, "Between 2.00\u00a0USD and 10.00\u00a0USD.")
	if r := b.ask("GET", link(campaign.LinkDraft{}), ""); strings.Contains(r.body, `data-testid="bounds"`) {
		t.Error("bounds are shown though none are set")
	}
	for typed, want := range map[string]string{
		"": "Type an amount", "ten": "Type an amount", "5.1234567": "Type an amount", "0": "smallest amount",
		"1,99":  "smallest amount",
		"10.01": "largest amount", "1,000": "largest amount", "99999999999999999999": "largest amount",
	} {
		r := b.postForm(open, url.Values{"amount": {typed}})
		if !strings.Contains(plainText(r.body), want) || !strings.Contains(r.body, `value="`+typed+`"`) {
			t.Errorf("%q: it is not said that %s, or what was typed is gone: %s", typed, want, plainText(r.body))
		}
	}
	for typed, want := range map[string]money.Micros{
		"en 2,50": 2_500_000, "de 2,50": 2_500_000,
		"ar \u0665\u066b\u0665": 5_500_000, "hi $\u096d": 7_000_000,
	} {
		lang, amount, _ := strings.Cut(typed, " ")
		r := b.postForm(open+"?lang="+lang, url.Values{"amount": {amount}})
		r.wants(t, 303)
		_, id, _ := strings.Cut(r.header.Get("Location"), "txnid=")
		if p, err := b.payments.Get(t.Context(), id[:26]); err != nil || p.Amount != want {
			t.Errorf("%s is read as %s, %v", typed, p.Amount, err)
		}
	}
	t.Run("Closed", func(t *testing.T) {
		b.postForm(open, url.Values{"amount": {"5"}}, "Sec-Fetch-Site", "cross-site").wants(t, 403)
		b.postForm("/link/unknown-one", nil).wants(t, 404)
		b.ask("GET", "/link/unknown-one", "", "Accept", "text/html").wants(t, 404, "<html")
		must(t, b.campaigns.PauseLink(t.Context(), []int64{m.key.ID}, fixed[len("/link/"):], true, audit.Act{}))
		b.ask("GET", fixed, "").wants(t, 200, `data-testid="closed"`)
		b.postForm(fixed, nil).wants(t, 409, `data-testid="closed"`)
	})
}
