package payment_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/payment"
)

// ofCustomer is a started payment of a customer with an address.
func ofCustomer(t *testing.T) payment.Payment {
	t.Helper()
	p := started(t, "10")
	p.CustomerEmail = "ada@example.com"
	return p
}

func kinds(mails []mail.Mail) string {
	var all []string
	for _, m := range mails {
		all = append(all, string(m.Kind)+" "+m.Subject)
	}
	return strings.Join(all, "; ")
}

// TestMails: each event causes its mails, the same ones when it is decided again, and nothing is said twice.
func TestMails(t *testing.T) {
	t.Parallel()
	p := ofCustomer(t)
	part := transfer(usdcPolygon, "4000000", 5, "a", "0x1")
	rest := transfer(usdcPolygon, "6000000", 9, "a", "0x2")
	short := observe(t, p, view(chain.Polygon, 1, 6, 6, part), t0)
	if got := kinds(short.Mails); got != "CUSTOMER payment.extended" {
		t.Errorf("short: %s", got)
	}
	again := observe(t, p, view(chain.Polygon, 1, 6, 6, part), t0)
	if !slices.Equal(short.Mails, again.Mails) {
		t.Errorf("decided again: %+v, %+v", short.Mails, again.Mails)
	}
	if c := observe(t, short.Payment, view(chain.Polygon, 1, 6, 6, part), t0); len(c.Mails) > 0 {
		t.Errorf("read again: %s", kinds(c.Mails))
	}
	paid := observe(t, short.Payment, view(chain.Polygon, 7, 9, 9, rest), t0)
	if got := kinds(paid.Mails); got != "CUSTOMER payment.completed; PAID Paid: $10.00" {
		t.Errorf("paid: %s", got)
	}
	if m := paid.Mails[0]; m.To != "ada@example.com" || m.Thread != string(p.ID) || m.ID == short.Mails[0].ID {
		t.Errorf("the receipt is %+v", m)
	}
	more := transfer(usdcPolygon, "1000000", 11, "a", "0x3")
	over := observe(t, paid.Payment, view(chain.Polygon, 10, 12, 12, more), t0)
	if got := kinds(over.Mails); got != "ATTENTION Too much was paid: $10.00" {
		t.Errorf("over: %s", got)
	}
	late, err := short.Payment.Expire(payment.Coverage{chain.Polygon: t0.Add(time.Hour * 9)}, t0.Add(9*time.Hour))
	if got := kinds(late.Mails); err != nil || got != "ATTENTION Too little was paid: $10.00" {
		t.Errorf("expired: %s, %v", got, err)
	}
	byHand, err := p.MarkCompleted(payment.Actor{Name: "eve"}, t0)
	want := "COMPLETED A payment was completed by hand; CUSTOMER payment.completed"
	if got := kinds(byHand.Mails); err != nil || got != want {
		t.Errorf("by hand: %s, %v", got, err)
	}
	p.CustomerEmail, p.Kind = "", payment.KindTopUp
	if c := observe(t, p, view(chain.Polygon, 1, 9, 9, part, rest), t0); len(c.Mails) > 0 {
		t.Errorf("a top-up: %s", kinds(c.Mails))
	}
}

// TestMails_Specks: whoever sends small sums to the address of a payment has few mails sent to its customer.
func TestMails_Specks(t *testing.T) {
	t.Parallel()
	p, sent := ofCustomer(t), 0
	for block := range uint64(20) {
		speck := transfer(usdcPolygon, "100", block+5, "a", "0x"+string(rune('a'+block)))
		c := observe(t, p, view(chain.Polygon, block+5, block+5, block+5, speck), t0)
		p, sent = c.Payment, sent+len(c.Mails)
	}
	if sent == 0 || sent > 5 {
		t.Errorf("%d mails to the customer", sent)
	}
}

// TestShow_Language: the language of the page that the payer opened first is kept, until they choose another one. It is
// nobody's business of a payment whose customer gets no mail.
func TestShow_Language(t *testing.T) {
	t.Parallel()
	p := pending(t, "10")
	p.CustomerEmail = "ada@example.com"
	show := func(lang string, chosen bool) string {
		c, err := p.Show(lang, chosen, t0)
		if err != nil {
			t.Fatal(err)
		}
		if !c.None() {
			p = c.Payment
		}
		return p.Lang
	}
	for i, got := range []string{show("de", false), show("fr", false), show("tr", true), show("fr", false)} {
		if want := []string{"de", "de", "tr", "tr"}[i]; got != want {
			t.Errorf("look %d: %q, want %q", i, got, want)
		}
	}
	p = started(t, "10")
	if c, _ := p.Show("de", true, t0); !c.None() {
		t.Error("the language is stored of who gets no mail")
	}
}
