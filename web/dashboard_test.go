package web

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// accountRoutes lists the routes that belong to somebody with a cookie, from the
// router itself.
func (b dashboardBundle) accountRoutes(methods ...string) []string {
	b.t.Helper()
	var all []string
	for _, r := range b.server.handler.Routes() {
		mine := shell.InDashboard(r.Path)
		for _, door := range []string{"/signin", "/signin/code", "/signin/passkey", "/signin/passkey/ask", "/signup", "/signout", "/forgot", "/reset"} {
			mine = mine || r.Path == door
		}
		for _, m := range methods {
			if mine && r.Method == m {
				all = append(all, r.Path)
			}
		}
	}
	return all
}

// Every form refuses what another site sends, and what does not tell where it
// comes from.
func TestDashboard_CrossSite(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	u := b.member(ownerEmail)
	m := b.shop(u)
	p := b.newPayment(m)
	given, link := b.fundraiser(m)
	s := b.surfer()
	s.signIn(ownerEmail)
	routes := b.accountRoutes("POST", "PUT", "PATCH", "DELETE")
	if len(routes) < 25 {
		t.Fatalf("only %d routes: %v", len(routes), routes)
	}
	for _, route := range routes {
		path := strings.NewReplacer(":txnid", string(p.ID), ":key", m.key.PublicID, ":id", "1", ":session", "x", ":campaign", given.Slug, ":link", link.Slug).Replace(route)
		for name, header := range map[string][]string{
			"cross-site": {"Sec-Fetch-Site", "cross-site"}, "same-site": {"Sec-Fetch-Site", "same-site"},
			"origin": {"Sec-Fetch-Site", "", "Origin", "https://evil.example"}, "null": {"Sec-Fetch-Site", "", "Origin", "null"}, "silent": {"Sec-Fetch-Site", ""},
		} {
			r := s.do("POST", path, url.Values{"key": {m.key.PublicID}, "password": {testPassword}}, header...)
			if r.status != http.StatusForbidden {
				t.Errorf("%s %s: %d", name, path, r.status)
			}
		}
	}
	s.get("/dashboard").wants(t, 200)
	if got, err := b.payments.Get(t.Context(), string(p.ID)); err != nil || got.Status != payment.Pending {
		t.Errorf("the payment is %s, %v", got.Status, err)
	}
	if got, _, err := b.campaigns.Get(t.Context(), given.Slug); err != nil || got.State != campaign.Active {
		t.Errorf("the campaign is %s, %v", got.State, err)
	}
	s.do("POST", "/signout", nil, "Sec-Fetch-Site", "", "Origin", "https://pay.example").leads(t, "/signin")
}

// Without a session every page and form leads to sign-in and does nothing.
func TestDashboard_SignedOut(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	p := b.newPayment(m)
	given, link := b.fundraiser(m)
	fill := strings.NewReplacer(":txnid", string(p.ID), ":key", m.key.PublicID, ":id", "1", ":session", "x", ":campaign", given.Slug, ":link", link.Slug)
	for _, method := range []string{"GET", "POST"} {
		for _, route := range b.accountRoutes(method) {
			if !shell.InDashboard(route) {
				continue
			}
			r := b.surfer().do(method, fill.Replace(route), url.Values{"key": {m.key.PublicID}})
			if r.status != http.StatusSeeOther || !strings.HasPrefix(r.header.Get("Location"), "/signin") {
				t.Errorf("%s %s: %d to %q", method, route, r.status, r.header.Get("Location"))
			}
		}
	}
}

// Another merchant's ids in every address and form are unknown, and nothing of
// theirs is in any page.
func TestDashboard_Tenants(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	victim := b.shop(b.member("victim@shop.example"))
	paid := b.busy(victim)
	given, link := b.fundraiser(victim)
	b.shop(b.member(ownerEmail))
	s := b.surfer()
	s.signIn(ownerEmail)
	theirs := strings.NewReplacer(":txnid", string(paid.ID), ":key", victim.key.PublicID, ":id", "1", ":session", "0123456789abcdef", ":passkey", "01HZZZZZZZZZZZZZZZZZZZZZZZ", ":campaign", given.Slug, ":link", link.Slug)
	checked := 0
	for _, method := range []string{"GET", "POST"} {
		for _, route := range b.accountRoutes(method) {
			if !shell.InDashboard(route) || strings.HasPrefix(route, "/operator") {
				continue
			}
			path := theirs.Replace(route)
			form := url.Values{"key": {victim.key.PublicID}, "password": {testPassword}, "reason": {"x"}, "amount": {"5"}, "credits": {"20"}, "since": {"2026-11-20"}, "title": {"Mine"}, "slug": {"mine-now"}, "review": {"APPROVED"}, "donation": {"1"}}
			asksKey := path != route
			if method == "GET" {
				path, form = path+"?key="+victim.key.PublicID+"&q="+string(paid.ID), nil
			}
			r := s.do(method, path, form)
			if strings.Contains(r.body, "victim@shop.example") || strings.Contains(r.body, given.Title) || asksKey && strings.Contains(r.body, "NL-1042") {
				t.Errorf("%s %s shows another's data", method, route)
			}
			if asksKey {
				if checked++; r.status != http.StatusNotFound {
					t.Errorf("%s %s: %d", method, path, r.status)
				}
			}
			// A new key or passkey is one's own, whatever else the form says.
			if method == "POST" && r.status < 300 && route != keysPath && route != passkeysPath+"/ask" {
				t.Errorf("%s %s with another's key: %d", method, path, r.status)
			}
		}
	}
	if checked < 9 {
		t.Errorf("only %d addresses with an id were tried", checked)
	}
	for _, path := range []string{"/dashboard/credits", "/dashboard/custodian", "/dashboard/branding", "/dashboard/webhooks", "/dashboard/create"} {
		s.get(path+"?key="+victim.key.PublicID).wants(t, 404)
	}
	if keys, err := b.store.KeysOfUser(t.Context(), victim.key.UserID); err != nil || len(keys) != 1 || keys[0].Hash != victim.key.Hash {
		t.Errorf("the victim's keys are %v, %v", keys, err)
	}
	if got, _, err := b.campaigns.Get(t.Context(), given.Slug); err != nil || got.State != campaign.Active || got.Title != given.Title {
		t.Errorf("the victim's campaign is %+v, %v", got, err)
	}
	if got, err := b.campaigns.Link(t.Context(), link.Slug); err != nil || got.Paused {
		t.Errorf("the victim's link is %+v, %v", got, err)
	}
	s.get("/operator").wants(t, 404)
	s.post("/operator/invite", "email", "x@y.example").wants(t, 404)
}

func TestDashboard_Payments(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	paid := b.busy(m)
	s := b.surfer()
	s.signIn(ownerEmail)
	s.get("/dashboard/payments").wants(t, 200, "All payments", "$49.90", "$1,200.00", "Money seen", "Short")
	s.get("/dashboard/payments?status=COMPLETED&network=POLYGON").wants(t, 200, "Completed payments on Polygon", "$49.90")
	if r := s.get("/dashboard/payments?status=COMPLETED"); strings.Contains(r.body, "$1,200.00") {
		t.Error("the filter lets others through")
	}
	for _, text := range []string{string(paid.ID), "49.90", string(paid.Hash)} {
		s.get("/dashboard/payments?q="+url.QueryEscape(text)).wants(t, 200, "/dashboard/payments/"+string(paid.ID))
	}
	s.get("/dashboard/payments?q=nothing").wants(t, 200, "No payment matches")
	for _, bad := range []string{"status=PAID", "network=ETH", "from=yesterday", "min=1e9999", "after=%00", "token=DAI", "kind=X", "until=2026-13-01"} {
		if r := s.get("/dashboard/payments?" + bad); r.status != 400 || !strings.Contains(r.body, "data-testid=\"problem\"") {
			t.Errorf("%s: %d", bad, r.status)
		}
	}
	s.get("/dashboard/payments/"+string(paid.ID)).wants(t, 200, "Money is final", "told by test", "Webhook, attempt 1", "500 Internal Server Error", "NL-1042")
	s.post("/dashboard/payments/"+string(paid.ID)+"/cancel").wants(t, 409, "already ended")
}

func TestDashboard_ActsOnPayments(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	s := b.surfer()
	s.signIn(ownerEmail)
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

// Money that is only late is accepted with one button, less than was asked for
// with a proof of who is there, and nothing where none came; the shop is told.
func TestDashboard_Accept(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	s := b.surfer()
	s.signIn(ownerEmail)
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
	s.get(page).wants(t, 200, "Accept $30.00", "came after the payment had ended")
	s.post(page+"/accept").leads(t, page)
	hooks, err := b.store.Reports().Deliveries(t.Context(), report.DeliveryQuery{KeyID: m.key.ID, TxnID: late.ID, Limit: 5})
	must(t, err)
	if len(hooks) != 2 || hooks[0].Type != payment.EventCompleted {
		t.Errorf("the shop is told %+v", hooks)
	}
}

// A merchant asks about a transaction as the payer may, and sees when the page
// was first opened.
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
	s.post(page+"/find", "hash", "nonsense").wants(t, 400, "0x and 64 hexadecimal digits", `value="nonsense"`)
	s.post(page+"/find", "hash", string(p.Hash)).wants(t, 200, `data-verdict="credited"`, "It has arrived and counts")
	s.post(page+"/find", "hash", "0x"+strings.Repeat("ab", 32)).wants(t, 200, `data-verdict="`)
}

// Pages of a list hold every payment once.
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
		r.wants(t, 200, "Pending payments")
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

func TestDashboard_Export(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	b.busy(m)
	for _, reference := range []string{"=1+1", "+SUM(A1)", "-2", "@x", "\u0009tab", "＝1", "fine, with \"quotes\"", "a=b"} {
		_, err := b.store.CreatePayment(t.Context(), payment.New(payment.Request{
			ID: testID(b.clock.Now()), KeyID: m.key.ID, Kind: payment.KindMerchant, Amount: 1_000_000, ValidFor: time.Hour,
			Details: payment.Details{Reference: reference, Description: "line\r\nbreak"},
		}, b.clock.Now()))
		must(t, err)
	}
	s := b.surfer()
	s.signIn(ownerEmail)
	r := s.get("/dashboard/payments.csv")
	if r.status != 200 || !strings.HasPrefix(r.header.Get("Content-Type"), "text/csv") || !strings.HasPrefix(r.header.Get("Content-Disposition"), "attachment") {
		t.Fatalf("%d %v", r.status, r.header)
	}
	rows, err := csv.NewReader(strings.NewReader(r.body)).ReadAll()
	must(t, err)
	if len(rows) != 1+5+8 || len(rows[0]) != 17 {
		t.Fatalf("%d rows of %d columns", len(rows), len(rows[0]))
	}
	for _, row := range rows[1:] {
		for i, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r\n＝", []rune(cell)[0]) || strings.ContainsAny(cell, "\r\n") {
				t.Errorf("%s: %q is taken for a formula", rows[0][i], cell)
			}
		}
	}
	if rows := strings.Count(s.get("/dashboard/payments.csv?status=COMPLETED").body, "\n"); rows != 2 {
		t.Errorf("the filtered export has %d lines", rows)
	}
	s.get("/dashboard/payments.csv?status=NONE").wants(t, 400)
}

// A new merchant's way from signing up to a payment, as a browser without
// scripts goes it.
func TestDashboard_NewMerchant(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	s := b.surfer()
	s.post("/signup", "email", ownerEmail, "password", testPassword).leads(t, "/dashboard")
	s.get("/dashboard").wants(t, 200, "First steps", `data-done="false"`)
	s.post("/dashboard/keys", "label", "Web shop", "wallet", "0x12").wants(t, 400, "0x followed by 40", "Web shop")
	r := s.post("/dashboard/keys", "label", "Web shop")
	r.wants(t, 200, "Your new key “Web shop”")
	text := regexp.MustCompile(`flk_\w{43}`).FindString(r.body)
	key, err := b.accounts.Authenticate(t.Context(), text)
	must(t, err)
	if r := s.get("/dashboard/keys"); strings.Contains(r.body, text) {
		t.Error("the key is shown again")
	}
	s.post("/dashboard/create", "key", key.PublicID, "amount", "5").wants(t, 409, "no custodian")

	wallets := []string{"key", key.PublicID, "name", "Nordlicht", "wallet.POLYGON", merchantWallet, "callbackUrl", "https://shop.example/hook"}
	s.post("/dashboard/custodian", append(wallets, "password", "wrong password")...).wants(t, 403, "The password is wrong.", merchantWallet)
	s.post("/dashboard/custodian", append(wallets, "wallet.BASE", strings.Replace(merchantWallet, "A", "a", 1), "password", testPassword)...).
		wants(t, 400, "checksum", merchantWallet)
	r = s.post("/dashboard/custodian", append(wallets, "password", testPassword)...)
	r.wants(t, 200, "Your signing secret")
	if !regexp.MustCompile(`whsec_[A-Za-z0-9+/=]{20,}`).MatchString(strings.ReplaceAll(r.body, "&#43;", "+")) {
		t.Error("the signing secret is not shown")
	}
	if got := b.mailed(1); !strings.Contains(got[0], merchantWallet) || !strings.HasPrefix(got[0], ownerEmail) {
		t.Errorf("mailed %q", got)
	}
	s.get("/dashboard/security").wants(t, 200, "Changed settlement wallets", "Changed the callback address")

	s.post("/dashboard/branding", "key", key.PublicID, "name", "Nordlicht", "primaryColor", "red; }", "theme", "AUTO").wants(t, 400, "The colour must be", "red; }")
	s.post("/dashboard/branding", "key", key.PublicID, "name", "Nordlicht", "primaryColor", "#0a7", "theme", "DARK").leads(t, "/dashboard/branding?key="+key.PublicID)

	s.post("/dashboard/create", "key", key.PublicID, "amount", "-5", "reference", "A-1").wants(t, 400, "The amount", `value="A-1"`)
	r = s.post("/dashboard/create", "key", key.PublicID, "amount", "12.50", "reference", "A-1")
	if r.status != http.StatusSeeOther {
		t.Fatalf("create: %d %s", r.status, plainText(r.body))
	}
	s.get(r.header.Get("Location")).wants(t, 200, "$12.50 to be paid", testBaseURL+"/pay?txnid=", `data-testid="qr"`)
	s.get("/dashboard").wants(t, 200, "$12.50")
	s.post("/dashboard/credits", "key", key.PublicID, "credits", "19").wants(t, 400, "between 20 and")
	r = s.post("/dashboard/credits", "key", key.PublicID, "credits", "40")
	if !strings.HasPrefix(r.header.Get("Location"), "/pay?txnid=") {
		t.Errorf("buying leads to %q", r.header.Get("Location"))
	}
	s.get(r.header.Get("Location")).wants(t, 200, "40 credits")
	s.get("/dashboard/credits").wants(t, 200, "Free with the new key")

	s.post("/dashboard/keys/"+key.PublicID+"/rotate", "password", "wrong password").wants(t, 400, "The password is wrong")
	r = s.post("/dashboard/keys/"+key.PublicID+"/rotate", "password", testPassword)
	r.wants(t, 200, "Your new key")
	if _, err := b.accounts.Authenticate(t.Context(), text); err == nil {
		t.Error("the old key still works")
	}
	if _, err := b.accounts.Authenticate(t.Context(), regexp.MustCompile(`flk_\w{43}`).FindString(r.body)); err != nil {
		t.Errorf("the new key does not work: %v", err)
	}
	s.post("/dashboard/keys/"+key.PublicID+"/revoke", "password", testPassword).leads(t, "/dashboard/keys")
	s.get("/dashboard/payments").wants(t, 200, "$12.50")
	if strings.Contains(b.log.String(), testPassword) || strings.Contains(b.log.String(), text) {
		t.Error("a secret was logged")
	}
}

// mailed waits until so many mails were sent.
func (b dashboardBundle) mailed(n int) []string {
	b.t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if all := b.mail.all(); len(all) >= n {
			return all
		}
	}
	b.t.Fatalf("%d mails were sent, want %d", len(b.mail.all()), n)
	return nil
}

// What holds for every wallet is said once.
func TestDashboard_Custodian_Hints(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	b.shop(b.member(ownerEmail))
	s := b.surfer()
	s.signIn(ownerEmail)
	page := s.get("/dashboard/custodian").body
	for _, text := range []string{"unless the exchange takes deposits from contracts", "not that of a token account", "A network without a wallet is not offered"} {
		if n := strings.Count(page, text); n != 1 {
			t.Errorf("%q is said %d times", text, n)
		}
	}
}

func TestDashboard_Options(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	s := b.surfer()
	s.signIn(ownerEmail)
	form := []string{"key", m.key.PublicID, "POLYGON.enabled", "yes", "POLYGON.USDC", "yes", "POLYGON.min", "5", "BASE.finality", "12s", "short", "0.5", "late", "24"}
	s.post("/dashboard/custodian/options", append(form, "POLYGON.max", "2")...).wants(t, 400, "must not be below")
	s.post("/dashboard/custodian/options", append(form, "BEP20.min", "x")...).wants(t, 400, "The amount")
	s.post("/dashboard/custodian/options", "key", m.key.PublicID, "short", "11", "late", "800").wants(t, 400, "from 0 to 10", "from 0 to 720")
	before, err := b.accounts.Custodian(t.Context(), m.key.ID)
	must(t, err)
	for _, proof := range [][]string{nil, {"password", "wrong password"}} {
		s.post("/dashboard/custodian/options", append(form, proof...)...).wants(t, 403, "problem-options-password", `name="BASE.finality" type="text" value="12s"`)
	}
	c, err := b.accounts.Custodian(t.Context(), m.key.ID)
	must(t, err)
	if c.LateFor != before.LateFor || c.ShortBasis != before.ShortBasis || len(c.Networks) != len(before.Networks) || len(b.mail.all()) != 0 {
		t.Errorf("without proof it is stored as %+v, and mailed: %q", c, b.mail.all())
	}
	form = append(form, "password", testPassword)
	for range 2 { // what changes nothing is told to nobody
		s.post("/dashboard/custodian/options", form...).leads(t, "/dashboard/custodian?key="+m.key.PublicID)
	}
	told := "BEP20 offered: yes → no|POLYGON tokens: all → USDC|POLYGON smallest amount: none → $5.00|" +
		"BASE final after: the network's own rule → 12s|accepted short by: 0 % → 0.5 %|accepted after expiry for: 0 h → 24 h"
	mails := b.mailed(1)
	s.get("/dashboard/security").wants(t, 200, strings.Split(told, "|")[1])
	for line := range strings.SplitSeq(told, "|") {
		if !strings.Contains(mails[0], line+"\n") || !strings.HasPrefix(mails[0], ownerEmail+"\n") {
			t.Errorf("the mail lacks %q: %s", line, mails[0])
		}
	}
	if n := len(b.mail.all()); n != 1 {
		t.Errorf("%d mails were sent, want 1", n)
	}
	c, err = b.accounts.Custodian(t.Context(), m.key.ID)
	must(t, err)
	if c.ShortBasis != 50 || c.LateFor != 24*time.Hour || c.Networks["BEP20"].Enabled || !c.Offers("POLYGON", "USDC") || c.Offers("POLYGON", "USDT") ||
		c.Networks["POLYGON"].MinAmount != 5_000_000 || c.Networks["BASE"].Finality.Depth != 12*time.Second {
		t.Errorf("stored %+v", c)
	}
	if got, err := b.accounts.Balance(t.Context(), m.key.ID); err != nil || got.Credits != 20 {
		t.Errorf("saving options cost credits: %+v, %v", got, err)
	}
	first := c.SigningSecrets[0]
	s.post("/dashboard/custodian/rotate", "key", m.key.PublicID, "password", testPassword).wants(t, 200, "Your signing secret", "Two signing secrets")
	c, err = b.accounts.Custodian(t.Context(), m.key.ID)
	must(t, err)
	if len(c.SigningSecrets) != 2 || !c.SigningSecrets[1].Equal(first) {
		t.Error("the old signing secret is gone at once")
	}
	s.post("/dashboard/custodian/retire", "key", m.key.PublicID, "password", testPassword).leads(t, "/dashboard/custodian?key="+m.key.PublicID)
	if c, err = b.accounts.Custodian(t.Context(), m.key.ID); err != nil || len(c.SigningSecrets) != 1 || c.SigningSecrets[0].Equal(first) {
		t.Errorf("after retiring: %d secrets, %v", len(c.SigningSecrets), err)
	}
}

func TestDashboard_Preview(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	s := b.surfer()
	s.signIn(ownerEmail)
	r := s.get("/dashboard/branding/preview?" + url.Values{
		"key": {m.key.PublicID}, "name": {"<script>alert(1)</script>"}, "primaryColor": {"red;}</style><script>"}, "theme": {"DARK"},
	}.Encode())
	r.wants(t, 200, "&lt;script&gt;alert(1)", `data-theme="dark"`)
	if strings.Contains(r.body, "red;}") {
		t.Error("a colour reaches the style sheet")
	}
	csp := r.header.Get("Content-Security-Policy")
	if !strings.Contains(csp, "frame-ancestors 'self'") || !strings.Contains(csp, "form-action 'none'") || strings.Contains(csp, "script-src") || r.header.Get("X-Frame-Options") != "SAMEORIGIN" {
		t.Errorf("the preview's policy is %q", csp)
	}
	if csp := s.get("/dashboard/branding").header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-src 'self'") || !strings.Contains(csp, "frame-ancestors 'none'") {
		t.Errorf("the page's policy is %q", csp)
	}
	if csp := s.get("/dashboard").header.Get("Content-Security-Policy"); strings.Contains(csp, "frame-src") {
		t.Errorf("the overview's policy is %q", csp)
	}
}

func TestDashboard_Password(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	b.member(ownerEmail)
	here, there := b.surfer(), b.surfer()
	here.signIn(ownerEmail)
	there.signIn(ownerEmail)
	before := here.cookies["__Host-florin"]
	here.post("/dashboard/security/password", "old", "wrong password", "next", "another horse battery").wants(t, 400, "The password is wrong.")
	here.post("/dashboard/security/password", "old", testPassword, "next", "short").wants(t, 400, "at least 10")
	here.post("/dashboard/security/password", "old", testPassword, "next", "another horse battery").leads(t, "/dashboard/security")
	here.get("/dashboard").wants(t, 200)
	there.get("/dashboard").leads(t, "/signin")
	old := b.surfer()
	old.cookies["__Host-florin"] = before
	old.get("/dashboard").leads(t, "/signin")
}

func TestDashboard_Sessions(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	b.member(ownerEmail)
	here, there := b.surfer(), b.surfer()
	here.signIn(ownerEmail)
	there.signIn(ownerEmail)
	ends := regexp.MustCompile(`/dashboard/security/sessions/(\w+)/end`).FindAllString(here.get("/dashboard/security").body, -1)
	if len(ends) != 1 {
		t.Fatalf("%d other sessions are listed", len(ends))
	}
	here.post(ends[0]).leads(t, "/dashboard/security")
	there.get("/dashboard").leads(t, "/signin")
	here.get("/dashboard").wants(t, 200)
	here.post(ends[0]).wants(t, 404)
}

func TestDashboard_SecondFactor(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	b.member(ownerEmail)
	s := b.surfer()
	s.signIn(ownerEmail)
	s.post("/dashboard/security/factor").leads(t, "/dashboard/security/factor")
	r := s.get("/dashboard/security/factor")
	r.wants(t, 200, "Scan or type")
	text := regexp.MustCompile(`data-testid="totp-secret">([A-Z2-7]{32})<`).FindStringSubmatch(r.body)[1]
	code := func() string {
		c, err := totp.GenerateCode(text, b.clock.Now())
		must(t, err)
		return c
	}
	// A session alone must not come by a factor: its codes are taken as proof.
	s.post("/dashboard/security/factor/confirm", "code", code()).wants(t, 403, "The password is wrong.")
	s.post("/dashboard/security/factor/confirm", "code", code(), "password", code()).wants(t, 403, "The password is wrong.")
	s.get("/dashboard/security/factor").wants(t, 200, "Scan or type")
	s.post("/dashboard/security/factor/confirm", "code", "000", "password", testPassword).wants(t, 400, "The code is wrong")
	r = s.post("/dashboard/security/factor/confirm", "code", code(), "password", testPassword)
	r.wants(t, 200, "Your recovery codes")
	codes := regexp.MustCompile(`<li>(\w{4}-\w{4}-\w{4}-\w{4})</li>`).FindAllStringSubmatch(r.body, -1)
	if len(codes) != 10 {
		t.Fatalf("%d recovery codes", len(codes))
	}
	if mails := b.mailed(1); !strings.HasPrefix(mails[0], ownerEmail+"\n") {
		t.Errorf("turning it on is mailed as %q", mails[0])
	}
	s.get("/dashboard/security/factor").wants(t, 409)
	s.get("/dashboard/security").wants(t, 200, "10 recovery codes")

	// The password alone is not enough, on any surface.
	other := b.surfer()
	other.post("/signin", "email", ownerEmail, "password", testPassword, "next", "/dashboard/payments").wants(t, 200, "Second step")
	other.get("/dashboard").leads(t, "/signin")
	if _, err := b.accounts.SignIn(t.Context(), identity.Credentials{Email: ownerEmail, Password: secret.New(testPassword)}); err == nil {
		t.Error("the interface signs in without a code")
	}
	used := code()
	other.post("/signin/code", "code", used).wants(t, 401, "used already") // it confirmed the factor
	b.clock.advance(time.Minute)
	other.post("/signin/code", "code", "123").wants(t, 401, "The code is wrong")
	other.post("/signin/code", "code", code()).leads(t, "/dashboard/payments")
	other.get("/dashboard").wants(t, 200)

	third := b.surfer()
	third.post("/signin", "email", ownerEmail, "password", testPassword).wants(t, 200, "Second step")
	third.post("/signin/code", "code", code()).wants(t, 401)
	third.post("/signin/code", "code", strings.ToUpper(codes[0][1])).leads(t, "/dashboard")
	fourth := b.surfer()
	fourth.post("/signin", "email", ownerEmail, "password", testPassword).wants(t, 200, "Second step")
	fourth.post("/signin/code", "code", codes[0][1]).wants(t, 401)
	b.clock.advance(shell.HalfTTL + time.Second)
	fourth.post("/signin/code", "code", codes[1][1]).leads(t, "/signin")

	s.post("/dashboard/security/factor/remove", "password", "wrong password").wants(t, 400, "The password is wrong.")
	other.get("/dashboard").wants(t, 200)
	s.post("/dashboard/security/factor/remove", "password", testPassword).leads(t, "/dashboard/security")
	s.get("/dashboard").wants(t, 200)
	other.get("/dashboard").leads(t, "/signin")
	b.surfer().post("/signin", "email", ownerEmail, "password", testPassword).leads(t, "/dashboard")
}

// What an authenticator is set up with is shown to the session that asked for it
// alone: another may be a thief's.
func TestDashboard_SecondFactor_OtherSession(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	b.member(ownerEmail)
	s, thief := b.surfer(), b.surfer()
	s.signIn(ownerEmail)
	thief.signIn(ownerEmail)
	s.post("/dashboard/security/factor").leads(t, "/dashboard/security/factor")
	shown := regexp.MustCompile(`data-testid="totp-secret">([A-Z2-7]{32})<`)
	text := shown.FindStringSubmatch(s.get("/dashboard/security/factor").body)[1]
	code, err := totp.GenerateCode(text, b.clock.Now())
	must(t, err)
	thief.get("/dashboard/security/factor").leads(t, "/dashboard/security")
	thief.get("/dashboard/security").wants(t, 200, "Begin here")
	if r := thief.post("/dashboard/security/factor/confirm", "code", "000000", "password", testPassword); r.status != 409 || strings.Contains(r.body, text) {
		t.Errorf("another session is answered %d %s", r.status, plainText(r.body))
	}
	thief.post("/dashboard/security/factor/confirm", "code", code, "password", testPassword).wants(t, 409)
	s.post("/dashboard/security/factor/confirm", "code", code, "password", testPassword).wants(t, 200, "Your recovery codes")

	// Whoever begins anew takes its place, and what was shown before is worth nothing.
	s.post("/dashboard/security/factor/remove", "password", testPassword).leads(t, "/dashboard/security")
	thief.signIn(ownerEmail)
	s.post("/dashboard/security/factor").leads(t, "/dashboard/security/factor")
	thief.post("/dashboard/security/factor").leads(t, "/dashboard/security/factor")
	s.get("/dashboard/security/factor").leads(t, "/dashboard/security")
}

func TestDashboard_Webhooks(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	b.busy(m)
	s := b.surfer()
	s.signIn(ownerEmail)
	s.get("/dashboard/webhooks").wants(t, 200, "completed", "cancelled", "500 Internal Server Error", "https://shop.example/hook")
	s.get("/dashboard/webhooks?state=DELIVERED").wants(t, 200, "No webhook yet")
	s.get("/dashboard/webhooks/1").wants(t, 200, "Attempt 1: 500", "&lt;b&gt;sorry&lt;/b&gt;")
	for _, id := range []string{"0", "-1", "99999", "x", "9223372036854775808"} {
		s.get("/dashboard/webhooks/"+id).wants(t, 404)
	}
	s.post("/dashboard/webhooks/1/resend", "back", "https://evil.example/").leads(t, "/dashboard")
	s.post("/dashboard/webhooks/1/resend").leads(t, "/dashboard/webhooks/1")
	s.get("/dashboard/webhooks/1").wants(t, 200, "Waiting")
	s.post("/dashboard/webhooks/resend", "key", m.key.PublicID, "since", "2020-01-01").wants(t, 400, "Give a day of the last")
	s.post("/dashboard/webhooks/resend", "key", m.key.PublicID, "since", b.clock.Now().Format(time.DateOnly)).leads(t, "/dashboard/webhooks?key="+m.key.PublicID)
	s.get("/dashboard/webhooks").wants(t, 200, "One failed webhook is being sent again.")
}

func TestDashboard_Operator(t *testing.T) {
	t.Parallel()
	b := newDashboard(t, func(d *Deps, o *Options) { o.SignUp, d.Dashboard.Invite = false, true })
	_, err := b.accounts.CreateUser(t.Context(), identity.NewUser{Email: ownerEmail, Password: secret.New(testPassword), Operator: true})
	must(t, err)
	s := b.surfer()
	s.signIn(ownerEmail)
	s.get("/operator").wants(t, 200, "Polygon", "1,010", "Nothing is stuck", ownerEmail)
	s.post("/operator/invite", "email", "nobody").wants(t, 400, "must be an e-mail address")
	r := s.post("/operator/invite", "email", "guest@shop.example")
	link := regexp.MustCompile(`https://pay\.example(/signup\?invite=fli_\w+)`).FindStringSubmatch(r.body)
	if link == nil {
		t.Fatalf("no link: %s", plainText(r.body))
	}
	b.surfer().get(link[1]).wants(t, 200, "Create an account")
}

// What merchants and payers write reaches every page as text.
func TestDashboard_StoredScripts(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	canary := `"><img src=x onerror=alert(1)><script>alert(2)</script>`
	u, err := b.accounts.CreateUser(t.Context(), identity.NewUser{Email: ownerEmail, Password: secret.New(testPassword), FirstName: canary, LastName: canary, Operator: true})
	must(t, err)
	key, _, err := b.accounts.CreateKey(t.Context(), u, merchant.NewKey{Label: canary, Credits: 20, Queries: 5})
	must(t, err)
	_, _, err = b.accounts.ArrangeCustodian(t.Context(), key, merchant.CustodianInput{
		Name: &canary, Branding: &merchant.BrandingInput{Tagline: &canary}, Wallets: map[chain.Network]string{"POLYGON": merchantWallet},
	}, nil)
	must(t, err)
	p, err := b.payments.Create(t.Context(), payment.CreateInput{KeyID: key.ID, Amount: "5", Details: payment.Details{
		Reference: canary, Description: canary, Metadata: map[string]string{canary: canary},
	}})
	must(t, err)
	m := seller{key: key}
	given := b.newCampaign(m, func(in *campaign.Draft) { in.Title, in.Description = canary, canary })
	body, err := json.Marshal(map[string]any{"amount": 5, "network": "POLYGON", "token": "USDC", "name": canary, "message": canary})
	must(t, err)
	gift := b.gift(given, string(body))
	b.deposit(gift, gift.Amount, true)
	link, err := b.campaigns.CreateLink(t.Context(), key.ID, campaign.LinkDraft{Slug: "canary", Description: canary, Reference: canary})
	must(t, err)
	s := b.surfer()
	r := s.do("POST", "/signin", url.Values{"email": {ownerEmail}, "password": {testPassword}}, "User-Agent", canary)
	r.leads(t, "/dashboard")
	s.post("/dashboard/payments/"+string(p.ID)+"/complete", "reason", canary, "password", testPassword)
	pages := 0
	for _, route := range b.accountRoutes("GET") {
		path := strings.NewReplacer(":txnid", string(p.ID), ":id", "1", ":campaign", given.Slug, ":link", link.Slug).Replace(route)
		r := s.get(path + "?q=" + url.QueryEscape(canary) + "&next=" + url.QueryEscape(canary) + "&invite=" + url.QueryEscape(canary) + "&token=" + url.QueryEscape(canary))
		if pages++; strings.Contains(r.body, "<img src=x") || strings.Contains(r.body, "<script>alert") {
			if !strings.HasSuffix(route, ".csv") {
				t.Errorf("%s: a script got through", route)
			}
		}
		if r.status >= 500 && route != livePath { // a stream takes the connection over, and here is none
			t.Errorf("%s: %d", route, r.status)
		}
	}
	if pages < 20 {
		t.Errorf("only %d pages", pages)
	}
}
