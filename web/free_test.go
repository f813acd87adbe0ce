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
	"github.com/florinpay/florin/internal/store"
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
