package web

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// Secrets of every kind go through every operation that takes one, at debug
// level, through success, failure and panic. None is in the log, the database
// or the response to an unrelated request.
func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	const password, callback = "canary-password-1", "canary-callback-1"
	wrongKey := "0x" + strings.Repeat("c0ffee", 10) + "c0ff"

	in := b.graphQL(signUp, `{"e":"bird@shop.example","p":"`+password+`"}`)
	session := in.text(t, "data.UserSignUp.token")
	made := b.graphQL(`mutation { UserCreateApiKey(wallet: "`+devWallet+`") { apiKey { key } } }`, "", "Authorization", "Bearer "+session)
	key := made.text(t, "data.UserCreateApiKey.apiKey.key")
	custodian := b.graphQL(`mutation($i: CustodianCreateInput!) { createCustodianAccount(input: $i) { code custodian { signingSecret } apiKey { key } } }`,
		`{"i":{"apiKey":"`+key+`","secret":"`+callback+`","wallets":{"polygon":"`+merchantWallet+`"},"callbackUrl":"https://shop.example/h"}}`, "Idempotency-Key", "canary")
	signing := custodian.text(t, "data.createCustodianAccount.custodian.signingSecret")

	q := &quietReplies{bundle: b, key: key, session: session, password: password, wrongKey: wrongKey}
	txnid := q.say(b.ask("POST", "/create-payment", `{"amount":5}`, "x-api-key", key, "Idempotency-Key", "p")).text(t, "transaction.txnid")
	q.useKey(txnid)
	q.recharge(t)
	q.useSession(txnid)
	rotated := b.graphQL(`mutation { revokeApiKey(apiKey: "`+key+`", privateKey: "`+devKey+`") { code newApiKey } }`, "")
	fresh := rotated.text(t, "data.revokeApiKey.newApiKey")
	q.useRoutes(t, txnid)
	q.holdNone(t, map[string]string{
		"password": password, "callback secret": callback, "signing secret": signing, "session": session, "key": key,
		"new key": fresh, "private key": devKey[2:], "wrong private key": wrongKey[2:],
	})
}

// quietReplies are the responses that must hold no secret.
type quietReplies struct {
	*bundle

	key, session, password, wrongKey string
	all                              []reply
}

func (q *quietReplies) say(r reply) reply {
	q.all = append(q.all, r)
	return r
}

// useKey sends the key in good and in malformed requests.
func (q *quietReplies) useKey(txnid string) {
	b, key, say := q.bundle, q.key, q.say
	for _, body := range []string{
		`{"apiKey":"` + key + `","amount":"5"}`, `{"apiKey":"` + key + `","amount":NaN}`, `{"apiKey":"` + key + `"`, `["` + key + `"]`, `{"apiKey":["` + key + `"]}`,
	} {
		say(b.ask("POST", "/create-payment", body))
	}
	say(b.ask("POST", "/create-payment", key, "Content-Type", "text/plain"))
	say(b.ask("POST", "/pay", `{"apiKey":"`+key+`","txnid":"`+txnid+`","network":"POLYGON","token":"USDC"}`, "Idempotency-Key", "s"))
	say(b.ask("POST", "/pay", `{"txnid":"`+txnid+`","network":"POLYGON","token":"USDC"}`, "Authorization", "Bearer "+q.session))
	say(b.ask("GET", "/events", "", "api-key", key))
	say(b.ask("GET", "/nothing/"+key, "", "Authorization", "Bearer "+key))
	say(b.graphQL(`{ getCreditsLeft(apiKey: "`+key+`") { code nothing } }`, ""))
	say(b.graphQL(`mutation { UserLogin(email: "bird@shop.example", password: "`+q.password+`x") { code message } }`, ""))
	wrongKey := q.wrongKey
	say(b.graphQL(`mutation { revokeApiKey(apiKey: "`+key+`", privateKey: "`+wrongKey+`") { code message newApiKey } }`, ""))
	say(b.graphQL(`mutation { revokeApiKey(apiKey: "`+key+`", privateKey: "`+wrongKey+`zz") { code message newApiKey } }`, ""))
}

// recharge sells queries to wallets with and without money.
func (q *quietReplies) recharge(t *testing.T) {
	t.Helper()
	b, key, say := q.bundle, q.key, q.say
	for _, private := range []string{q.wrongKey, q.wrongKey + "zz", devKey} {
		say(b.graphQL(`mutation { rechargeApiKey(apiKey: "`+key+`", privateKey: "`+private+`", unit: 1) { code message hash } }`, ""))
	}
	c := b.sellQueries(money.USD)
	stop := mining(c)
	defer stop()
	if r := say(b.graphQL(`mutation { rechargeApiKey(apiKey: "`+key+`", privateKey: "`+devKey+`", unit: 1) { code message hash } }`, "", "Idempotency-Key", "rc")); r.text(t, "data.rechargeApiKey.code") != "200" {
		t.Errorf("recharge: %s", r.body)
	}
	say(b.graphQL(`mutation { rechargeApiKey(apiKey: "`+key+`", privateKey: "`+devKey+`", unit: 1000) { code message hash } }`, ""))
}

// useSession signs in as a user, opens pages, and makes a handler panic.
func (q *quietReplies) useSession(txnid string) {
	b, key, say := q.bundle, q.key, q.say
	say(b.graphQL(`{ UserMe { code user { email } } }`, "", "Authorization", "Bearer "+q.session))
	b.server.handler.POST("/panic", func(c echo.Context) error { panic(c.Request().Header.Get("x-api-key")) })
	say(b.ask("POST", "/panic", `{}`, "x-api-key", key))
	for _, path := range []string{"/pay?txnid=" + txnid, "/orders/" + txnid} {
		say(b.ask("GET", path, ""))
	}
	b.networks.fallBehind(chain.Polygon)
}

// useRoutes signs out, sends the key as route and method, and reads the metrics.
func (q *quietReplies) useRoutes(t *testing.T, txnid string) {
	t.Helper()
	b, key, say := q.bundle, q.key, q.say
	say(b.graphQL(`mutation { UserLogout { code } }`, "", "Authorization", "Bearer "+q.session))
	for _, path := range []string{key, key + "/" + txnid} {
		say(b.ask(key, "/"+path, ""))
	}
	scrape := httptest.NewRecorder()
	b.metrics.Handler().ServeHTTP(scrape, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	measured := scrape.Body.String()
	if !strings.Contains(measured, `route="/orders/:txnid"`) || strings.Contains(measured, txnid) {
		t.Errorf("the metrics name no route, or a payment: %s", measured)
	}
	say(reply{body: measured})
}

// holdNone fails for a secret in the log, the database or an answer.
func (q *quietReplies) holdNone(t *testing.T, secrets map[string]string) {
	t.Helper()
	b := q.bundle
	stored := b.databaseBytes()
	for name, text := range secrets {
		if len(text) < 10 {
			t.Fatalf("there is no %s: %q", name, text)
		}
		if strings.Contains(b.log.String(), text) {
			t.Errorf("the %s is in the log", name)
		}
		if bytes.Contains(stored, []byte(text)) {
			t.Errorf("the %s is in the database", name)
		}
		for _, r := range q.all {
			if strings.Contains(r.body, text) {
				t.Errorf("the %s is in an answer: %s", name, r.start())
			}
		}
	}
}

// databaseBytes returns all files of the database.
func (b *bundle) databaseBytes() []byte {
	b.t.Helper()
	var all []byte
	for _, ending := range []string{"", "-wal"} {
		text, err := os.ReadFile(b.path + ending)
		if os.IsNotExist(err) {
			continue
		}
		must(b.t, err)
		all = append(all, text...)
	}
	if len(all) == 0 {
		b.t.Fatal("the database has no bytes")
	}
	return all
}
