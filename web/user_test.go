package web

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/graph"
	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/web/present"
)

const signUp = `mutation($e: String!, $p: String!) { UserSignUp(email: $e, password: $p, firstName: "Ada") { code message token expiresAt user { id email firstName createdAt } } }`

func (b *bundle) signUp(t *testing.T, email string) (token string) {
	t.Helper()
	r := b.graphQL(signUp, `{"e":"`+email+`","p":"correct horse battery staple"}`)
	if r.text(t, "data.UserSignUp.code") != "200" || r.text(t, "data.UserSignUp.user.email") != email {
		t.Fatalf("sign up: %s", r.body)
	}
	return r.text(t, "data.UserSignUp.token")
}

func TestUsers(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	ada, eve := b.signUp(t, "ada@shop.example"), b.signUp(t, "eve@shop.example")
	as := func(token, query string) reply { return b.graphQL(query, "", "Authorization", "Bearer "+token) }

	if r := b.graphQL(signUp, `{"e":"ada@shop.example","p":"correct horse battery staple"}`); r.text(t, "data.UserSignUp.code") != "409" {
		t.Errorf("signing up twice: %s", r.body)
	}
	login := `mutation($p: String!) { UserLogin(email: "Ada@shop.example", password: $p) { code token user { id } } }`
	if r := b.graphQL(login, `{"p":"wrong horse battery staple"}`); r.text(t, "data.UserLogin.code") != "401" || r.field(t, "data.UserLogin.token") != nil {
		t.Errorf("wrong password: %s", r.body)
	}
	second := b.graphQL(login, `{"p":"correct horse battery staple"}`).text(t, "data.UserLogin.token")
	if r := as(second, `{ UserMe { code user { email } } }`); r.text(t, "data.UserMe.user.email") != "ada@shop.example" {
		t.Errorf("me: %s", r.body)
	}
	if r := as(second, `mutation { UserLogout { code user { email } } }`); r.text(t, "data.UserLogout.code") != "200" {
		t.Errorf("logout: %s", r.body)
	}
	for name, token := range map[string]string{"signed out": second, "none": "", "made up": "fls_x"} {
		if r := as(token, `{ UserMe { code user { email } } }`); r.text(t, "data.UserMe.code") != "401" || r.field(t, "data.UserMe.user") != nil {
			t.Errorf("me, %s: %s", name, r.body)
		}
	}

	made := as(ada, `mutation { UserCreateApiKey(label: "shop", wallet: "`+merchantWallet+`") { code apiKey { id key label wallet creditsLeft queriesLeft } } }`)
	key, id := made.text(t, "data.UserCreateApiKey.apiKey.key"), made.text(t, "data.UserCreateApiKey.apiKey.id")
	if !strings.HasPrefix(key, "flk_") || made.text(t, "data.UserCreateApiKey.apiKey.creditsLeft") != "20" || made.text(t, "data.UserCreateApiKey.apiKey.queriesLeft") != "5" {
		t.Errorf("new key: %s", made.body)
	}
	listed := as(ada, `{ UserApiKeys { code apiKeys { id key label wallet creditsLeft } } }`)
	if !strings.Contains(listed.body, id) || strings.Contains(listed.body, key) || !strings.Contains(listed.body, `"label":"shop"`) {
		t.Errorf("keys: %s", listed.body)
	}
	if r := as(eve, `{ UserApiKeys { code apiKeys { id } } }`); strings.Contains(r.body, id) {
		t.Errorf("another's keys: %s", r.body)
	}
	if r := b.graphQL(`{ getCreditsLeft(apiKey: "`+key+`") { code creditsLeft } }`, ""); r.text(t, "data.getCreditsLeft.creditsLeft") != "20" {
		t.Errorf("the new key: %s", r.body)
	}
	// The audit log has the same entries as for the pages.
	user, err := (storetest.People{Store: b.store.Identity()}).UserByEmail(t.Context(), "ada@shop.example")
	must(t, err)
	lines, err := b.store.Merchant().AuditLog(t.Context(), user.ID, user.ID, 0, 10)
	must(t, err)
	var actions []audit.Action
	for _, l := range lines {
		if actions = append(actions, l.Action); l.Actor != user.Email {
			t.Errorf("the audit log says that %q %s", l.Actor, l.Action)
		}
	}
	if want := []audit.Action{
		audit.ActionCreateKey, audit.ActionSignOut, audit.ActionSignIn, audit.ActionSignInFailed, audit.ActionSignIn,
		audit.ActionSignUp,
	}; !slices.Equal(actions, want) {
		t.Errorf("the audit log has %q, want %q", actions, want)
	}
}

func TestTopUp(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	ada, eve := b.signUp(t, "ada@shop.example"), b.signUp(t, "eve@shop.example")
	as := func(token, query string) reply { return b.graphQL(query, "", "Authorization", "Bearer "+token) }
	made := as(ada, `mutation { UserCreateApiKey { apiKey { id key } } }`)
	id, text := made.text(t, "data.UserCreateApiKey.apiKey.id"), made.text(t, "data.UserCreateApiKey.apiKey.key")
	create := func(token, id, credits string) reply {
		return as(token, `mutation { UserCreateCreditTopup(apiKeyId: "`+id+`", credits: `+credits+`) { code message paymentLink transaction { txnid amount status } } }`)
	}
	for name, row := range map[string][4]string{
		"too few": {ada, id, "19", "400"}, "negative": {ada, id, "-1", "400"}, "too many": {ada, id, "1000001", "400"},
		"another's key": {eve, id, "20", "404"}, "unknown key": {ada, "x", "20", "404"},
		"no session": {"", id, "20", "401"},
	} {
		if r := create(row[0], row[1], row[2]); r.text(t, "data.UserCreateCreditTopup.code") != row[3] {
			t.Errorf("%s: %s", name, r.body)
		}
	}
	topUp := create(ada, id, "30")
	txnid := topUp.text(t, "data.UserCreateCreditTopup.transaction.txnid")
	if topUp.text(t, "data.UserCreateCreditTopup.transaction.amount") != "1.5" || topUp.text(t, "data.UserCreateCreditTopup.paymentLink") != testBaseURL+"/pay?txnid="+txnid {
		t.Errorf("top-up: %s", topUp.body)
	}
	start := func(token string) reply {
		return b.ask("POST", "/pay", `{"txnid":"`+txnid+`","network":"BASE","token":"USDC"}`, "Authorization", "Bearer "+token)
	}
	if r := start(eve); r.status != 404 {
		t.Errorf("another's top-up: %d %s", r.status, r.body)
	}
	if r := start("fls_x"); r.status != 401 {
		t.Errorf("made-up session: %d %s", r.status, r.body)
	}
	started := start(ada)
	if started.status != 200 || started.text(t, "transaction.status") != "STARTED" {
		t.Fatalf("start: %d %s", started.status, started.body)
	}
	if r := as(ada, `mutation { UserStartCreditTopup(txnid: "`+txnid+`", network: BASE, token: USDC) { code transaction { wallet { address } } } }`); r.text(t, "data.UserStartCreditTopup.transaction.wallet.address") != started.text(t, "transaction.wallet.address") {
		t.Errorf("start over GraphQL: %s", r.body)
	}
	p, err := b.payments.Get(t.Context(), txnid)
	must(t, err)
	b.deposit(p, 1_500_000, true)
	if r := b.graphQL(`{ getCreditsLeft(apiKey: "`+text+`") { creditsLeft } }`, ""); r.text(t, "data.getCreditsLeft.creditsLeft") != "50" {
		t.Errorf("after the top-up: %s", r.body)
	}
	// Neither a new nor an earlier top-up of a disabled key can be paid.
	t.Run("DisabledKey", func(t *testing.T) {
		before := create(ada, id, "20").text(t, "data.UserCreateCreditTopup.transaction.txnid")
		user, err := (storetest.People{Store: b.store.Identity()}).UserByEmail(t.Context(), "ada@shop.example")
		must(t, err)
		keys, err := storetest.Accounts{Store: b.store.Merchant()}.Keys(t.Context(), user.ID)
		must(t, err)
		_, err = b.shops().DisableKey(t.Context(), keys[0].ID, b.clock.Now(), audit.Record{})
		must(t, err)
		if r := create(ada, id, "20"); r.text(t, "data.UserCreateCreditTopup.code") != "403" ||
			r.field(t, "data.UserCreateCreditTopup.transaction") != nil {
			t.Errorf("a top-up of a disabled key: %s", r.body)
		}
		if r := as(ada, `mutation { UserStartCreditTopup(txnid: "`+before+`", network: BASE, token: USDC) { code transaction { txnid } } }`); r.text(t, "data.UserStartCreditTopup.code") != "403" || r.field(t, "data.UserStartCreditTopup.transaction") != nil {
			t.Errorf("starting a top-up of a disabled key: %s", r.body)
		}
	})
	// A session starts top-ups only.
	mine := b.newPayment(b.newMerchant(5))
	if r := b.ask("POST", "/pay", `{"txnid":"`+string(mine.ID)+`","network":"BASE","token":"USDC"}`, "Authorization", "Bearer "+ada); r.status != 404 {
		t.Errorf("a payment by session: %d %s", r.status, r.body)
	}
	page := b.ask("GET", "/pay?txnid="+txnid, "")
	if page.status != 200 || !strings.Contains(page.body, present.OperatorName) {
		t.Errorf("the top-up's page: %d %s", page.status, page.start())
	}
}

func TestSignUpClosed(t *testing.T) {
	t.Parallel()
	b := newBundleWith(t, Options{BaseURL: testBaseURL, CheckoutURL: testBaseURL, GraphQL: graph.Options{}})
	if r := b.graphQL(signUp, `{"e":"ada@shop.example","p":"correct horse battery staple"}`); r.text(t, "data.UserSignUp.code") != "403" {
		t.Errorf("%s", r.body)
	}
}

// The private key of the first account of the well-known development mnemonic.
const (
	devKey    = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
	devWallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
)

// signed signs a text as a wallet does (EIP-191).
func signed(t *testing.T, privateKey, text string) string {
	t.Helper()
	key, err := crypto.HexToECDSA(strings.TrimPrefix(privateKey, "0x"))
	must(t, err)
	raw, err := crypto.Sign(accounts.TextHash([]byte(text)), key)
	must(t, err)
	raw[crypto.RecoveryIDOffset] += 27
	return "0x" + hex.EncodeToString(raw)
}

func TestRotateWithSignature(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	user, err := (storetest.People{Store: b.store.Identity()}).UserByEmail(t.Context(), b.newKey(0, 0).key.Email)
	must(t, err)
	_, text, err := b.accounts.CreateKey(t.Context(), user, merchant.NewKey{Wallet: devWallet, Credits: 2}, audit.Act{})
	must(t, err)
	challenge := func(key string) reply {
		return b.graphQL(`{ rotateApiKeyChallenge(apiKey: "`+key+`") { code message challenge expiresAt } }`, "")
	}
	rotate := func(key, challenge, signature string) reply {
		variables, err := json.Marshal(map[string]string{"k": key, "c": challenge, "s": signature})
		must(t, err)
		return b.graphQL(`mutation($k: String!, $c: String!, $s: String!) { rotateApiKeyWithSignature(apiKey: $k, challenge: $c, signature: $s) {
			code message newApiKey apiKey { wallet creditsLeft } } }`, string(variables))
	}
	key := text.Reveal()
	ask := challenge(key).text(t, "data.rotateApiKeyChallenge.challenge")
	other := strings.Replace(devKey, "ac09", "ac08", 1)
	made := strings.Replace(ask, "Proof: ", "Proof: 0", 1)
	for name, row := range map[string][4]string{
		"wrong key": {"flk_x", ask, signed(t, devKey, ask), "401"}, "no signature": {key, ask, "hello", "400"},
		"another wallet":    {key, ask, signed(t, other, ask), "403"},
		"another text":      {key, ask, signed(t, devKey, ask+"."), "403"},
		"made-up challenge": {key, made, signed(t, devKey, made), "400"},
		"no challenge":      {key, "hello", signed(t, devKey, "hello"), "400"},
	} {
		if r := rotate(row[0], row[1], row[2]); r.text(t, "data.rotateApiKeyWithSignature.code") != row[3] || r.field(t, "data.rotateApiKeyWithSignature.newApiKey") != nil {
			t.Errorf("%s: %s", name, r.body)
		}
	}
	b.clock.advance(16 * time.Minute)
	if r := rotate(key, ask, signed(t, devKey, ask)); r.text(t, "data.rotateApiKeyWithSignature.code") != "400" {
		t.Errorf("too late: %s", r.body)
	}
	ask = challenge(key).text(t, "data.rotateApiKeyChallenge.challenge")
	done := rotate(key, ask, signed(t, devKey, ask))
	fresh := done.text(t, "data.rotateApiKeyWithSignature.newApiKey")
	if !strings.HasPrefix(fresh, "flk_") || done.text(t, "data.rotateApiKeyWithSignature.apiKey.creditsLeft") != "1" {
		t.Errorf("rotate: %s", done.body)
	}
	if r := rotate(fresh, ask, signed(t, devKey, ask)); r.text(t, "data.rotateApiKeyWithSignature.code") != "400" {
		t.Errorf("the same challenge again: %s", r.body)
	}
	if r := challenge(key); r.text(t, "data.rotateApiKeyChallenge.code") != "401" {
		t.Errorf("the old key: %s", r.body)
	}
}

func TestRevokeKey(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newKey(2, 0)
	user, err := (storetest.People{Store: b.store.Identity()}).UserByEmail(t.Context(), m.key.Email)
	must(t, err)
	_, text, err := b.accounts.CreateKey(t.Context(), user, merchant.NewKey{Wallet: devWallet, Credits: 1}, audit.Act{})
	must(t, err)
	revoke := func(apiKey, privateKey string) reply {
		return b.graphQL(`mutation { revokeApiKey(apiKey: "`+apiKey+`", privateKey: "`+privateKey+`") { code message newApiKey apiKey { key wallet creditsLeft } } }`, "")
	}
	other := strings.Replace(devKey, "ac09", "ac08", 1)
	for name, row := range map[string][3]string{
		"not hexadecimal": {text.Reveal(), "hello", "400"}, "empty": {text.Reveal(), "", "400"},
		"wrong wallet": {text.Reveal(), other, "403"},
		"wrong key":    {"flk_x", devKey, "401"}, "other wallet on the key": {m.text, devKey, "403"},
	} {
		if r := revoke(row[0], row[1]); r.text(t, "data.revokeApiKey.code") != row[2] ||
			r.field(t, "data.revokeApiKey.newApiKey") != nil {
			t.Errorf("%s: %s", name, r.body)
		}
	}
	done := revoke(text.Reveal(), strings.TrimPrefix(devKey, "0x"))
	fresh := done.text(t, "data.revokeApiKey.newApiKey")
	if !strings.HasPrefix(fresh, "flk_") || fresh == text.Reveal() || done.text(t, "data.revokeApiKey.apiKey.creditsLeft") != "0" || done.text(t, "data.revokeApiKey.apiKey.wallet") != devWallet || done.text(t, "data.revokeApiKey.apiKey.key") != fresh {
		t.Errorf("revoke: %s", done.body)
	}
	for k, code := range map[string]string{text.Reveal(): "401", fresh: "200"} {
		if r := b.graphQL(`{ getCreditsLeft(apiKey: "`+k+`") { code } }`, ""); r.text(t, "data.getCreditsLeft.code") != code {
			t.Errorf("%s… answers %s, want %s", k[:8], r.body, code)
		}
	}
	if r := revoke(fresh, devKey); r.text(t, "data.revokeApiKey.code") != "402" {
		t.Errorf("without credits: %s", r.body)
	}
	if log := b.log.String(); strings.Contains(log, devKey[2:]) || strings.Contains(log, text.Reveal()) ||
		strings.Contains(log, fresh) {
		t.Error("a secret is in the log")
	}
}
