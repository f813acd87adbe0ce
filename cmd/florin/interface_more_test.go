package main_test

import (
	"encoding/base64"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/pquerna/otp/totp"

	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/sandbox/devsol"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	keys "github.com/florinpay/florin/internal/wallet"
)

const (
	solanaWallet   = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk"
	campaignSlug   = "new-roaster"
	campaignFields = `code message campaign { campaignId title description goalAmount raisedAmount donorsCount suggestedAmounts status networks
		owner { name logoUrl } donations { name message amount token network hash blockchainLink createdAt } createdAt endsAt }`
	donationFields = "code message paymentLink transaction { txnid amount status network token wallet { address } countdown paymentUri }"
)

// openLedger starts a development ledger and returns what switches SOL on.
func openLedger(t *testing.T) (*devsol.Ledger, []string) {
	t.Helper()
	ledger, err := devsol.Start(devsol.Config{SlotTime: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ledger.Close() })
	_, words, err := keys.GenerateSeed()
	if err != nil {
		t.Fatal(err)
	}
	return ledger, []string{
		"FLORIN_SOL_RPC=" + ledger.URL(), "FLORIN_SOL_USDT=" + ledger.Tokens().USDT.String(), "FLORIN_SOL_USDC=" + ledger.Tokens().USDC.String(),
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

// behind is what the interface has no operation for: people do it on pages.
func (w *witness) behind() (*identity.Service, *merchant.Service, *campaign.Service) {
	w.t.Helper()
	raw, err := base64.StdEncoding.DecodeString(secretKey)
	if err != nil {
		w.t.Fatal(err)
	}
	sealer, err := secret.NewSealer(raw)
	if err != nil {
		w.t.Fatal(err)
	}
	st, err := store.Open(w.t.Context(), "sqlite://"+filepath.Join(w.dir, "test.db"), sealer, store.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = st.Close() })
	users := identity.New(st, time.Now, identity.Options{})
	return users, merchant.New(st, users, time.Now, merchant.Options{}), campaign.NewService(st, nil, time.Now)
}

// giving reads a campaign and gives to it.
func (w *witness) giving() {
	_, merchants, campaigns := w.behind()
	key, err := merchants.Authenticate(w.t.Context(), w.key)
	if err != nil {
		w.t.Fatal(err)
	}
	_, err = campaigns.Create(w.t.Context(), key.ID, campaign.Draft{
		Slug: campaignSlug, Title: "A new roaster", Description: "Twelve kilos.", Goal: "1000", Suggested: []string{"5", "20"},
	})
	if err != nil {
		w.t.Fatal(err)
	}
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

// secondFactor signs in as somebody with an authenticator.
func (w *witness) secondFactor() {
	const email, password = "totp@example.com", "correct horse battery"
	users, _, _ := w.behind()
	signedUp := w.gql(
		"sign up for two factors", "", "mutation",
		fmt.Sprintf(`UserSignUp(email: %q, password: %q)`, email, password),
		"code message token expiresAt user { id email }",
	)
	user, err := users.UserByEmail(w.t.Context(), email)
	if err != nil {
		w.t.Fatal(err)
	}
	session := secret.New(signedUp.text("token"))
	enrolment, err := users.BeginFactor(w.t.Context(), user, session)
	if err != nil {
		w.t.Fatal(err)
	}
	code := func(at time.Time) string {
		text, err := totp.GenerateCode(enrolment.Secret.Reveal(), at)
		if err != nil {
			w.t.Fatal(err)
		}
		return text
	}
	if _, err := users.ConfirmFactor(w.t.Context(), user, session, code(time.Now())); err != nil {
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
	next := fmt.Sprintf(`, totp: %q`, code(time.Now().Add(30*time.Second))) // that of now was used above
	token := login("UserLogin with a code", next).text("token")
	login("UserLogin with a used code", next)
	w.gql("UserMe by code", "", "query", "UserMe", "code message user { email }", "Authorization", "Bearer "+token)
	w.gql("UserLogout", "", "mutation", "UserLogout", "code message user { email }", "Authorization", "Bearer "+token)
	w.gql("UserMe signed out", "", "query", "UserMe", "code message user { email }", "Authorization", "Bearer "+token)
}

// again replaces a key under an Idempotency-Key, twice.
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

// moreRows are the sentences about campaigns, SOL, second factors, what is left
// out, and repeated requests.
var moreRows = []clause{
	{
		"1/networks/SOL", "SOL is offered",
		all(is("startSolPayment", "code", 200), is("startSolPayment", "transaction.network", "SOL")),
	},
	{
		"1/5/unset",
		"without a callback URL nothing is sent, and the payment is made all the same",
		all(is("cancelled unheard", "transaction.status", "CANCELLED"), func(w *witness) string {
			if n := len(w.about(w.step("payment of a silent key").text("transaction.txnid"))); n != 0 {
				return fmt.Sprintf("%d webhooks came", n)
			}
			return ""
		}),
	},
	{
		"2.2/network/payment", "payment does not return the network",
		has("payment", "transaction", "txnid amount status createdAt expiresAt"),
	},
	{
		"2.2/hash/unpaid", "hash and blockchainLink are null while nothing has come",
		all(is("started", "transaction.hash", nil), is("started", "transaction.blockchainLink", nil)),
	},
	{
		"2.2/wallet/SOL", "on SOL wallet.address is a Solana address",
		that("startSolPayment", "transaction.wallet.address", base58),
	},
	{
		"2.2/hash/SOL", "on SOL hash is the signature, and blockchainLink leads to it",
		all(
			that(
				"completed on SOL", "transaction.hash",
				func(v any) bool { s, _ := v.(string); _, err := solana.SignatureFromBase58(s); return err == nil },
			),
			that("completed on SOL", "transaction.blockchainLink", filled),
		),
	},
	{
		"2.4/solana", "the custodian holds a settlement address for SOL too",
		is("payment of a silent key's custodian", "custodian.wallets.solana", solanaWallet),
	},
	{
		"2.5/campaignId", "a campaign is identified by its campaignId",
		is("getDonate", "campaign.campaignId", campaignSlug),
	},
	{
		"2.5/details", "and has public details",
		all(
			is("getDonate", "campaign.title", "A new roaster"), is("getDonate", "campaign.goalAmount", 1000),
			is("getDonate", "campaign.status", "ACTIVE"),
			is("getDonate", "campaign.owner.name", "Corner Coffee"),
		),
	},
	{"3/detect/SOL", "final money on SOL completes a payment", is("completed on SOL", "transaction.status", "COMPLETED")},
	{
		"4.1/others/startSolPayment", "startSolPayment returns the deposit address",
		that("startSolPayment", "transaction.wallet.address", base58),
	},
	{
		"4.1/others/getDonate", "getDonate reads a campaign, without a key",
		all(is("getDonate", "code", 200), debits("getDonate", 0, 0)),
	},
	{
		"4.1/others/StartDonation", "StartDonation returns the deposit address",
		all(that("StartDonation", "transaction.wallet.address", evm), is("StartDonation", "transaction.status", "STARTED")),
	},
	{
		"4.1/others/UserCreateCreditTopup", "UserCreateCreditTopup returns a payment and its link",
		all(that("UserCreateCreditTopup", "transaction.txnid", filled), that("UserCreateCreditTopup", "paymentLink", filled)),
	},
	{"4.1/rule 2/network SOL", "network SOL filters", every("network SOL", "network", "SOL")},
	{
		"4.2/donate", "GET /donate/:campaignId answers as getDonate does",
		all(
			answers("GET /donate", 200), same("GET /donate", "campaign.title", "getDonate", "campaign.title"),
			same("GET /donate", "campaign.createdAt", "getDonate", "campaign.createdAt"),
		),
	},
	{
		"4.2/donate/pay", "POST /donate/:campaignId/pay answers as StartDonation does",
		all(
			answers("POST /donate/pay", 200), is("POST /donate/pay", "transaction.amount", 7.5),
			that("POST /donate/pay", "transaction.wallet.address", evm),
			that("POST /donate/pay", "paymentLink", filled),
		),
	},
	{"4.2/donate/pay/amount", "which needs an amount", all(answers("give nothing", 400), refuses("give nothing", 400))},
	{
		"4.2/donate/raised", "what was given is counted and shown",
		all(
			is("getDonate afterwards", "campaign.raisedAmount", 5),
			is("getDonate afterwards", "campaign.donorsCount", 1),
			is("getDonate afterwards", "campaign.donations.0.network", "POLYGON"),
			is("GET /donate afterwards", "campaign.raisedAmount", 5),
		),
	},
	{
		"4.2/idempotency/create", "a create that is repeated under its Idempotency-Key makes one payment",
		all(same("create twice", "transaction.txnid", "create once", "transaction.txnid"), replayed("create twice")),
	},
	{
		"4.2/idempotency/other", "and another body under the same key is refused",
		all(answers("create otherwise", 422), refuses("create otherwise", 422)),
	},
	{
		"4.1/rule 4/again", "a replacement that is repeated to the letter is answered again, though the old key has failed",
		all(
			same("revoke again", "newApiKey", "revoke once", "newApiKey"),
			same("revoke again", "apiKey.creditsLeft", "revoke once", "apiKey.creditsLeft"),
			replayed("revoke again"),
		),
	},
	{
		"4.1/rule 4/not again", "and is 401 to anybody else",
		all(is("revoke without its key", "code", 401), is("revoke without its key", "newApiKey", nil)),
	},
	{
		"5/5/second factor", "with a second factor signing in takes its code as well",
		all(
			refuses("UserLogin without a code", 401), is("UserLogin without a code", "token", nil),
			refuses("UserLogin with a wrong code", 401), is("UserLogin with a code", "code", 200),
			that("UserLogin with a code", "token", filled),
		),
	},
	{
		"5/5/second factor/once", "and takes each code once",
		all(refuses("UserLogin with a used code", 401), is("UserLogin with a used code", "token", nil)),
	},
	{
		"5/5/session", "the token is the session, until it is ended",
		all(
			is("UserMe by code", "user.email", "totp@example.com"), is("UserLogout", "code", 200),
			is("UserMe signed out", "code", 401),
		),
	},
	{
		"5/5/sign up", "UserSignUp gives a token as well",
		all(is("UserSignUp", "code", 200), that("UserSignUp", "token", filled)),
	},
	{"6/body/network/sol", "network is sol for SOL", is("webhook on SOL", "network", "sol")},
	{"6/rule 1", "a webhook is sent only where a callback URL is set", func(w *witness) string {
		if w.step("webhook of a donation").status == 0 ||
			len(w.about(w.step("payment of a silent key").text("transaction.txnid"))) != 0 {
			return "a key with a callback heard nothing, or one without was told of"
		}
		return ""
	}},
	{
		"6/donation", "a donation is told of as a payment is",
		all(is("webhook of a donation", "status", "completed"), is("webhook of a donation", "amount", 5)),
	},
	{
		"6/body/secret/unset",
		"secret and privateKey are left out where no secret is set",
		all(is("webhook without a secret", "status", "cancelled"), func(w *witness) string {
			body := w.step("webhook without a secret").body
			_, secret := body["secret"]
			_, legacy := body["privateKey"]
			return map[bool]string{true: "one of them is in " + w.step("webhook without a secret").raw}[secret || legacy]
		}),
	},
	{"6/body/network/unstarted", "network is empty where none was chosen", is("webhook without a secret", "network", "")},
	{"4.1/POST", "GraphQL is asked by POST", answers("GET /graphql", 405)},
	{
		"4.2/POST", "and so are the writes over REST",
		all(answers("GET /create-payment", 405), answers("GET /cancel-payment", 405)),
	},
	{"9/no version", "there is no address with a version in it", answers("a version in the path", 404)},
	{
		"8/start/donation", "a donation that is started takes 1 credit, as a payment does",
		all(debits("StartDonation", 1, 0), debits("POST /donate/pay", 1, 0)),
	},
}

// elsewhere asks for what is there in another way than the contract says.
func (w *witness) elsewhere() {
	for _, path := range []string{"/graphql", "/create-payment", "/cancel-payment"} {
		w.remember("GET "+path, w.ask("GET", path, ""))
	}
	w.remember("a version in the path", w.ask("POST", "/v2/create-payment", `{}`))
}

// replayed holds if the step says that it was answered before.
func replayed(step string) func(*witness) string {
	return func(w *witness) string {
		if got := w.step(step).header.Get("Idempotent-Replayed"); got != "true" {
			return step + " does not say that it was answered before: " + w.heard[step].raw
		}
		return ""
	}
}

// silent makes a payment with a key whose custodian has no callback URL, and
// one with a key whose custodian has no secret.
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
