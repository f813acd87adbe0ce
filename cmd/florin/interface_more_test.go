package main_test

import (
	"encoding/base64"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/pquerna/otp/totp"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/sandbox/devsol"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/testkit"
	keys "github.com/florinpay/florin/internal/wallet"
)

const (
	solanaWallet   = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk"
	campaignSlug   = "new-roaster"
	campaignFields = `code message campaign { campaignId title description goalAmount raisedAmount donorsCount suggestedAmounts status networks
		owner { name logoUrl } donations { name message amount token network hash blockchainLink createdAt } createdAt endsAt }`
	donationFields = "code message paymentLink transaction { txnid amount status network token wallet { address } countdown paymentUri }"
)

// openLedger starts a development ledger and returns the settings that switch SOL on.
func openLedger(t *testing.T) (*devsol.Ledger, []string) {
	t.Helper()
	ledger, err := devsol.Start(devsol.Config{SlotTime: 100 * time.Millisecond})
	testkit.Must(t, err)
	t.Cleanup(func() { _ = ledger.Close() })
	_, words, err := keys.GenerateSeed()
	testkit.Must(t, err)
	return ledger, []string{
		"FLORIN_SOL_RPC=" + ledger.URL(), "FLORIN_SOL_USDT=" + ledger.Tokens().USDT.String(),
		"FLORIN_SOL_USDC=" + ledger.Tokens().USDC.String(),
		"FLORIN_SOL_SEED=" + words.Reveal(),
	}
}

// onSolana pays on SOL, as a wallet does.
func (w *witness) onSolana(txnid, address string) {
	w.t.Helper()
	if _, err := w.ledger.Pay(w.ledger.Tokens().USDC, solana.MustPublicKeyFromBase58(address), 12_500_000); err != nil {
		w.t.Fatal(err)
	}
	w.await(w.t, txnid, "COMPLETED")
	w.read("completed on SOL", txnid)
	w.hook("webhook on SOL", txnid)
}

// behind does what the interface has no operation for: merchants do it on pages.
func (w *witness) behind() (*identity.Service, *merchant.Service, *campaign.Service) {
	w.t.Helper()
	raw, err := base64.StdEncoding.DecodeString(secretKey)
	testkit.Must(w.t, err)
	sealer, err := secret.NewSealer(raw)
	testkit.Must(w.t, err)
	st, err := store.Open(w.t.Context(), "sqlite://"+filepath.Join(w.dir, "test.db"), sealer, store.Options{})
	testkit.Must(w.t, err)
	w.t.Cleanup(func() { _ = st.Close() })
	users := identity.New(st.Identity(), time.Now, identity.Options{})
	merchants := merchant.New(st.Merchant(), users, time.Now, merchant.Options{})
	return users, merchants, campaign.NewService(st, nil, time.Now, nil)
}

// giving reads a campaign and gives to it.
func (w *witness) giving() {
	_, merchants, campaigns := w.behind()
	key, err := merchants.Authenticate(w.t.Context(), w.key)
	testkit.Must(w.t, err)
	_, err = campaigns.Create(w.t.Context(), key.ID, campaign.Draft{
		Slug: campaignSlug, Title: "A new roaster", Description: "Twelve kilos.", Goal: "1000",
		Suggested: []string{"5", "20"},
	}, audit.Act{})
	testkit.Must(w.t, err)
	w.gql("getDonate", w.key, "query", fmt.Sprintf(`getDonate(campaignId: %q)`, campaignSlug), campaignFields)
	w.rest("GET /donate", w.key, "GET", "/donate/"+campaignSlug+" as /donate/{campaignId}", "")
	given := w.gql(
		"StartDonation",
		w.key,
		"mutation",
		fmt.Sprintf(
			`StartDonation(campaignId: %q, amount: 5, network: POLYGON, token: USDC, name: "Ada")`,
			campaignSlug,
		),
		donationFields,
	)
	w.rest(
		"POST /donate/pay", w.key, "POST", "/donate/"+campaignSlug+"/pay as /donate/{campaignId}/pay",
		`{"amount":7.5,"network":"BASE","token":"USDT"}`,
	)
	w.rest(
		"give nothing", w.key, "POST", "/donate/"+campaignSlug+"/pay as /donate/{campaignId}/pay",
		`{"network":"BASE","token":"USDT"}`,
	)
	txnid := given.text("transaction.txnid")
	w.chains[1].pay(w.t, w.chains[1].Tokens().USDC, given.text("transaction.wallet.address"), 500)
	w.await(w.t, txnid, "COMPLETED")
	w.hook("webhook of a donation", txnid)
	w.gql("getDonate afterwards", w.key, "query", fmt.Sprintf(`getDonate(campaignId: %q)`, campaignSlug), campaignFields)
	w.rest("GET /donate afterwards", w.key, "GET", "/donate/"+campaignSlug+" as /donate/{campaignId}", "")
}

// secondFactor signs in as a user with an authenticator.
func (w *witness) secondFactor() {
	const email, password = "totp@example.com", "correct horse battery"
	users, _, _ := w.behind()
	signedUp := w.gql(
		"sign up for two factors", "", "mutation",
		fmt.Sprintf(`UserSignUp(email: %q, password: %q)`, email, password),
		"code message token expiresAt user { id email }",
	)
	user, err := users.UserByEmail(w.t.Context(), email)
	testkit.Must(w.t, err)
	session := secret.New(signedUp.text("token"))
	enrolment, err := users.BeginFactor(w.t.Context(), user, session)
	testkit.Must(w.t, err)
	code := func(at time.Time) string {
		text, err := totp.GenerateCode(enrolment.Secret.Reveal(), at)
		testkit.Must(w.t, err)
		return text
	}
	if _, err := users.ConfirmFactor(w.t.Context(), user, code(time.Now()), audit.Act{Session: session}); err != nil {
		w.t.Fatal(err)
	}
	login := func(name, more string) said {
		return w.gql(
			name, "", "mutation", fmt.Sprintf(`UserLogin(email: %q, password: %q%s)`, email, password, more),
			"code message token expiresAt user { email }",
		)
	}
	login("UserLogin without a code", "")
	login("UserLogin with a wrong code", `, totp: "000000"`)
	next := fmt.Sprintf(`, totp: %q`, code(time.Now().Add(30*time.Second))) // the current one was used above
	token := login("UserLogin with a code", next).text("token")
	login("UserLogin with a used code", next)
	w.gql("UserMe by code", "", "query", "UserMe", "code message user { email }", "Authorization", "Bearer "+token)
	w.gql("UserLogout", "", "mutation", "UserLogout", "code message user { email }", "Authorization", "Bearer "+token)
	w.gql("UserMe signed out", "", "query", "UserMe", "code message user { email }", "Authorization", "Bearer "+token)
}

// again replaces a key twice with the same Idempotency-Key.
func (w *witness) again() {
	old := w.newKey()
	call := func(name, apiKey string, header ...string) {
		w.gql(
			name,
			"",
			"mutation",
			fmt.Sprintf(`revokeApiKey(apiKey: %q, privateKey: %q)`, apiKey, ownPrivateKey),
			revokeFields,
			header...)
	}
	call("revoke once", old, "Idempotency-Key", "rotation-1")
	call("revoke again", old, "Idempotency-Key", "rotation-1")
	call("revoke without its key", old)
	body := fmt.Sprintf(`{"apiKey":%q,"amount":2}`, w.key)
	w.rest("create once", w.key, "POST", "/create-payment", body, "Idempotency-Key", "order-9")
	w.rest("create twice", w.key, "POST", "/create-payment", body, "Idempotency-Key", "order-9")
	w.rest(
		"create otherwise", w.key, "POST", "/create-payment", fmt.Sprintf(`{"apiKey":%q,"amount":3}`, w.key),
		"Idempotency-Key", "order-9",
	)
}

func base58(v any) bool {
	s, _ := v.(string)
	key, err := solana.PublicKeyFromBase58(s)
	return err == nil && key.IsOnCurve()
}

// elsewhere reads the same resources by other routes than the contract's.
func (w *witness) elsewhere() {
	for _, path := range []string{"/graphql", "/create-payment", "/cancel-payment"} {
		w.remember("GET "+path, w.ask("GET", path, ""))
	}
	w.remember("a version in the path", w.ask("POST", "/v2/create-payment", `{}`))
}

// replayed holds if the step says that it is a replay.
func replayed(step string) func(*witness) string {
	return func(w *witness) string {
		if got := w.step(step).header.Get("Idempotent-Replayed"); got != "true" {
			return step + " does not say that it was answered before: " + w.heard[step].raw
		}
		return ""
	}
}

// silent creates a payment with a key whose custodian has no callback URL, and one with a key whose custodian has no
// secret.
func (w *witness) silent() {
	key := w.newKey()
	w.gql(
		"payment of a silent key's custodian", key, "mutation",
		fmt.Sprintf(`createCustodianAccount(input: {apiKey: %q, wallets: {solana: %q}})`, key, solanaWallet),
		custodianFields,
	)
	txnid := w.gql("payment of a silent key", key, "mutation", fmt.Sprintf(`payment(apiKey: %q, amount: 1)`, key), created).
		text("transaction.txnid")
	w.gql("cancelled unheard", key, "mutation", fmt.Sprintf(`cancelPayment(txnid: %q)`, txnid), detailed)

	open := w.newKey()
	w.gql(
		"a custodian without a secret", open, "mutation",
		fmt.Sprintf(`createCustodianAccount(input: {apiKey: %q, callbackUrl: %q})`, open, w.receiver.URL),
		custodianFields,
	)
	txnid = w.gql("payment without a secret", open, "mutation", fmt.Sprintf(`payment(apiKey: %q, amount: 1)`, open), created).
		text("transaction.txnid")
	w.gql("cancelled without a secret", open, "mutation", fmt.Sprintf(`cancelPayment(txnid: %q)`, txnid), detailed)
	w.hook("webhook without a secret", txnid)
}
