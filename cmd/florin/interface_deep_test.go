package main_test

import (
	"database/sql"
	"fmt"
	"math/big"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/testkit"
)

// The gas wallet of the program under test. The test gives it coins when money is to be swept.
const (
	sweepKey    = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"
	sweepWallet = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
)

// options reads back the networks and branding of a custodian and checks their effect. Other fields were changed since
// it was created.
func (w *witness) options() {
	update := func(name, rest string) {
		w.gql(
			name, w.bare, "mutation",
			fmt.Sprintf(`updateCustodianDetails(input: {apiKey: %q, %s})`, w.bare, rest), updatedFields,
		)
	}
	update("update one network", `networks: [{network: POLYGON, tokens: [USDC], minAmount: 5}]`)
	update("update one of branding", `branding: {tagline: "Roasted there"}`)
	pay := func(name, amount string) string {
		return w.gql(name, w.bare, "mutation", fmt.Sprintf(`payment(apiKey: %q, amount: %s, expiresInMinutes: 60)`, w.bare, amount), created).
			text("transaction.txnid")
	}
	txnid := pay("payment with options", "7")
	w.rest("pay on a network switched off", w.bare, "POST", "/pay", startBody(txnid, "BASE", "USDC"))
	w.rest("pay in a token left out", w.bare, "POST", "/pay", startBody(txnid, "POLYGON", "USDT"))
	w.rest(
		"pay less than the network's least", w.bare, "POST", "/pay",
		startBody(pay("a small payment with options", "4.99"), "POLYGON", "USDC"),
	)
	w.remember("the checkout", w.ask(http.MethodGet, "/pay?txnid="+txnid, "", "Accept", "text/html"))
	w.rest("pay as the options say", w.bare, "POST", "/pay", startBody(txnid, "POLYGON", "USDC"))
	w.cancel("cancel with options", txnid)
	w.hook("webhook with options", txnid)
}

// inDatabase changes what otherwise only time or a failure would change.
func (w *witness) inDatabase(statements ...string) {
	w.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.dir, "test.db")+"?_txlock=immediate&_pragma=busy_timeout(10000)")
	testkit.Must(w.t, err)
	defer db.Close()
	for _, text := range statements {
		if _, err := db.ExecContext(w.t.Context(), text); err != nil {
			w.t.Fatalf("%s: %v", text, err)
		}
	}
}

// long reads with a key whose payments are old.
func (w *witness) long() {
	key := w.newKey()
	w.gql(
		"a custodian of long ago", key, "mutation",
		fmt.Sprintf(`createCustodianAccount(input: {apiKey: %q, wallets: {base: %q}})`, key, settlementWallet),
		custodianFields,
	)
	for days, name := range map[int]string{
		0: "made now", 3: "made days ago", 10: "made weeks ago", 40: "made months ago",
	} {
		txnid := w.gql(name, key, "mutation", fmt.Sprintf(`payment(apiKey: %q, amount: 1, expiresInMinutes: 60)`, key), created).
			text("transaction.txnid")
		w.inDatabase(
			fmt.Sprintf(
				"UPDATE payments SET created_at = created_at - %d WHERE public_id = '%s'",
				int64(days)*24*time.Hour.Microseconds(), txnid,
			),
		)
	}
	for name, filter := range map[string]string{
		"24h": `, timeRange: "24h"`, "1week": `, timeRange: "1week"`, "1month": `, timeRange: "1month"`,
		"all": "",
	} {
		w.gql("of long ago "+name, key, "query", fmt.Sprintf(`getTransactions(apiKey: %q%s)`, key, filter), listed)
	}
	w.gql(
		"started on Base", w.key, "query",
		fmt.Sprintf(`getTransactions(apiKey: %q, status: STARTED, network: BASE)`, w.key), listed,
	)
	w.gql("an empty key", "", "query", `getCreditsLeft(apiKey: "")`, creditFields)
	for name, amount := range map[string]string{
		"least": "0.01", "below the least": "0.009999", "most": "1000000", "above the most": "1000000.000001",
		"seven places": "0.1000001", "trailing zeros": "1.5000000", "a text": `"5,00"`, "nothing": "0",
	} {
		w.rest("amount "+name, key, "POST", "/create-payment", fmt.Sprintf(`{"apiKey":%q,"amount":%s}`, key, amount))
	}
	bare := w.newKey("--wallet", "") // the last one counts
	for name, call := range map[string]string{
		"revoke":   "revokeApiKey(apiKey: %q, privateKey: %q)",
		"recharge": "rechargeApiKey(apiKey: %q, privateKey: %q, unit: 1)",
	} {
		w.gql(name+" without a wallet", bare, "mutation", fmt.Sprintf(call, bare, ownPrivateKey), "code message")
		w.gql(name+" with no private key", key, "mutation", fmt.Sprintf(call, key, "0x12"), "code message")
	}
	w.rest(
		"cancel as a form", "", "POST", "/cancel-payment", "txnid=1", "Content-Type",
		"application/x-www-form-urlencoded",
	)
}

// broken cancels while the database refuses to.
func (w *witness) broken() {
	txnid := w.create("one that is hard to cancel")
	w.inDatabase(
		`CREATE TRIGGER misfortune BEFORE UPDATE ON payments WHEN NEW.status = 'CANCELLED' BEGIN SELECT RAISE(ABORT, 'the disk is on fire'); END`,
	)
	w.cancel("cancel in misfortune", txnid)
	w.read("after the misfortune", txnid)
	w.inDatabase("DROP TRIGGER misfortune")
	w.cancel("cancel after the misfortune", txnid)
}

// settled lets the money of the first payment be swept, and completes manually one that has none.
func (w *witness) settled() {
	ask := func(name, network string) {
		w.gql(
			name, w.key, "query",
			fmt.Sprintf(`checkAdminUntransferred(apiKey: %q, network: %s)`, w.key, network), untransferred,
		)
	}
	txnid := w.create("one completed by hand")
	w.rest("start it", w.key, "POST", "/pay", startBody(txnid, "BASE", "USDC"))
	ask("untransferred before the hand", "BASE")
	w.gql(
		"mark started", w.key, "mutation",
		fmt.Sprintf(`manualMarkAsCompleted(apiKey: %q, txnid: %q)`, w.key, txnid), "code message success",
	)
	ask("untransferred after the hand", "BASE")

	polygon, paid := w.chains[1], w.heard["payment"].text("transaction.txnid")
	before := polygon.balance(w.t, polygon.Tokens().USDT, settlementWallet)
	coins, err := polygon.FundNative(w.t.Context(), common.HexToAddress(sweepWallet), big.NewInt(1e18))
	testkit.Must(w.t, err)
	if _, err := polygon.WaitReceipt(w.t.Context(), coins); err != nil {
		w.t.Fatal(err)
	}
	eventually(w.t, "the sweep is final", func() bool {
		out := w.ask(
			http.MethodPost,
			"/graphql",
			fmt.Sprintf(
				`{"query":"{ checkAdminUntransferred(apiKey: \"%s\", network: POLYGON) { transactions { txnid } } }"}`,
				w.key,
			),
		)
		return out.status == http.StatusOK && !strings.Contains(out.raw, paid)
	})
	ask("untransferred after the sweep", "POLYGON")
	w.swept = polygon.balance(w.t, polygon.Tokens().USDT, settlementWallet) - before
}

// lacks holds if a list does not contain the payment.
func lacks(step, other string) func(*witness) string {
	return func(w *witness) string {
		txnid := w.step(other).text("transaction.txnid")
		list, ok := w.step(step).field("transactions").([]any)
		if !ok || txnid == "" ||
			slices.ContainsFunc(list, func(x any) bool { m, _ := x.(map[string]any); return m["txnid"] == txnid }) {
			return fmt.Sprintf("%s lists %s of %s: %s", step, txnid, other, w.step(step).raw)
		}
		return ""
	}
}

// lists holds if a list contains the payment of another step.
func lists(step, other string) func(*witness) string {
	return func(w *witness) string { return contains(step, w.step(other).text("transaction.txnid"))(w) }
}

// deepRows are the clauses that need more than a request: options with an effect, time that has passed, money that was
// swept, an internal error.
var deepRows = []clause{
	{"1/2/page", "the link opens a page on which the customer selects a network", func(w *witness) string {
		page := w.step("the checkout")
		if page.status != 200 || !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") ||
			!strings.Contains(page.raw, `value="BEP20"`) {
			return fmt.Sprintf("%d %s %.300s", page.status, page.header.Get("Content-Type"), page.raw)
		}
		return ""
	}},
	{"1/custodian/branding", "the custodian's name and branding are what the checkout shows", func(w *witness) string {
		for _, want := range []string{"Second", "Roasted there", "https://shop.example/l.png"} {
			if !strings.Contains(w.step("the checkout").raw, want) {
				return "the page lacks " + want
			}
		}
		return ""
	}},
	{
		"2.2/amount/bounds", "amounts from 0.01 to 1,000,000 are taken, bounds included",
		all(is("amount least", "transaction.amount", 0.01), is("amount most", "transaction.amount", 1000000)),
	},
	{
		"2.2/amount/beyond", "and none beyond",
		all(
			answers("amount below the least", 400), refuses("amount below the least", 400),
			refuses("amount above the most", 400), refuses("amount nothing", 400),
		),
	},
	{
		"2.2/amount/places", "with six places at most, zeros behind them not counted",
		all(refuses("amount seven places", 400), is("amount trailing zeros", "transaction.amount", 1.5)),
	},
	{"2.2/amount/number", "amount is a number, and no text that could be another", refuses("amount a text", 400)},
	{
		"2.4/networks", "per-chain configuration is kept and returned",
		all(
			is("createCustodianAccount", "custodian.networks.0.network", "BASE"),
			is("createCustodianAccount", "custodian.networks.0.enabled", false),
			is("createCustodianAccount", "custodian.networks.1", nil),
		),
	},
	{
		"2.4/networks/off", "a network that is switched off is not offered",
		all(answers("pay on a network switched off", 422), refuses("pay on a network switched off", 422)),
	},
	{"2.4/networks/tokens", "nor a token that is left out", refuses("pay in a token left out", 422)},
	{
		"2.4/networks/least", "nor a network for less than its least amount",
		refuses("pay less than the network's least", 422),
	},
	{"2.4/networks/offered", "what is offered can be started", debits("pay as the options say", 1, 0)},
	{
		"2.4/branding", "branding is kept and returned",
		all(
			is("createCustodianAccount", "custodian.branding.tagline", "Roasted here"),
			is("createCustodianAccount", "custodian.branding.primaryColor", "#1a2b3c"),
			is("createCustodianAccount", "custodian.branding.logoUrl", "https://shop.example/l.png"),
		),
	},
	{"2.4/secret", "the callback secret is in no result", func(w *witness) string {
		for _, step := range []string{"createCustodianAccount", "updateCustodianDetails"} {
			if strings.Contains(w.step(step).raw, `"s"`) || w.step(step).raw == "" {
				return "the secret is in " + w.step(step).raw
			}
		}
		return ""
	}},
	{"3/mark/started", "manualMarkAsCompleted completes a started payment", debits("mark started", 0, 1)},
	{
		"4.1/rule 2/24h", "timeRange 24h leaves out what was made three days ago",
		all(lists("of long ago 24h", "made now"), lacks("of long ago 24h", "made days ago")),
	},
	{
		"4.1/rule 2/1week", "1week goes back seven days, and not ten",
		all(lists("of long ago 1week", "made days ago"), lacks("of long ago 1week", "made weeks ago")),
	},
	{
		"4.1/rule 2/1month", "1month goes back ten days, and not forty",
		all(lists("of long ago 1month", "made weeks ago"), lacks("of long ago 1month", "made months ago")),
	},
	{"4.1/rule 2/ever", "without timeRange nothing is left out", lists("of long ago all", "made months ago")},
	{
		"4.1/rule 2/together", "filters hold together",
		all(
			every("started on Base", "status", "STARTED"), every("started on Base", "network", "BASE"),
			lacks("started on Base", "startBep20Payment"), lacks("started on Base", "POST /cancel-payment"),
		),
	},
	{
		"4.1/rule 6/networks",
		"what is not given stays: the other network",
		all(
			same("updateCustodianDetails", "custodian.networks", "createCustodianAccount", "custodian.networks"),
			func(w *witness) string {
				list, _ := w.step("update one network").field("custodian.networks").([]any)
				text := fmt.Sprint(list)
				if len(list) != 2 || !strings.Contains(text, "minAmount:5") || !strings.Contains(text, "network:BASE") {
					return "the networks are " + text
				}
				return ""
			},
		),
	},
	{
		"4.1/rule 6/branding", "the rest of the branding",
		all(
			same("updateCustodianDetails", "custodian.branding", "createCustodianAccount", "custodian.branding"),
			is("update one of branding", "custodian.branding.tagline", "Roasted there"),
			is("update one of branding", "custodian.branding.primaryColor", "#1a2b3c"),
		),
	},
	{"4.1/rule 6/secret", "and the secret", is("webhook with options", "secret", "s")},
	{
		"4.1/rule 7/started", "checkAdminUntransferred lists a started payment",
		lists("untransferred on Base", "startBasePayment's"),
	},
	{"4.1/rule 7/cancelled", "and no cancelled one", lacks("untransferred on Base", "POST /cancel-payment")},
	{
		"4.1/rule 7/swept",
		"nor one whose money is at the settlement wallet",
		all(
			is("untransferred after the sweep", "code", 200),
			lists("checkAdminUntransferred", "payment"),
			lacks("untransferred after the sweep", "payment"),
			func(w *witness) string {
				if w.swept != 1250 {
					return fmt.Sprintf("%d cents came to the settlement wallet", w.swept)
				}
				return ""
			},
		),
	},
	{
		"4.1/rule 7/nothing", "one completed by hand without money has nothing to sweep",
		all(
			lists("untransferred before the hand", "one completed by hand"),
			lacks("untransferred after the hand", "one completed by hand"),
		),
	},
	{
		"4.2/health/shape", "its answer has the state of the program, its database and its networks",
		all(
			has("health", "", "status version database networks rechargeApiKey"),
			has("health", "networks", "BEP20 POLYGON BASE SOL"), is("health", "rechargeApiKey.status", "ok"),
		),
	},
	{
		"4.2/cancel-payment/json", "the content type of POST /cancel-payment is application/json",
		all(answers("cancel as a form", 415), refuses("cancel as a form", 415)),
	},
	{"5/7/empty", "an empty key is a missing one", is("an empty key", "code", 401)},
	{
		"5/6/wallet", "a private key is of use only where a wallet is registered",
		all(refuses("revoke without a wallet", 409), refuses("recharge without a wallet", 409)),
	},
	{
		"5/6/form", "what is no private key is 400",
		all(refuses("revoke with no private key", 400), refuses("recharge with no private key", 400)),
	},
	{"6/rule 2/POST", "a webhook is a POST", func(w *witness) string {
		w.receiver.mu.Lock()
		defer w.receiver.mu.Unlock()
		for _, a := range w.receiver.arrivals {
			if a.method != http.MethodPost {
				return fmt.Sprintf("%s came by %s", a.raw, a.method)
			}
		}
		return map[bool]string{true: "none came"}[len(w.receiver.arrivals) == 0]
	}},
	{"6/rule 3/else", "nothing is sent when a payment is created or started", func(w *witness) string {
		txnid := w.step("startBasePayment's").text("transaction.txnid")
		if n := len(w.about(txnid)); n != 0 || txnid == "" {
			return fmt.Sprintf("%d webhooks came about %q", n, txnid)
		}
		return ""
	}},
	{"6/body/network/base", "network is base for BASE", is("webhook cancelled", "network", "base")},
	{"6/body/createdAt/form", "createdAt has the form of reads", that("webhook expired", "createdAt", moment)},
	{
		"7/500/cancel",
		"a server error while cancelling is 500, with an id to ask about and no trace",
		all(
			answers("cancel in misfortune", 500),
			refuses("cancel in misfortune", 500),
			is("cancel in misfortune", "transaction", nil),
			func(w *witness) string {
				s := w.step("cancel in misfortune")
				id := s.header.Get("X-Request-Id")
				if id == "" || !strings.Contains(s.text("message"), id) || !strings.Contains(w.log, id) ||
					strings.Contains(s.raw, "fire") {
					return fmt.Sprintf("request %q is answered %s", id, s.raw)
				}
				return ""
			},
		),
	},
	{
		"7/500/untouched", "the payment is as it was, and can be cancelled afterwards",
		all(
			is("after the misfortune", "transaction.status", "PENDING"),
			is("cancel after the misfortune", "transaction.status", "CANCELLED"),
		),
	},
}
