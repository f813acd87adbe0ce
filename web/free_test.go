package web

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/report"
)

// On a free installation a key without credits and queries can do whatever costs
// some elsewhere, and the ledger records the use.
func TestFreeInstallation(t *testing.T) {
	t.Parallel()
	var accounts services
	var payments *payment.Service
	b := newDashboard(t, func(d *Deps, _ *Options) {
		st := d.Store.(*store.Store)
		accounts = newServices(
			st.Identity(), st.Merchant(), d.Now, identity.Options{}, merchant.Options{Meter: ledger.Free},
		)
		payments = payment.NewService(st, st.Merchant(), newTestNetworks(), payment.Options{
			MaxWaiting: payment.MaxWaiting, MaxWaitingOfKey: payment.MaxWaitingOfKey, Meter: ledger.Free,
			TTL: time.Hour, StartTTL: 30 * time.Minute, MinAmount: money.USD / 100, MaxAmount: 1_000_000 * money.USD,
		}, d.Now, testID)
		d.Users, d.Merchants, d.Payments = accounts.users, accounts.merchants, payments
	})
	b.accounts, b.payments = accounts, payments
	u := b.member(ownerEmail)
	key, text, err := b.accounts.CreateKey(t.Context(), u, merchant.NewKey{Label: "Shop"}, audit.Act{})
	must(t, err)
	ask := func(kind, call, fields string) {
		t.Helper()
		r := b.graphQL(kind+" { "+call+" { code "+fields+" } }", "")
		if !strings.Contains(r.body, `"code":200`) && !strings.Contains(r.body, `"code":201`) {
			t.Errorf("%s: %s", call, r.body)
		}
	}
	k := text.Reveal()
	ask("mutation", fmt.Sprintf(`createCustodianAccount(input: {apiKey: %q, wallets: {polygon: %q}})`, k, merchantWallet), "")
	ask("mutation", fmt.Sprintf(`updateCustodianDetails(input: {apiKey: %q, name: "x"})`, k), "")
	p, err := b.payments.Create(t.Context(), payment.CreateInput{KeyID: key.ID, Amount: "1"}, audit.Act{})
	must(t, err)
	choice := payment.Choice{Network: chain.Polygon, Token: money.USDC}
	_, err = b.payments.Start(t.Context(), string(p.ID), choice, audit.Act{})
	must(t, err)
	ask("query", fmt.Sprintf(`getTransactions(apiKey: %q)`, k), "")
	ask("query", fmt.Sprintf(`getTransactionDetails(apiKey: %q, txnid: %q)`, k, p.ID), "")
	ask("query", fmt.Sprintf(`checkAdminUntransferred(apiKey: %q, network: POLYGON)`, k), "")
	ask("mutation", fmt.Sprintf(`manualMarkAsCompleted(apiKey: %q, txnid: %q)`, k, p.ID), "")
	ask("query", fmt.Sprintf(`getCreditsLeft(apiKey: %q)`, k), "creditsLeft")
	if left, err := b.accounts.Balance(t.Context(), key.ID); err != nil || left != (ledger.Balance{}) {
		t.Errorf("the balance is %+v, %v; want 0 credits and 0 queries", left, err)
	}
	entries, err := b.store.Reports().Entries(t.Context(), key.ID, 0, 100)
	must(t, err)
	var uses int
	for _, e := range entries {
		if e.Count < 0 {
			uses++
		}
	}
	if want := 7; uses != want || len(entries) != 2*want {
		t.Errorf("the ledger has %d uses in %d entries, want %d, each with its grant", uses, len(entries), want)
	}
	if n, differences, err := b.store.VerifyLedger(t.Context()); err != nil || len(differences) != 0 || n == 0 {
		t.Errorf("the ledger check of %d entries: %v, %v", n, differences, err)
	}
	b.sellsNoCredits(key)
}

// sellsNoCredits checks that the pages neither sell credits nor warn that they run out.
func (b dashboardBundle) sellsNoCredits(key merchant.Key) {
	t := b.t
	t.Helper()
	s := b.surfer()
	s.signIn(ownerEmail)
	if r := s.get("/dashboard/credits"); strings.Contains(r.body, `data-testid="buy"`) {
		t.Error("a free installation sells credits")
	}
	s.post("/dashboard/credits", "key", key.PublicID, "credits", "20").wants(
		t, 409, "Nothing is metered", "no credits are sold",
	)
	in := b.graphQL(`mutation { UserLogin(email: "`+ownerEmail+`", password: "`+testPassword+`") { token } }`, "")
	as := []string{"Authorization", "Bearer " + in.text(t, "data.UserLogin.token")}
	r := b.graphQL(`mutation { UserCreateCreditTopup(apiKeyId: "`+key.PublicID+`", credits: 20) { code message transaction { txnid } } }`, "", as...)
	if r.text(t, "data.UserCreateCreditTopup.code") != "409" ||
		r.field(t, "data.UserCreateCreditTopup.transaction") != nil ||
		!strings.Contains(r.body, "no credits are sold") {
		t.Errorf("the API sells credits: %s", r.body)
	}
	// One that was made while credits were sold.
	metered := payment.NewService(
		b.store, b.store.Merchant(), b.networks, payment.Options{TTL: time.Hour}, b.clock.Now, testID,
	)
	p, err := metered.CreateTopUp(t.Context(), "", key.ID, 20, audit.Act{})
	must(t, err)
	r = b.graphQL(`mutation { UserStartCreditTopup(txnid: "`+string(p.ID)+`", network: POLYGON, token: USDC) { code } }`, "", as...)
	if r.text(t, "data.UserStartCreditTopup.code") != "409" {
		t.Errorf("the API starts a top-up: %s", r.body)
	}
	if r := s.get("/dashboard"); strings.Contains(r.body, "credits left") {
		t.Error("the overview of a free installation says that credits run out")
	}
}

// A credit top-up is no sale: it is on the credits page and read by its txnid, and in none of the merchant's lists,
// feeds and webhooks.
func TestTopUpsAreNoSales(t *testing.T) {
	t.Parallel()
	checkTopUpsAreNoSales(t, newBundle(t))
}

func checkTopUpsAreNoSales(t *testing.T, b *bundle) {
	t.Helper()
	m := b.newMerchant(50)
	sale := string(b.deposit(b.start(b.newPayment(m), "POLYGON"), 49_900_000, true).ID)
	open, err := b.payments.CreateTopUp(t.Context(), testID(b.clock.Now()), m.key.ID, 40, audit.Act{})
	must(t, err)
	open = b.start(open, "POLYGON")
	paid, err := b.payments.CreateTopUp(t.Context(), testID(b.clock.Now()), m.key.ID, 40, audit.Act{})
	must(t, err)
	paid = b.deposit(b.start(paid, "POLYGON"), 2_500_000, true) // half a dollar more than it costs
	ended, err := b.payments.CreateTopUp(t.Context(), testID(b.clock.Now()), m.key.ID, 40, audit.Act{})
	must(t, err)
	ended = b.expire(ended)
	key := []string{"x-api-key", m.text}
	apart := func(name, body string, holds bool) {
		t.Helper()
		if strings.Contains(body, sale) != holds {
			t.Errorf("%s has the sale: %v: %.300s", name, !holds, body)
		}
		for _, p := range []string{string(open.ID), string(paid.ID), string(ended.ID)} {
			if strings.Contains(body, p) {
				t.Errorf("%s has the top-up %s: %.300s", name, p, body)
			}
		}
	}
	apart("GET /events", b.ask("GET", "/events", "", key...).body, true)
	for _, filter := range []string{
		"", ", network: POLYGON", ", status: COMPLETED", `, sortOrder: "asc"`, `, timeRange: "24h"`,
	} {
		r := b.graphQL(`{ getTransactions(apiKey: "`+m.text+`"`+filter+`) { transactions { txnid } } }`, "")
		apart("getTransactions"+filter, r.body, true)
	}
	for _, status := range []string{"STARTED", "EXPIRED"} {
		r := b.graphQL(`{ getTransactions(apiKey: "`+m.text+`", status: `+status+`) { transactions { txnid } } }`, "")
		apart(status, r.body, false)
	}
	r := b.graphQL(`{ checkAdminUntransferred(apiKey: "`+m.text+`", network: POLYGON) { transactions { txnid } } }`, "")
	apart("checkAdminUntransferred", r.body, true)
	for _, p := range []string{string(open.ID), string(paid.ID), string(ended.ID)} {
		if r := b.ask("GET", "/orders/"+p, ""); r.status != 200 {
			t.Errorf("GET /orders/%s: %d %s", p, r.status, r.body)
		}
		found, err := b.store.Reports().Deliveries(
			t.Context(), report.DeliveryQuery{KeyID: m.key.ID, TxnID: payment.ID(p), Limit: 3},
		)
		must(t, err)
		for _, d := range found {
			t.Errorf("a webhook about the top-up %s: %s", p, d.Type)
		}
	}
	list := func(q report.Query) string {
		q.Keys, q.Limit = []int64{m.key.ID}, 50
		list, err := b.store.Reports().SearchPayments(t.Context(), q)
		must(t, err)
		var ids []string
		for _, p := range list.Payments {
			ids = append(ids, string(p.ID))
		}
		return strings.Join(ids, " ")
	}
	apart("the dashboard's list", list(report.Query{}), true)
	apart("a search for the amount", list(report.Query{Text: "2"}), false)
	apart("a search for an address", list(report.Query{Text: string(routeOf(t, paid).Address.Address)}), false)
	checkFiguresWithoutTopUps(t, b, m)
	if got := list(report.Query{Text: strings.ToLower(string(paid.ID))}); got != string(paid.ID) {
		t.Errorf("the top-up is not found by its txnid: %q", got)
	}
}

// checkFiguresWithoutTopUps: the overview counts the one sale, which is paid.
func checkFiguresWithoutTopUps(t *testing.T, b *bundle, m seller) {
	t.Helper()
	r, keys, since := b.store.Reports(), []int64{m.key.ID}, b.clock.Now().Add(-24*time.Hour)
	open, err := r.Open(t.Context(), keys)
	must(t, err)
	waiting, err := r.Attention(t.Context(), keys)
	must(t, err)
	funnel, err := r.Funnel(t.Context(), keys, since)
	must(t, err)
	starts, err := r.Starts(t.Context(), m.key.ID, since)
	must(t, err)
	if want := (report.Funnel{Created: 1, Started: 1, Seen: 1, Paid: 1}); open != 0 || waiting != 0 || funnel != want ||
		starts.Count != 1 {
		t.Errorf("the overview has %d open, %d that need attention, %+v, %d starts", open, waiting, funnel, starts.Count)
	}
	later := b.clock.Now().Add(30 * 24 * time.Hour)
	unsettled, err := r.UnsettledOf(t.Context(), keys, later, money.USD)
	must(t, err)
	if len(unsettled) != 1 || unsettled[0].Payments != 1 {
		t.Errorf("unsettled: %+v", unsettled)
	}
	due, err := b.store.Settlement().DepositBalances(
		t.Context(), chain.Polygon, settlement.Query{Now: later, KeyID: m.key.ID, Limit: 9},
	)
	must(t, err)
	all, err := b.store.Settlement().DepositBalances(t.Context(), chain.Polygon, settlement.Query{Now: later, Limit: 9})
	must(t, err)
	if len(due) != 1 || len(all) != 2 {
		t.Errorf("%d balances of the merchant wait to be settled, %d of all", len(due), len(all))
	}
}

func routeOf(t *testing.T, p payment.Payment) payment.Route {
	t.Helper()
	r, ok := p.Route()
	if !ok {
		t.Fatal("the payment has no route")
	}
	return r
}
