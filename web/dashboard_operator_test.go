package web

import (
	"fmt"
	"log/slog"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/web/session"
)

const rootEmail = "root@shop.example"

// rootDashboard is a dashboard with an operator, who is signed in.
func rootDashboard(t *testing.T) (dashboardBundle, *surfer) {
	t.Helper()
	gas := money.NewUnits(money.USD.Units(18).Big())
	wallet := chain.GasWallet{Address: merchantWallet, Balance: gas}
	runways := map[chain.Network]settlement.Runway{
		chain.Polygon: {Wallet: wallet, Days: 9, Level: settlement.LevelWarn},
		chain.Base:    {Wallet: wallet, Days: -1, Level: settlement.LevelOK},
	}
	b := newDashboard(t, func(_ *Deps, o *Options) { o.SignUp = false }, func(d *Deps, _ *Options) {
		d.Dashboard.Invite = true
		d.Dashboard.Sweeping = func(n chain.Network) (settlement.Status, bool) {
			runway, ok := runways[n]
			return settlement.Status{At: d.Now(), Runway: runway}, ok
		}
	})
	_, err := b.accounts.CreateUser(t.Context(),
		identity.NewUser{Email: rootEmail, Password: secret.New(testPassword), Operator: true}, audit.Act{})
	must(t, err)
	s := b.surfer()
	s.signIn(rootEmail)
	return b, s
}

// For a merchant, every page of the operator's area is not found.
func TestOperator_Roles(t *testing.T) {
	t.Parallel()
	b, _ := rootDashboard(t)
	owner := b.member(ownerEmail)
	m := b.shop(owner)
	victim := b.member("victim@shop.example")
	s := b.surfer()
	s.signIn(ownerEmail)
	fill := strings.NewReplacer(":user", victim.PublicID, ":key", m.key.PublicID)
	tried := 0
	for _, method := range []string{"GET", "POST"} {
		for _, route := range b.accountRoutes(method) {
			if !strings.HasPrefix(route, operatorPath) {
				continue
			}
			tried++
			if r := s.do(method, fill.Replace(route), map[string][]string{"password": {testPassword}}); r.status != 404 || strings.Contains(r.body, "victim@") {
				t.Errorf("%s %s as a merchant: %d", method, route, r.status)
			}
			if r := b.surfer().do(method, fill.Replace(route), nil); r.status != 303 {
				t.Errorf("%s %s without a session: %d", method, route, r.status)
			}
		}
	}
	if tried < 12 {
		t.Errorf("only %d routes", tried)
	}
	b.surfer().signIn("victim@shop.example")
}

func TestOperator_DisableUser(t *testing.T) {
	t.Parallel()
	b, root := rootDashboard(t)
	u := b.member(ownerEmail)
	m := b.shop(u)
	owner := b.surfer()
	owner.signIn(ownerEmail)
	started, waiting := b.start(b.newPayment(m), chain.Polygon), b.newPayment(m)
	page := "/operator/users/" + u.PublicID
	root.get("/operator/users?q=ada%40").wants(t, 200, ownerEmail, page)
	root.get("/operator/users?q=nobody").wants(t, 200, "No user matches")
	root.get("/operator/users?q="+m.key.PublicID).wants(t, 200, page)
	root.get(page).wants(t, 200, "Disable this user", "Shop of "+ownerEmail)
	root.get("/operator/users/nobody").wants(t, 404)
	root.post(page+"/disable", "password", "wrong").wants(t, 400, "The password is wrong")
	owner.get("/dashboard").wants(t, 200)
	root.post(page+"/disable", "password", testPassword).leads(t, page)
	root.get(page).wants(t, 200, "Disabled", "Enable "+ownerEmail, "Disabled a user", rootEmail)
	root.post(page+"/disable", "password", testPassword).wants(t, 409, "That is so already")

	owner.get("/dashboard").leads(t, "/signin")
	if r := b.surfer().post("/signin", "email", ownerEmail, "password", testPassword); r.status != 403 || !strings.Contains(r.body, "This account is disabled") {
		t.Errorf("sign in: %d %s", r.status, plainText(r.body))
	}
	if r := b.surfer().post("/signin", "email", ownerEmail, "password", "wrong password"); strings.Contains(r.body,
		"disabled") {
		t.Error("a wrong password learns that the account is disabled")
	}
	if r := b.graphQL(`{ getCreditsLeft(apiKey: "`+m.text+`") { code } }`, ""); !strings.Contains(r.body, `"code":401`) {
		t.Errorf("key: %s", r.body)
	}
	if _, err := b.payments.Start(t.Context(), string(waiting.ID),
		payment.Choice{Network: chain.Polygon, Token: money.USDC}, audit.Act{}); err == nil {
		t.Error("a payment of a disabled merchant was started")
	}
	paid := b.deposit(started, started.Amount, true)
	if paid.Status != payment.Completed {
		t.Errorf("a started payment is %s", paid.Status)
	}
	root.post(page+"/enable", "password", testPassword).leads(t, page)
	b.surfer().signIn(ownerEmail)

	key := page + "/keys/" + m.key.PublicID
	root.post(key+"/disable", "password", testPassword).leads(t, page)
	if r := b.graphQL(`{ getCreditsLeft(apiKey: "`+m.text+`") { code } }`, ""); !strings.Contains(r.body, `"code":401`) {
		t.Errorf("disabled key: %s", r.body)
	}
	root.post(page+"/keys/nothing/enable", "password", testPassword).wants(t, 404)
	root.post(key+"/enable", "password", testPassword).leads(t, page)
	if r := b.graphQL(`{ getCreditsLeft(apiKey: "`+m.text+`") { code } }`, ""); !strings.Contains(r.body, `"code":200`) {
		t.Errorf("enabled key: %s", r.body)
	}
	self, err := b.accounts.UserByEmail(t.Context(), rootEmail)
	must(t, err)
	root.get("/operator/users/"+self.PublicID).wants(t, 200, "This is you")
	root.post("/operator/users/"+self.PublicID+"/disable", "password", testPassword).wants(t, 409,
		"cannot disable yourself")
}

func TestOperator_GrantCredits(t *testing.T) {
	t.Parallel()
	b, root := rootDashboard(t)
	u := b.member(ownerEmail)
	m := b.shop(u)
	page := "/operator/users/" + u.PublicID
	grant := page + "/keys/" + m.key.PublicID + "/grant"
	before, err := b.accounts.Balance(t.Context(), m.key.ID)
	must(t, err)
	root.get(page).wants(t, 200, "Give credits to")
	root.post(grant, "credits", "100", "password", "wrong").wants(t, 400, "The password is wrong")
	root.post(grant, "credits", "many", "password", testPassword).wants(t, 400, "must be a whole number")
	root.post(grant, "credits", "0", "password", testPassword).wants(t, 400, "must be at least 1")
	root.post(page+"/keys/nothing/grant", "credits", "1", "password", testPassword).wants(t, 404)
	root.post(grant, "credits", "100", "password", testPassword).leads(t, page)
	after, err := b.accounts.Balance(t.Context(), m.key.ID)
	must(t, err)
	if after.Credits != before.Credits+100 || after.Queries != before.Queries {
		t.Errorf("the grant of 100 credits changed %+v to %+v", before, after)
	}
	root.get(page).wants(t, 200, "Granted credits", rootEmail, "100 credits")
	owner := b.surfer()
	owner.signIn(ownerEmail)
	owner.get("/dashboard/credits").wants(t, 200, "Given by the operator")
	if r := owner.post(grant, "credits", "100", "password", testPassword); r.status == 303 {
		t.Error("a merchant gave credits to their own key")
	}
}

// TestOperator_GrantTwice: a form that is sent twice gives its credits once, and a form that is shown again gives more.
func TestOperator_GrantTwice(t *testing.T) {
	t.Parallel()
	b, root := rootDashboard(t)
	u := b.member(ownerEmail)
	m := b.shop(u)
	page := "/operator/users/" + u.PublicID
	before, err := b.accounts.Balance(t.Context(), m.key.ID)
	must(t, err)
	hidden := regexp.MustCompile(`name="grant" value="([0-9A-Z]{26})"`)
	for form := int64(1); form <= 2; form++ {
		id := hidden.FindStringSubmatch(root.get(page).body)
		if id == nil {
			t.Fatal("the form has no id")
		}
		for range 2 {
			root.post(
				page+"/keys/"+m.key.PublicID+"/grant", "credits", "100", "password", testPassword, "grant", id[1],
			).
				leads(t, page)
		}
		after, err := b.accounts.Balance(t.Context(), m.key.ID)
		must(t, err)
		if got := after.Credits - before.Credits; got != 100*form {
			t.Errorf("form %d sent twice: %d credits were given in all, want %d", form, got, 100*form)
		}
	}
	list, err := b.store.Merchant().AuditLog(t.Context(), u.ID, u.ID, 0, 100)
	must(t, err)
	grants := 0
	for _, e := range list {
		if e.Action == audit.ActionGrant {
			grants++
		}
	}
	if grants != 2 {
		t.Errorf("%d grants are in the audit log, want 2", grants)
	}
}

func TestOperator_Lists(t *testing.T) {
	t.Parallel()
	b, root := rootDashboard(t)
	r := root.get("/operator")
	r.wants(t, 200, "9 days", "1 POL", "send POL to it this week", "No check has run", ">not measured yet<")
	if strings.Contains(r.body, `is-good">not measured yet<`) {
		t.Error("what is not known counts as good")
	}
	root.get("/operator/topups").wants(t, 200, "No merchant has bought credits yet")
	root.get("/operator/sweeps").wants(t, 200, "Nothing was settled yet")
	root.get("/operator/problems").wants(t, 200, "All final money is settled", "No reorg has removed")
	m := b.shop(b.member(ownerEmail))
	for range session.PageRows + 1 {
		_, err := b.payments.CreateTopUp(t.Context(), "", m.key.ID, 40, audit.Act{})
		must(t, err)
	}
	r = root.get("/operator/topups")
	r.wants(t, 200, ownerEmail, "$2.00", "Older")
	if n := strings.Count(r.body, "Shop of "+ownerEmail); n != session.PageRows {
		t.Errorf("%d rows on a page", n)
	}
	b.busy(m)
	must(t, b.store.Settlement().CreateRecharge(t.Context(), recharge.Recharge{
		ID: "01M7Z95F5DE7BD6RTSPKBNS62H", KeyID: m.key.ID, Units: 7, State: recharge.Signed, CreatedAt: b.clock.Now(),
		LookAt: b.clock.Now(),
		Transfer: chain.TokenTransfer{
			Asset: profileOf(chain.BEP20).Assets[0], From: merchantWallet,
			To: merchantWallet, Amount: money.UnitsFromUint64(1),
		},
		Bytes: chain.SignedTx{Tx: testHash(7), Raw: []byte{1}},
	}, audit.Record{}))
	b.clock.advance(72 * time.Hour)
	root.signIn(rootEmail)
	root.get("/operator").wants(t, 200, "1 purchase is on the way, on a network that is not configured any more.")
	root.get("/operator/problems").wants(t, 200,
		ownerEmail+" bought 7 queries with "+string(testHash(7))+" on BNB Smart Chain", ">florin sweep</span>",
		"--txnid ", "--network polygon", "It has waited for more than a day")
}

func TestOperator_Ledger(t *testing.T) {
	t.Parallel()
	var checker *ledger.Checker
	b := newDashboard(t, func(d *Deps, _ *Options) {
		checker = ledger.NewChecker(d.Store.(ledger.CheckStore), d.Now, slog.New(slog.DiscardHandler))
		d.Dashboard.Ledger = checker
	})
	_, err := b.accounts.CreateUser(t.Context(),
		identity.NewUser{Email: rootEmail, Password: secret.New(testPassword), Operator: true}, audit.Act{})
	must(t, err)
	b.shop(b.member(ownerEmail))
	root := b.surfer()
	root.signIn(rootEmail)
	root.post("/operator/ledger").leads(t, "/operator")
	root.get("/operator").wants(t, 200, "In progress", rootEmail)
	root.post("/operator/ledger").wants(t, 409, "A check is in progress already")
	must(t, checker.Turn(t.Context()))
	root.get("/operator").wants(t, 200, "Agrees", fmt.Sprintf("%d entries added up", 2))
}

// The operator sees a user's devices by the same names as the user.
func TestOperator_Person_Devices(t *testing.T) {
	t.Parallel()
	b, root := rootDashboard(t)
	ada := b.member(ownerEmail)
	const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"
	s := b.surfer()
	s.do("POST", "/signin", url.Values{"email": {ownerEmail}, "password": {testPassword}}, "User-Agent",
		agent).leads(t, "/dashboard")
	r := root.get(usersPath + "/" + ada.PublicID)
	r.wants(t, 200, ">Firefox on Linux<")
	if strings.Contains(plainText(r.body), "Mozilla") {
		t.Errorf("the page shows what only programs read: %s", plainText(r.body))
	}
}

func TestDashboard_Operator(t *testing.T) {
	t.Parallel()
	b := newDashboard(t, func(d *Deps, o *Options) { o.SignUp, d.Dashboard.Invite = false, true })
	_, err := b.accounts.CreateUser(t.Context(),
		identity.NewUser{Email: ownerEmail, Password: secret.New(testPassword), Operator: true}, audit.Act{})
	must(t, err)
	s := b.surfer()
	s.signIn(ownerEmail)
	s.get("/operator").wants(t, 200, "Polygon", "1,010", "Nothing needs an operator.", ownerEmail)
	s.post("/operator/invite", "email", "nobody").wants(t, 400, "must be an e-mail address")
	r := s.post("/operator/invite", "email", "guest@shop.example")
	link := regexp.MustCompile(`https://pay\.example(/signup\?invite=fli_\w+)`).FindStringSubmatch(r.body)
	if link == nil {
		t.Fatalf("no link: %s", plainText(r.body))
	}
	b.surfer().get(link[1]).wants(t, 200, "Create an account")
}
