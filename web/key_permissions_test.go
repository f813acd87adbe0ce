package web

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
)

// keyRequests are the requests that an API key makes, with the permission each needs. $K
// is the key and $T the txnid of a payment that is open.
var keyRequests = map[string]struct{ needs, method, path, body string }{
	"payment":                   {"create", "POST", "/graphql", `mutation { payment(apiKey: "$K", amount: 5) { code message } }`},
	"StartPayment":              {"create", "POST", "/graphql", `mutation { StartPayment(apiKey: "$K", txnid: "$T", network: BASE, token: USDC) { code message } }`},
	"startBasePayment":          {"create", "POST", "/graphql", `mutation { startBasePayment(txnid: "$T", token: USDC) { code message } }`},
	"cancelPayment":             {"cancel", "POST", "/graphql", `mutation { cancelPayment(txnid: "$T") { code message } }`},
	"getCreditsLeft":            {"read", "POST", "/graphql", `{ getCreditsLeft(apiKey: "$K") { code message } }`},
	"getQueriesLeft":            {"read", "POST", "/graphql", `{ getQueriesLeft(apiKey: "$K") { code message } }`},
	"getTransactions":           {"read", "POST", "/graphql", `{ getTransactions(apiKey: "$K") { code message } }`},
	"getTransactionDetails":     {"read", "POST", "/graphql", `{ getTransactionDetails(apiKey: "$K", txnid: "$T") { code message } }`},
	"checkAdminUntransferred":   {"read", "POST", "/graphql", `{ checkAdminUntransferred(apiKey: "$K", network: BASE) { code message } }`},
	"GET /orders/:txnid":        {"read", "GET", "/orders/$T", ""},
	"manualMarkAsCompleted":     {"complete", "POST", "/graphql", `mutation { manualMarkAsCompleted(apiKey: "$K", txnid: "$T") { code message } }`},
	"updateCustodianDetails":    {"custodian", "POST", "/graphql", `mutation { updateCustodianDetails(input: {apiKey: "$K", name: "x"}) { code message } }`},
	"createCustodianAccount":    {"custodian", "POST", "/graphql", `mutation { createCustodianAccount(input: {apiKey: "$K", name: "x"}) { code message } }`},
	"POST /create-payment":      {"create", "POST", "/create-payment", `{"apiKey":"$K","amount":5}`},
	"POST /pay":                 {"create", "POST", "/pay", `{"apiKey":"$K","txnid":"$T","network":"BASE","token":"USDC"}`},
	"POST /cancel-payment":      {"cancel", "POST", "/cancel-payment", `{"apiKey":"$K","txnid":"$T"}`},
	"POST /cancel-payment, key": {"cancel", "POST", "/cancel-payment", `{"txnid":"$T"}`},
	"GET /events":               {"read", "GET", "/events", ""},
	"refund":                    {"refund", "POST", "/graphql", `mutation { refund(apiKey: "$K", txnid: "$T") { code message } }`},
	"cancelRefund":              {"refund", "POST", "/graphql", `mutation { cancelRefund(apiKey: "$K", id: "$T") { code message } }`},
	"confirmRefund":             {"refund", "POST", "/graphql", `mutation { confirmRefund(apiKey: "$K", id: "$T", hash: "x") { code message } }`},
	"refunds":                   {"read", "POST", "/graphql", `{ refunds(apiKey: "$K", txnid: "$T") { code message } }`},
	"POST /refunds":             {"refund", "POST", "/refunds", `{"apiKey":"$K","txnid":"$T"}`},
	"POST /refunds/hash":        {"refund", "POST", "/refunds/$T/hash", `{"hash":"x"}`},
	"POST /refunds/cancel":      {"refund", "POST", "/refunds/$T/cancel", `{}`},
	"GET /refunds":              {"read", "GET", "/refunds?txnid=$T", ""},
	"GET /refunds/:id":          {"read", "GET", "/refunds/$T", ""},
}

// byKey sends a request of the table and returns its code and message.
func (b *bundle) byKey(name, key, txnid string, header ...string) (code, message string) {
	b.t.Helper()
	x := keyRequests[name]
	body := strings.NewReplacer("$K", key, "$T", txnid).Replace(x.body)
	header = append(header, "x-api-key", key)
	if x.path == "/graphql" {
		r := b.graphQL(body, "", header...)
		return r.text(b.t, "data."+name+".code"), r.text(b.t, "data."+name+".message")
	}
	r := b.ask(x.method, strings.ReplaceAll(x.path, "$T", txnid), body, header...)
	if x.path == "/events" && r.status == 200 {
		return "200", ""
	}
	return r.text(b.t, "code"), r.text(b.t, "message")
}

// Each operation, over GraphQL and REST, needs its permission and no other; the
// refusal names it, and costs nothing.
func TestKeyPermissions(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	for name, x := range keyRequests {
		t.Run(name, func(t *testing.T) {
			m := b.newMerchant(5)
			txnid := string(b.newPayment(m).ID)
			all := merchant.AllPermissions()
			var others, only []string
			for _, p := range all.List() {
				if string(p) == x.needs {
					only = append(only, string(p))
				} else {
					others = append(others, string(p))
				}
			}
			b.permit(m, others, "")
			before := b.balance(m)
			code, message := b.byKey(name, m.text, txnid)
			if code != "403" || !strings.Contains(message, `"`+x.needs+`"`) || b.balance(m) != before {
				t.Errorf("without %s: %s %s, %d credits of %d left", x.needs, code, message, b.balance(m), before)
			}
			b.permit(m, only, "")
			if code, message := b.byKey(name, m.text, txnid); code == "403" || code == "401" {
				t.Errorf("with %s alone: %s %s", x.needs, code, message)
			}
		})
	}
}

// permit sets what the seller's key may do, and from where.
func (b *bundle) permit(m seller, permissions []string, from string) {
	b.t.Helper()
	p, err := merchant.ParsePermissions(permissions)
	must(b.t, err)
	s, err := merchant.ParseSources(from)
	must(b.t, err)
	must(b.t, b.accounts.SetKeyRights(b.t.Context(), m.key, p, s, audit.Act{}))
}

// A key is used from its networks only, by the address that a trusted proxy reports.
// Everything that takes a key checks it, rotation and recharge included.
func TestKeySources(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(9)
	b.permit(m, []string{"create", "read", "cancel", "complete", "custodian"}, "203.0.113.0/24 2001:db8::/48")
	p := b.newPayment(m)
	for name := range keyRequests {
		for _, from := range []string{"203.0.114.1", "2001:db8:1::1", "203.0.113.9, 198.51.100.1", ""} {
			var header []string
			if from != "" {
				header = []string{"X-Forwarded-For", from}
			}
			code, message := b.byKey(name, m.text, string(p.ID), header...)
			if code != "403" || !strings.Contains(message, "network address") || strings.Contains(message, "203.0") {
				t.Errorf("%s from %q: %s %s", name, from, code, message)
			}
		}
	}
	for name, call := range map[string]string{
		"revokeApiKey":          `revokeApiKey(apiKey: "` + m.text + `", privateKey: "` + devKey + `")`,
		"rechargeApiKey":        `rechargeApiKey(apiKey: "` + m.text + `", privateKey: "` + devKey + `", unit: 1)`,
		"rotateApiKeyChallenge": `rotateApiKeyChallenge(apiKey: "` + m.text + `")`,
	} {
		r := b.graphQL("mutation { "+call+" { code } }", "")
		if name == "rotateApiKeyChallenge" {
			r = b.graphQL("query { "+call+" { code } }", "")
		}
		if !strings.Contains(r.body, `"code":403`) {
			t.Errorf("%s from elsewhere: %s", name, r.body)
		}
	}
	for _, from := range []string{"203.0.113.9", "198.51.100.1, 203.0.113.9", "2001:db8::1"} {
		if code, message := b.byKey("getCreditsLeft", m.text, "", "X-Forwarded-For", from); code != "200" {
			t.Errorf("from %q: %s %s", from, code, message)
		}
	}
}

// A developer's session makes a key with the developer's permissions at most.
func TestUserCreateApiKey_Permissions(t *testing.T) {
	t.Parallel()
	d := newDirected(t)
	owner, err := d.accounts.UserByEmail(t.Context(), ownerEmail)
	must(t, err)
	d.colleague(owner, "dev@shop.example", merchant.RoleDeveloper)
	as := func(email, arguments string) reply {
		in, err := d.accounts.SignIn(
			t.Context(), identity.Credentials{Email: email, Password: secret.New(testPassword)},
		)
		must(t, err)
		return d.graphQL("mutation { UserCreateApiKey"+arguments+
			" { code message apiKey { permissions sourceNetworks } } }", "", "Authorization", "Bearer "+in.Token.Reveal())
	}
	for name, c := range map[string]struct{ email, arguments, want string }{
		"Owner":     {ownerEmail, "", `"permissions":["CREATE","READ","CANCEL","COMPLETE","CUSTODIAN","REFUND"],"sourceNetworks":[]`},
		"Developer": {"dev@shop.example", "", `"permissions":["CREATE","READ"],"sourceNetworks":[]`},
		"Chosen": {
			ownerEmail, `(permissions: [READ], sourceNetworks: ["10.1.2.3/8"])`,
			`"permissions":["READ"],"sourceNetworks":["10.0.0.0/8"]`,
		},
		"TooMuch":    {"dev@shop.example", `(permissions: [READ, CUSTODIAN])`, `"code":403`},
		"BadNetwork": {ownerEmail, `(sourceNetworks: ["shop"])`, `"code":400`},
	} {
		if r := as(c.email, c.arguments); !strings.Contains(r.body, c.want) {
			t.Errorf("%s: %s, want %s", name, r.body, c.want)
		}
	}
}
