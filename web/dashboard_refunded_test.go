package web

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// TestDashboard_RefundWaits: a refund whose payer has said where it goes to needs the merchant, until his wallet was
// asked to send it.
func TestDashboard_RefundWaits(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	r := b.refundOf(b.paidIn(m, 10*money.USD), "2")
	waits := func() bool {
		t.Helper()
		page := s.get("/dashboard/attention")
		said := strings.Contains(page.body, "1 refund waits for you to send it")
		if counted := strings.Contains(page.body, `data-testid="needs">`); said != counted {
			t.Errorf("the page says it: %t, and the menu counts it: %t", said, counted)
		}
		if link := strings.Contains(page.body, "/dashboard/payments/"+string(r.PaymentID)+"#refunds"); said != link {
			t.Errorf("the page says it: %t, and leads there: %t", said, link)
		}
		return said
	}
	if waits() {
		t.Error("it waits for the merchant before the payer has said where to")
	}
	if r = b.addressed(r); !waits() {
		t.Error("it does not wait for the merchant")
	}
	s.get("/dashboard").wants(t, 200, "1 refund waits for you to send it")
	if r = b.asked(r); waits() {
		t.Error("it waits for the merchant whose wallet was asked")
	}
}

// TestDashboard_Refunded: what was paid back is found by one click, and the export says how much.
func TestDashboard_Refunded(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	part, waiting, paid := b.paidIn(m, 10*money.USD), b.paidIn(m, 10*money.USD), b.paidIn(m, 10*money.USD)
	b.arrived(b.asked(b.addressed(b.refundOf(part, "2"))))
	b.arrived(b.asked(b.addressed(b.refundOf(part, "1.50"))))
	b.refundOf(waiting, "3")
	list := s.get("/dashboard/payments?status=REFUNDED")
	list.wants(t, 200, "row-"+string(part.ID), `aria-current="page"`, "1 payment, $10.00 together",
		`data-testid="refunded"`, "3.50 USDC", "<strong>Refunded payments</strong>")
	for _, other := range []payment.Payment{waiting, paid} {
		if strings.Contains(list.body, "row-"+string(other.ID)) {
			t.Errorf("%s is listed, of which nothing was paid back", other.ID)
		}
	}
	rows, err := csv.NewReader(strings.NewReader(s.get("/dashboard/payments.csv").body)).ReadAll()
	must(t, err)
	want := map[string]string{
		"txnid": "refundedUsd", string(part.ID): "3.5", string(waiting.ID): "0", string(paid.ID): "0",
	}
	for _, row := range rows {
		if last := row[len(row)-1]; last != want[row[0]] {
			t.Errorf("the export says %q of %s, want %q", last, row[0], want[row[0]])
		}
	}
}
