package web

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/web/session"
)

func TestDashboard_Payments(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	paid := b.busy(m)
	s := b.surfer()
	s.signIn(ownerEmail)
	s.get("/dashboard/payments").wants(t, 200, "All payments", "$49.90", "$1,200.00", `data-status="SEEN"`, "Short")
	s.get("/dashboard/payments?status=COMPLETED&network=POLYGON").wants(t, 200, "Paid payments, on Polygon", "$49.90")
	if r := s.get("/dashboard/payments?status=COMPLETED"); strings.Contains(r.body, "$1,200.00") {
		t.Error("the filter lets others through")
	}
	for _, text := range []string{string(paid.ID), "49.90", string(paid.Hash)} {
		s.get("/dashboard/payments?q="+url.QueryEscape(text)).wants(t, 200, "/dashboard/payments/"+string(paid.ID))
	}
	s.get("/dashboard/payments?q=nothing").wants(t, 200, "No payment matches")
	for _, bad := range []string{
		"status=PAID", "network=ETH", "from=yesterday", "min=1e9999", "after=%00",
		"token=DAI", "kind=X", "until=2026-13-01",
	} {
		if r := s.get("/dashboard/payments?" + bad); r.status != 400 || !strings.Contains(r.body, "data-testid=\"problem\"") {
			t.Errorf("%s: %d", bad, r.status)
		}
	}
	s.get("/dashboard/payments/"+string(paid.ID)).wants(t, 200, "Money is final", "reported by test",
		"Webhook, attempt 1", "500 Internal Server Error", "NL-1042")
	s.post("/dashboard/payments/"+string(paid.ID)+"/cancel").wants(t, 409, "already ended")
}

func TestDashboard_ActsOnPayments(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	p := "/dashboard/payments/" + string(b.newPayment(m).ID)
	s.post(p+"/complete", "reason", "", "password", testPassword).wants(t, 400, "Say in up to 500 characters")
	s.post(p+"/complete", "reason", "paid in cash").wants(t, 403, "The password is wrong", `value="paid in cash"`, "problem-dashboard-payments-")
	s.post(p+"/complete", "reason", "paid in cash", "password", testPassword).leads(t, p)
	s.get(p).wants(t, 200, "marked as completed", "completed by hand", "by "+ownerEmail+": paid in cash")
	s.post(p+"/complete", "reason", "again", "password", testPassword).wants(t, 409, "already completed")
	s.get("/dashboard/security").wants(t, 200, "paid in cash")
	p = "/dashboard/payments/" + string(b.newPayment(m).ID)
	s.post(p+"/cancel").leads(t, p)
	s.get(p).wants(t, 200, "Cancelled", "The payment is cancelled.")
}

// Late money is accepted with one click, a short amount with re-authentication, and
// a payment without money is refused. The shop gets a webhook.
func TestDashboard_Accept(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	short := b.start(b.newPaymentOf(m, "100"), chain.Polygon)
	page := "/dashboard/payments/" + string(short.ID)
	if r := s.get(page); strings.Contains(r.body, `data-testid="accept"`) {
		t.Error("accepting is offered although nothing came")
	}
	s.post(page+"/accept", "password", testPassword).wants(t, 409, "so there is none to accept")
	b.deposit(short, 60*money.USD, true)
	s.get(page).wants(t, 200, "Accept $60.00", "$60.00 of $100.00")
	s.post(page+"/accept").wants(t, 403, "The password is wrong")
	s.post(page+"/accept", "password", testPassword).leads(t, page)
	if r := s.get(page); strings.Contains(r.body, `data-testid="accept"`) || !strings.Contains(r.body, "What was received was accepted") {
		t.Errorf("accepted: %s", plainText(r.body))
	}
	s.post(page+"/accept", "password", testPassword).wants(t, 409, "already completed")
	s.get("/dashboard/security").wants(t, 200, "Accepted short or late money")
	got, err := b.payments.Get(t.Context(), string(short.ID))
	must(t, err)
	if got.Status != payment.Completed || !got.ByHand || b.queries(m) != 5 {
		t.Errorf("%s, by hand %v, %d queries left", got.Status, got.ByHand, b.queries(m))
	}
	late := b.start(b.newPaymentOf(m, "30"), chain.Polygon)
	late = b.expire(late)
	page = "/dashboard/payments/" + string(late.ID)
	b.deposit(late, 30*money.USD, true)
	s.get(page).wants(t, 200, "Accept $30.00", "arrived after the payment expired")
	s.post(page+"/accept").leads(t, page)
	hooks, err := b.store.Reports().Deliveries(t.Context(),
		report.DeliveryQuery{KeyID: m.key.ID, TxnID: late.ID, Limit: 5})
	must(t, err)
	if len(hooks) != 2 || hooks[0].Type != payment.EventCompleted {
		t.Errorf("the webhooks are %+v", hooks)
	}
}

// A merchant can look up a transaction as the payer can, and sees when the page was
// first opened.
func TestDashboard_FindInPayment(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	p := b.newPayment(m)
	b.ask("HEAD", "/pay?txnid="+string(p.ID), "")
	s := b.surfer()
	s.signIn(ownerEmail)
	page := "/dashboard/payments/" + string(p.ID)
	if r := s.get(page); strings.Contains(r.body, "opened the payment page") {
		t.Error("a monitor's look counts as the customer's")
	}
	for range 2 {
		b.ask("GET", "/pay?txnid="+string(p.ID), "").wants(t, 200)
	}
	p = b.start(p, chain.Polygon)
	p = b.deposit(p, p.Amount, true)
	r := s.get(page)
	if n := strings.Count(r.body, "opened the payment page"); n != 1 {
		t.Errorf("the page was opened %d times", n)
	}
	s.post(page+"/find", "hash", "nonsense").wants(t, 400, "0x and 64 letters and digits", `value="nonsense"`)
	s.post(page+"/find", "hash", string(p.Hash)).wants(t, 200, `data-verdict="credited"`, "It has arrived and counts")
	s.post(page+"/find", "hash", "0x"+strings.Repeat("ab", 32)).wants(t, 200, `data-verdict="`)
}

// Every payment is on exactly one page of the list.
func TestDashboard_Pager(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	for range session.PageRows + 7 {
		b.newPayment(m)
	}
	s := b.surfer()
	s.signIn(ownerEmail)
	seen, path := map[string]bool{}, "/dashboard/payments?status=PENDING"
	rows, next := regexp.MustCompile(`data-testid="row-(\w+)"`), regexp.MustCompile(`href="([^"]*)" rel="next"`)
	for pages := 0; path != ""; pages++ {
		r := s.get(path)
		r.wants(t, 200, "Payments not started")
		for _, row := range rows.FindAllStringSubmatch(r.body, -1) {
			if seen[row[1]] {
				t.Errorf("%s is listed twice", row[1])
			}
			seen[row[1]] = true
		}
		path = ""
		if link := next.FindStringSubmatch(r.body); link != nil {
			path = strings.ReplaceAll(link[1], "&amp;", "&")
		}
		if pages > 3 {
			t.Fatal("the pages do not end")
		}
	}
	if len(seen) != session.PageRows+7 {
		t.Errorf("%d of %d were listed", len(seen), session.PageRows+7)
	}
}
