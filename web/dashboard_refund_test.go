package web

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
)

// TestDashboard_Refund: an owner requests a refund on the payment's page, has the wallet asked for it, and takes that
// back; the history says so.
func TestDashboard_Refund(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	p := b.deposit(b.start(b.newPaymentOf(m, "10"), chain.Polygon), 12*money.USD, true)
	page := "/dashboard/payments/" + string(p.ID)
	s.get(page).wants(t, 200, "Pay money back", "12.00 USDC on Polygon")
	s.post(page+"/refunds", "holding", "POLYGON:USDC", "amount", "12.01", "password", testPassword).wants(t, 409,
		"At most 12.00 USDC")
	s.post(page+"/refunds", "holding", "POLYGON:USDC", "amount", "2", "refundReason", "too much",
		"password", testPassword).leads(t, page+"#refunds")
	list, err := b.store.RefundsOf(t.Context(), p.ID)
	must(t, err)
	if len(list) != 1 {
		t.Fatalf("%d refunds", len(list))
	}
	r, acts := list[0], page+"/refunds/"+string(list[0].ID)
	s.get("/dashboard/payments").wants(t, 200, `data-testid="refunded"`, "2.00 USDC")
	if got := s.get("/dashboard/payments.csv"); !strings.Contains(got.body, "2 USDC REQUESTED") {
		t.Errorf("the export has no refund: %s", got.body)
	}
	s.get(page).wants(t, 200, "Waits for the payer", "too much", b.refunds().Link(r), "10.00 USDC on Polygon")
	s.post(acts+"/ask").wants(t, 409, "not said yet")
	_, err = b.refunds().GiveAddress(t.Context(), b.refunds().Link(r)[len(testBaseURL+"/refund/"):], payerWallet)
	must(t, err)
	s.get(page).wants(t, 200, "Ready to be sent", payerWallet, `data-send="0x89"`, "Download for Safe")
	asked := s.post("/dashboard/refunds/POLYGON/ask")
	if asked.status != 200 || !strings.Contains(asked.body, `"units":"2000000"`) ||
		!strings.Contains(asked.body, payerWallet) {
		t.Errorf("calls: %d %s", asked.status, asked.body)
	}
	s.post(acts+"/cancel").wants(t, 409, "already asked")
	// Handed out once: who is given the same twice may pay twice.
	if again := s.post("/dashboard/refunds/POLYGON/ask"); strings.TrimSpace(again.body) != `{"calls":[]}` {
		t.Errorf("asked again: %s", again.body)
	}
	s.post("/dashboard/refunds/POLYGON/safe").wants(t, 409, "already asked")
	if page := s.get(page).body; strings.Contains(page, "data-send=") || strings.Contains(page, "Download for Safe") ||
		strings.Contains(page, "Ready to be sent") {
		t.Error("what was handed out is offered again")
	}
	s.post(acts+"/unsend").leads(t, page+"#refunds")
	safe := s.post("/dashboard/refunds/POLYGON/safe")
	if want := "erc20," + string(r.Asset.Contract) + "," + payerWallet + ",2\n"; !strings.HasSuffix(safe.body, want) {
		t.Errorf("CSV %q, want at the end %q", safe.body, want)
	}
	s.post(acts+"/unsend").leads(t, page+"#refunds")
	s.post(acts+"/cancel").leads(t, page+"#refunds")
	s.get(page).wants(t, 200, "Refund requested", "Your wallet was asked", "The refund was not sent",
		"Refund cancelled")
	payers := s.get(strings.TrimPrefix(b.refunds().Link(r), testBaseURL)).body
	if !strings.Contains(payers, "has cancelled this refund") || strings.Contains(payers, "pays you back") {
		t.Errorf("the payer reads of a cancelled refund: %s", plainText(payers))
	}
	if r, err = b.store.Refund(t.Context(), r.ID); err != nil || r.Status != refund.Cancelled {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestDashboard_RefundRate: of a payment that was priced in euros, an amount in euros is paid back at the rate of the
// payment or at that of now, as the merchant says; and no other.
func TestDashboard_RefundRate(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	priced, err := b.payments.Create(t.Context(), payment.CreateInput{
		KeyID: m.key.ID, Price: exchange.Text{Amount: "30.50", Currency: "EUR"},
	}, audit.Act{})
	must(t, err)
	p := b.deposit(b.start(priced, chain.Polygon), priced.Amount, true)
	b.euro = 12_000_000_000
	page := "/dashboard/payments/" + string(p.ID)
	s.get(page).wants(t, 200, "30.50 EUR is 35.42636", "30.50 EUR is 36.6")
	ask := func(amount, rate string) reply {
		return s.post(page+"/refunds", "holding", "POLYGON:USDC", "amount", amount, "rate", rate,
			"password", testPassword)
	}
	for _, wrong := range [][2]string{{"10", "tomorrow"}, {"10.555", "then"}, {"ten", "now"}, {"-1", "then"}} {
		ask(wrong[0], wrong[1]).wants(t, 400)
	}
	ask("30.50", "now").wants(t, 409, "At most") // the euro rose: more than was paid
	ask("10", "then").leads(t, page+"#refunds")
	ask("5,5", "now").leads(t, page+"#refunds")
	list, err := b.store.RefundsOf(t.Context(), p.ID)
	must(t, err)
	if len(list) != 2 || list[0].Amount() != "11.6152" || list[1].Amount() != "6.6" {
		t.Errorf("refunds %+v", list)
	}
}

// TestDashboard_RefundRoles: only owners pay money back.
func TestDashboard_RefundRoles(t *testing.T) {
	t.Parallel()
	for _, role := range merchant.Roles() {
		if role.May(merchant.ActRefund) != (role == merchant.RoleOwner) {
			t.Errorf("%s: %t", role, role.May(merchant.ActRefund))
		}
	}
}

// refund asks for a refund of a payment that was paid too much, and for all that may become of it.
func (d *diary) refund(s *surfer, txnid string) {
	t, b, me, page := d.b.t, d.b, ownerEmail+" ", "/dashboard/payments/"+txnid
	t.Helper()
	d.leaves("/dashboard/payments/:txnid/refunds",
		s.post(page+"/refunds", "amount", "1", "refundReason", "too much", "password", testPassword),
		me+"asked for a refund: "+txnid+"|too much")
	list, err := b.store.RefundsOf(t.Context(), payment.ID(txnid))
	must(t, err)
	acts := page + "/refunds/" + string(list[0].ID)
	token := b.refunds().Link(list[0])[len(testBaseURL+"/refund/"):]
	_, err = b.refunds().GiveAddress(t.Context(), token, payerWallet)
	must(t, err)
	network := string(list[0].Asset.Network)
	asked := me + "asked a wallet to send refunds: " + txnid + "|"
	d.leaves("/dashboard/refunds/:network/ask", s.post("/dashboard/refunds/"+network+"/ask"), asked)
	d.leaves("/dashboard/payments/:txnid/refunds/:id/:act", s.post(acts+"/unsend"),
		me+"said that a refund was not sent: "+txnid+"|")
	d.leaves("/dashboard/refunds/:network/safe", s.post("/dashboard/refunds/"+network+"/safe"), asked)
	act, hash := "/dashboard/payments/:txnid/refunds/:id/:act", string(testHash(9))
	d.leaves(act, s.post(acts+"/unsend"), me+"said that a refund was not sent: "+txnid+"|")
	d.leaves(act, s.post(acts+"/ask"), asked)
	d.leaves(act, s.post(acts+"/unsend"), me+"said that a refund was not sent: "+txnid+"|")
	d.leaves(act, s.post(acts+"/hash", "hash", hash), me+"named the transaction of a refund: "+txnid+"|"+hash)
	d.leaves("/dashboard/payments/:txnid/refunds",
		s.post(page+"/refunds", "amount", "1", "password", testPassword), me+"asked for a refund: "+txnid+"|")
	list, err = b.store.RefundsOf(t.Context(), payment.ID(txnid))
	must(t, err)
	d.leaves(act, s.post(page+"/refunds/"+string(list[1].ID)+"/cancel"), me+"cancelled a refund: "+txnid+"|")
}

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
