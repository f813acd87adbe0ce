package web

import (
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/webhook"
	"github.com/florinpay/florin/views"
)

// letters returns the mails to customers that are due, as they would be sent; each once.
func (b *bundle) letters() (list []mail.Mail) {
	b.t.Helper()
	ctx, now := b.t.Context(), b.clock.Now()
	for more := true; more; {
		claimed, err := webhook.ClaimDue(ctx, b.store.Mails(), "letters", now, now.Add(webhook.Lease), 100, 100)
		must(b.t, err)
		for _, d := range claimed {
			m, err := b.store.Mails().Mail(ctx, d.ID)
			must(b.t, err)
			if m.Kind == mail.Customer {
				var ok bool
				if m, ok, err = b.server.Letter(ctx, m); ok {
					list = append(list, m)
				}
				must(b.t, err)
			}
			must(b.t, b.store.Mails().Settle(ctx, "letters", webhook.Outcome{
				DeliveryID: d.ID, State: webhook.Delivered, Attempt: webhook.Attempt{At: now},
			}))
		}
		more = len(claimed) > 0
	}
	return list
}

// ofCustomer makes a payment of a customer with an address.
func (b *bundle) ofCustomer(m seller, amount string) payment.Payment {
	b.t.Helper()
	p, err := b.payments.Create(b.t.Context(), payment.CreateInput{
		KeyID: m.key.ID, Amount: amount, Details: payment.Details{CustomerEmail: "ada@mail.example", Reference: "NL-7"},
	}, audit.Act{})
	must(b.t, err)
	return p
}

// wantMail fails unless the mail has the texts in it.
func wantMail(t *testing.T, m mail.Mail, texts ...string) {
	t.Helper()
	html, err := LetterHTML(m)
	must(t, err)
	for _, want := range texts {
		if !strings.Contains(m.Subject+"\n"+m.Text.Reveal(), want) {
			t.Errorf("the mail does not say %q:\n%s\n\n%s", want, m.Subject, m.Text.Reveal())
		}
	}
	if !strings.Contains(html, `lang="`+views.LocaleFor(m.Lang).Tag+`"`) || !strings.Contains(html, "prefers-color-scheme: dark") {
		t.Errorf("as HTML it is\n%s", html)
	}
}

// TestLetter: the customer hears what is missing while it can be paid, and gets the receipt, in the language of the
// page that they opened; a receipt has the link by which anybody can check it.
func TestLetter(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(50)
	for _, l := range views.Languages() {
		t.Run(l.Tag, func(t *testing.T) {
			p := b.ofCustomer(m, "10")
			b.ask("GET", "/pay?txnid="+string(p.ID), "", "Accept", "text/html", "Accept-Language", l.Tag)
			p = b.deposit(b.start(p, chain.Polygon), 963*money.USD/100, true)
			list := b.letters()
			if len(list) != 1 {
				t.Fatalf("%d mails about what is missing", len(list))
			}
			locale := views.LocaleFor(l.Tag)
			route, _ := p.Route()
			wantMail(t, list[0], locale.Amount("0.37"), locale.Amount("9.63"), string(route.Address.Address),
				testBaseURL+"/pay?txnid="+string(p.ID)+"&lang="+l.Tag)
			b.deposit(p, 37*money.USD/100, true)
			if list = b.letters(); len(list) != 1 {
				t.Fatalf("%d receipts", len(list))
			}
			link := testBaseURL + "/pay/" + string(p.ID) + "/receipt"
			wantMail(t, list[0], "Nordlicht", "NL-7", "Polygon", locale.Money("10.00", "USDC"), link+"?lang="+l.Tag)
			if got := b.ask("GET", strings.TrimPrefix(link, testBaseURL), "", "Accept", "text/html"); got.status != 200 {
				t.Errorf("the link answers %d", got.status)
			}
			if l.Dir == "rtl" {
				html, _ := LetterHTML(list[0])
				if !strings.Contains(html, `dir="rtl"`) {
					t.Error("the mail runs from left to right")
				}
			}
		})
	}
}

// TestLetter_TooLate: nobody is asked for a rest that cannot be paid any more, or has come.
func TestLetter_TooLate(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	paid := b.deposit(b.start(b.ofCustomer(m, "10"), chain.Polygon), 4*money.USD, true)
	b.deposit(paid, 6*money.USD, true)
	if list := b.letters(); len(list) != 1 || !strings.HasPrefix(list[0].Subject, "Your receipt") {
		t.Errorf("%d mails, the first is %+v", len(list), list)
	}
	expired := b.deposit(b.start(b.ofCustomer(m, "10"), chain.Polygon), 4*money.USD, true)
	b.clock.advance(2 * time.Hour)
	b.expire(expired)
	if list := b.letters(); len(list) != 0 {
		t.Errorf("after the end: %+v", list)
	}
}

// TestLetter_Refund: what becomes of a refund is mailed in the language of the checkout, each once; the link leads to
// the page.
func TestLetter_Refund(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	p := b.ofCustomer(m, "10")
	b.ask("GET", "/pay?txnid="+string(p.ID)+"&lang=de", "", "Accept", "text/html")
	p = b.deposit(b.start(p, chain.Polygon), 12*money.USD, true)
	b.letters()
	id, token := b.requestRefund(m, p, `,"amount":"2"`)
	one := func() mail.Mail {
		t.Helper()
		list := b.letters()
		if len(list) != 1 {
			t.Fatalf("%d mails", len(list))
		}
		return list[0]
	}
	asked := one()
	wantMail(t, asked, "Ihre Erstattung", "2,00\u00a0USDC", testBaseURL+"/refund/"+token+"?lang=de")
	_, err := b.refunds().GiveAddress(t.Context(), token, payerWallet)
	must(t, err)
	wantMail(t, one(), "Wohin Ihre Erstattung geht", payerWallet, "/refund/"+token)
	paid := b.payBack(id)
	b.ask("POST", "/refunds/"+id+"/hash", `{"hash":"`+string(paid.Tx)+`"}`, "x-api-key", m.text)
	wantMail(t, one(), "Ihre Erstattung ist angekommen", payerWallet, string(paid.Tx))
	if left := b.letters(); len(left) > 0 {
		t.Errorf("%d more mails", len(left))
	}
}

// TestLetterHTML: a link is a button that says where it leads, and facts are a table, in languages with a colon of
// their own as well.
func TestLetterHTML(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ lang, text, want string }{
		"named":    {"de", "Zahlung öffnen:\nhttps://pay.example/p", `href="https://pay.example/p">Zahlung öffnen</a>`},
		"chinese":  {"zh", "打开付款：\nhttps://pay.example/p", `href="https://pay.example/p">打开付款</a>`},
		"sentence": {"", "If this was not meant, sign in at once and correct it:\nhttps://pay.example/d", `correct it:</p><p><a class="act" href="https://pay.example/d">Continue</a>`},
		"a fact":   {"", "API key: shop\nhttps://pay.example/d", `API key: shop</p><p><a class="act" href="https://pay.example/d">Continue</a>`},
		"receipt":  {"fr", "Tout le monde peut vérifier ce reçu et sa transaction :\nhttps://pay.example/pay/1/receipt?lang=fr", `>Reçu</a>`},
		"alone":    {"", "https://pay.example/tx", `<p><a href="https://pay.example/tx"><bdi>https://pay.example/tx</bdi></a>`},
		"facts":    {"zh", "金额：$5\n订单号：NL-7", `<td>订单号</td><td><bdi>NL-7</bdi></td>`},
		"sign in":  {"", "If this was not meant, sign in at once and correct it:\nhttps://pay.example/dashboard", `>Sign in</a>`},
		"address": {
			"", "It goes here:\n0x52908400098527886E0F7030069857D2E4169EE7",
			`It goes here:<br><span class="addr" data-testid=""><span><b>0x5290</b></span>`,
		},
		"waiting": {"", "Payments that need you: 3\nhttps://pay.example/dashboard/attention", `>Needs attention</a>`},
		"change":  {"", "Polygon: " + merchantWallet + " → " + thief, `<b>9EE7</b>`},
		"script":  {"", "Open it:\njavascript:alert(1)", `Open it:<br>javascript:alert(1)</p>`},
	} {
		html, err := LetterHTML(mail.Mail{Lang: c.lang, Text: secret.New(c.text)})
		must(t, err)
		if html = strings.ReplaceAll(html, "> ", ">"); !strings.Contains(html, c.want) {
			t.Errorf("%s: no %s in\n%s", name, c.want, html[strings.Index(html, "<main"):])
		}
	}
}
