package web

import (
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/merchant"
)

// warned returns the warnings at a path of an answer, as field: reason.
func (r reply) warned(t *testing.T, path string) string {
	t.Helper()
	list, _ := r.field(t, path).([]any)
	var all []string
	for _, x := range list {
		w, _ := x.(map[string]any)
		field, _ := w["field"].(string)
		reason, _ := w["reason"].(string)
		all = append(all, field+": "+reason)
	}
	return strings.Join(all, "\n")
}

// TestWarnings_Email: no address of a customer stops a sale, whatever it is.
func TestWarnings_Email(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	const left = "customerEmail: no mail server takes this address, so it was left out"
	for email, want := range map[string]string{
		`" ann@shop.example\r\n"`: "ann@shop.example", `"a..b@docomo.ne.jp"`: "a..b@docomo.ne.jp", `"name.@docomo.ne.jp"`: "name.@docomo.ne.jp",
		`"an\u00adn@shop.example"`: "ann@shop.example", `"nobody"`: "", `"Ann <ann@shop.example>"`: "", `"a\u0000@shop.example"`: "",
		`"\u202eann@shop.example"`: "", `"\ud800@shop.example"`: "", `"` + strings.Repeat("x", 300) + `@shop.example"`: "",
	} {
		warning := ""
		if want == "" {
			warning = left
		}
		rest := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":1,"customerEmail":`+email+`}`)
		byGraphQL := b.graphQL(`mutation ($e: String) { payment(apiKey: "`+m.text+`", amount: 1, customerEmail: $e) {
			code transaction { txnid } warnings { field reason } } }`, `{"e":`+email+`}`)
		for name, got := range map[string]struct{ txnid, warnings string }{
			"REST": {rest.text(t, "transaction.txnid"), rest.warned(t, "warnings")},
			"GraphQL": {
				byGraphQL.text(t, "data.payment.transaction.txnid"), byGraphQL.warned(t, "data.payment.warnings"),
			},
		} {
			p, err := b.payments.Get(t.Context(), got.txnid)
			must(t, err)
			if p.CustomerEmail != want || got.warnings != warning {
				t.Errorf("%s: %s is stored as %+q with %q", name, email, p.CustomerEmail, got.warnings)
			}
		}
	}
	for email, warning := range map[string]string{`null`: "", `""`: "", `"  "`: "", `7`: left, `false`: left, `[]`: left, `{}`: left} {
		got := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":1,"customerEmail":`+email+`}`)
		if got.status != 200 || got.warned(t, "warnings") != warning {
			t.Errorf("%s: %d %s", email, got.status, got.start())
		}
	}
}

// TestWarnings_Unknown: a field that is not one is named, on every write and beside a refusal; an answer without
// warnings says nothing of them.
func TestWarnings_Unknown(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(9)
	const unknown = "there is no such field, so it was ignored"
	id, c := string(b.newPayment(m).ID), b.newCampaign(m)
	for _, x := range []struct{ path, body, want string }{
		{"/create-payment", `"amount":1,"order_id":7,"sucessUrl":"x"`, "order_id: " + unknown + "\nsucessUrl: " + unknown + "; did you mean successUrl?"},
		{"/create-payment", `"ammount":1`, "ammount: " + unknown + "; did you mean amount?"}, //nolint:misspell // as sent
		{"/pay", `"txnid":"` + id + `","network":"POLYGON","token":"USDC","chain":"x"`, "chain: " + unknown},
		{"/txn/" + id + "/find", `"hash":"` + string(testHash(3)) + `","note":""`, "apiKey: " + unknown + "\nnote: " + unknown},
		{"/cancel-payment", `"txnid":"` + id + `","reason":"x"`, "reason: " + unknown},
		{"/donate/" + c.Slug + "/pay", `"amount":5,"network":"POLYGON","token":"USDC","email":"x"`, "apiKey: " + unknown + "\nemail: " + unknown},
	} {
		got := b.ask("POST", x.path, `{"apiKey":"`+m.text+`",`+x.body+`}`)
		if said := got.warned(t, "warnings"); said != x.want {
			t.Errorf("%s: %d, warned of %q, want %q", x.path, got.status, said, x.want)
		}
	}
	plain := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":1}`)
	if strings.Contains(plain.body, "warnings") {
		t.Errorf("an answer without warnings: %s", plain.body)
	}
	got := b.graphQL(`mutation ($successUrl: String) { one: payment(apiKey: "`+m.text+`", amount: 1, successUrl: $successUrl) {
		code warnings { field reason } } two: payment(apiKey: "`+m.text+`", amount: 1, customerEmail: "x") { warnings { field } } }`,
		`{"sucessUrl":"https://shop.example/"}`)
	one, two := got.warned(t, "data.one.warnings"), got.warned(t, "data.two.warnings")
	if !strings.HasPrefix(one, "sucessUrl: there is no such variable") || strings.Contains(one, "customerEmail") ||
		!strings.Contains(two, "customerEmail") {
		t.Errorf("GraphQL: %s", got.body)
	}
}

// TestWarnings_Replayed: an answer that is replayed has the warnings of the first, once.
func TestWarnings_Replayed(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	body := `{"apiKey":"` + m.text + `","amount":1,"customerEmail":"x","order_id":7}`
	first := b.ask("POST", "/create-payment", body, "Idempotency-Key", "one")
	again := b.ask("POST", "/create-payment", body, "Idempotency-Key", "one")
	if first.body != again.body || strings.Count(again.warned(t, "warnings"), "\n") != 1 {
		t.Errorf("%s\n%s", first.body, again.body)
	}
}

// refusedMails returns the mails about refused sales of the merchant.
func (b *bundle) refusedMails(m seller) (list []string) {
	b.t.Helper()
	page := testBaseURL + "/dashboard/credits?key=" + m.key.PublicID
	for _, mail := range b.mails.all() {
		if strings.Contains(mail, "\nA customer could not pay") && strings.Contains(mail, page) {
			list = append(list, mail)
		}
	}
	return list
}

// TestRefusedSale: a sale that is refused for credits is mailed to the owners at once, whichever way the customer came.
func TestRefusedSale(t *testing.T) {
	for name, sell := range map[string]func(*bundle, seller) reply{
		"API": func(b *bundle, m seller) reply {
			return b.graphQL(`mutation { startPolygonPayment(txnid: "`+string(b.newPayment(m).ID)+`", token: USDC) { code } }`, "")
		},
		"CheckoutPage": func(b *bundle, m seller) reply { return b.startOnPage(string(b.newPayment(m).ID)) },
		"Donation": func(b *bundle, m seller) reply {
			return b.ask("POST", "/donate/"+b.newCampaign(m).Slug+"/pay", giftOfFive)
		},
		"Link": func(b *bundle, m seller) reply {
			slug := "l-" + strings.ToLower(string(testID(b.clock.Now())))
			_, err := b.campaigns.CreateLink(b.t.Context(), m.key.ID, campaign.LinkDraft{Slug: slug, Amount: "5"},
				audit.Act{})
			must(b.t, err)
			to := b.postForm("/link/"+slug, nil).header.Get("Location")
			return b.startOnPage(to[len("/pay?txnid="):][:26])
		},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(t *testing.T, b *bundle) {
				for credits, left := range map[int64]string{0: "none left", 10: "10 left"} {
					m := b.newMerchant(credits)
					if refused := sell(b, m); credits == 10 && (name == "API" || name == "CheckoutPage") {
						continue // the reserve is for these
					} else if refused.status != 402 && !strings.Contains(refused.body, `"code":402`) {
						t.Fatalf("it was not refused for credits: %d %s", refused.status, refused.body)
					}
					if got := b.refusedMails(m); len(got) != 1 || !strings.Contains(got[0], left) {
						t.Errorf("with %d credits the owner was mailed %q", credits, got)
					}
				}
			})
		})
	}
}

func (b *bundle) startOnPage(txnid string) reply {
	b.t.Helper()
	return b.ask("POST", "/pay/"+txnid+"/start", "network=POLYGON&token=USDC", asForm...)
}

// TestRefusedSale_OnceADay: however many sales are refused, on however many instances, the owners have one mail a day.
func TestRefusedSale_OnceADay(t *testing.T) {
	onEach(t, func(t *testing.T, b *bundle) {
		m := b.newMerchant(0)
		other := merchant.New(b.store.Merchant(), nil, b.clock.Now, merchant.Options{Mail: newWriter(testBaseURL)})
		outbox := b.newOutbox(b.mails)
		refuse := func() {
			for range 3 {
				b.startOnPage(string(b.newPayment(m).ID))
				must(t, other.SaleRefused(t.Context(), m.key.ID))
			}
			sendDue(t, outbox)
		}
		for _, step := range []struct {
			after time.Duration
			want  int
		}{{0, 1}, {time.Hour, 1}, {22 * time.Hour, 1}, {time.Hour, 2}, {time.Minute, 2}, {25 * time.Hour, 3}} {
			b.clock.advance(step.after)
			refuse()
			if got := b.refusedMails(m); len(got) != step.want {
				t.Fatalf("%s later: %d mails, want %d", step.after, len(got), step.want)
			}
		}
	})
}

// TestRefusedSale_ServerDown: the mail is sent when the mail server is back.
func TestRefusedSale_ServerDown(t *testing.T) {
	onEach(t, func(t *testing.T, b *bundle) {
		m := b.newMerchant(0)
		b.mails.stop(true)
		b.startOnPage(string(b.newPayment(m).ID))
		if got := b.refusedMails(m); len(got) != 0 {
			t.Fatalf("sent %+v while the server is down", got)
		}
		b.mails.stop(false)
		b.clock.advance(time.Hour)
		b.startOnPage(string(b.newPayment(m).ID))
		if got := b.refusedMails(m); len(got) != 1 {
			t.Errorf("%d mails when the server is back, want 1", len(got))
		}
	})
}
