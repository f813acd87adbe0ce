package web

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

const everyField = `txnid amount amountInToken token network status wallet { address } countdown hash blockchainLink
	isExpired expiresAt createdAt receivedAmount reference metadata paymentUri confirmations requiredConfirmations`

// The same transaction, read and written over both surfaces through its life.
func TestTransactionThroughItsLife(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	p := b.newPayment(m)
	check := func(step string, want map[string]string) {
		t.Helper()
		rest := b.ask("GET", "/orders/"+string(p.ID), "")
		graphQL := b.graphQL(`{ getTxnDetails(txnid: "`+string(p.ID)+`") { code message transaction { `+everyField+` } } }`, "")
		if again := b.ask("GET", "/txn/"+string(p.ID), ""); again.body != rest.body {
			t.Errorf("%s: /txn says %s, /orders %s", step, again.body, rest.body)
		}
		for path, value := range want {
			if got := rest.text(t, "transaction."+path); got != value {
				t.Errorf("%s, REST: %s is %s, want %s", step, path, got, value)
			}
			if got := graphQL.text(t, "data.getTxnDetails.transaction."+path); got != value {
				t.Errorf("%s, GraphQL: %s is %s, want %s", step, path, got, value)
			}
		}
	}
	check("created", map[string]string{
		"txnid": string(p.ID), "amount": "49.9", "amountInToken": "49.9", "token": "null", "network": "null",
		"status": "PENDING",
		"wallet": "null", "countdown": "3600", "hash": "null", "blockchainLink": "null", "isExpired": "false",
		"receivedAmount": "0", "reference": "NL-1042", "metadata": "null", "paymentUri": "null",
		"confirmations": "null",
	})
	b.clock.advance(40 * time.Minute)
	started := b.ask("POST", "/pay", `{"txnid":"`+string(p.ID)+`","network":"POLYGON","token":"USDC"}`)
	address := started.text(t, "transaction.wallet.address")
	if started.status != 200 || !strings.HasPrefix(address, "0x") {
		t.Fatalf("start: %d %s", started.status, started.body)
	}
	uri := "ethereum:0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359@137/transfer?address=" + address + "&uint256=49900000"
	check("started", map[string]string{
		"status": "STARTED", "network": "POLYGON", "token": "USDC", "wallet.address": address, "countdown": "1800",
		"paymentUri": uri,
	})
	again := b.graphQL(`mutation { startPolygonPayment(txnid: "`+string(p.ID)+`", token: USDC) { code transaction { wallet { address } } } }`, "")
	if got := again.text(t, "data.startPolygonPayment.transaction.wallet.address"); got != address || b.balance(m) != 4 {
		t.Errorf("starting again gave %s and left %d credits", got, b.balance(m))
	}
	t.Run("Deposits", func(t *testing.T) {
		stored, err := b.payments.Get(t.Context(), string(p.ID))
		must(t, err)
		stored = b.deposit(stored, 20*money.USD, true)
		check("short", map[string]string{
			"status": "STARTED", "receivedAmount": "20", "hash": string(stored.Hash), "confirmations": "11",
			"requiredConfirmations": "11",
			"blockchainLink":        "https://polygonscan.com/tx/" + string(stored.Hash),
			"paymentUri":            strings.Replace(uri, "49900000", "29900000", 1),
		})
		stored = b.deposit(stored, 30*money.USD, false)
		check("seen", map[string]string{
			"status": "STARTED", "receivedAmount": "20", "paymentUri": "null",
			"hash": string(stored.Hash),
		})
		stored = b.deposit(stored, 30*money.USD, true)
		check("paid", map[string]string{
			"status": "COMPLETED", "countdown": "0", "isExpired": "false", "hash": string(stored.Hash),
			"paymentUri": "null", "wallet.address": address,
		})
	})
	expired := b.newPayment(m)
	b.ask("POST", "/pay", `{"txnid":"`+string(expired.ID)+`","network":"POLYGON","token":"USDC"}`)
	expired, err := b.payments.Get(t.Context(), string(expired.ID))
	must(t, err)
	p = b.expire(expired)
	check("expired", map[string]string{
		"status": "EXPIRED", "isExpired": "true", "countdown": "0",
		"network": "POLYGON", "paymentUri": "null",
	})
}

func TestUnavailableNetwork(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	p := b.newPayment(m)
	b.networks.fallBehind(chain.Base)
	got := b.ask("POST", "/pay", `{"txnid":"`+string(p.ID)+`","network":"BASE","token":"USDC"}`)
	if got.status != 503 || got.header.Get("Retry-After") == "" || b.balance(m) != 5 {
		t.Errorf("%d %s, Retry-After %q, %d credits", got.status, got.body, got.header.Get("Retry-After"), b.balance(m))
	}
	if read := b.ask("GET", "/orders/"+string(p.ID), ""); read.text(t, "transaction.status") != "PENDING" {
		t.Errorf("the payment was touched: %s", read.body)
	}
	if health := b.ask("GET", "/health", ""); health.status != 200 || health.text(t, "status") != "degraded" || health.text(t, "networks.BASE.status") != "degraded" {
		t.Errorf("health: %d %s", health.status, health.body)
	}
}

func TestParallelStartsAgainstTheLastCredits(t *testing.T) {
	onEach(t, checkParallelStartsAgainstTheLastCredits)
}

func checkParallelStartsAgainstTheLastCredits(t *testing.T, b *bundle) {
	m := b.newMerchant(5)
	const n = 20
	var ids []string
	for range n {
		ids = append(ids, string(b.newPayment(m).ID))
	}
	replies := make(chan reply, n)
	for _, id := range ids {
		go func() {
			replies <- b.ask("POST", "/pay", fmt.Sprintf(`{"txnid":%q,"network":"BASE","token":"USDC"}`, id))
		}()
	}
	got := map[int]int{}
	for range n {
		got[(<-replies).status]++
	}
	if got[200] != 5 || got[402] != n-5 || b.balance(m) != 0 {
		t.Errorf("answers %v, %d credits left", got, b.balance(m))
	}
}

func (r reply) wantsNot(t *testing.T, status int, texts ...string) {
	t.Helper()
	r.wants(t, status)
	for _, text := range texts {
		if strings.Contains(r.body, text) {
			t.Errorf("it has %s: %s", text, r.start())
		}
	}
}

// TestPaidTwice: an order that is paid twice needs its merchant, is in the feed, and on the pages of both payments; the
// page of a third asks first. A merchant whose references repeat switches that off.
func TestPaidTwice(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	order := func() payment.Payment {
		details := payment.Details{Reference: "order-7", CancelURL: "https://shop.example/cart"}
		p, err := b.payments.Create(
			t.Context(), payment.CreateInput{KeyID: m.key.ID, Amount: "30", Details: details}, audit.Act{},
		)
		must(t, err)
		return p
	}
	first, second, third := b.start(order(), chain.Polygon), b.start(order(), chain.Base), order()
	page := "/pay?txnid=" + string(third.ID)
	const asks, warns, ways = `data-testid="ask-twice"`, `data-testid="twice"`, `data-testid="choose"`
	b.ask("GET", page, "").wantsNot(t, 200, asks, warns)
	first = b.deposit(first, first.Amount, true)
	b.ask("GET", page, "").wants(t, 200, asks, `view=again`, "https://shop.example/cart")
	b.ask("GET", page, "").wantsNot(t, 200, ways)
	b.ask("GET", page+"&view=again", "").wants(t, 200, warns, ways)
	b.ask("GET", page+"&lang=de", "").wants(t, 200, "Diese Bestellung ist schon bezahlt")
	address := string(second.Routes[0].Address.Address)
	b.ask("GET", "/pay?txnid="+string(second.ID), "").wants(t, 200, warns, address)
	s.get("/dashboard/attention").wants(t, 200, "No payment needs you")

	second = b.deposit(second, second.Amount, true)
	const before = "reference order-7 was paid before"
	if n := needs(s.get("/dashboard/attention").body, second); !strings.Contains(n, before) {
		t.Errorf("needs attention says %q", n)
	}
	types, data := b.feedOf(m)
	if i := slices.Index(types, "payment.duplicate"); i < 0 || !strings.Contains(data, `"duplicateOf":"`+string(first.ID)) {
		t.Errorf("the feed has %v: %s", types, data)
	}
	for _, x := range []struct{ of, names payment.Payment }{{first, second}, {second, first}} {
		s.get("/dashboard/payments/"+string(x.of.ID)).wants(t, 200, fmt.Sprintf("/dashboard/payments/%s", x.names.ID))
	}
	s.post("/dashboard/payments/"+string(second.ID)+"/resolve", "note", "sent back").leads(t, "/dashboard/attention")

	_, _, err := b.accounts.ArrangeCustodian(
		t.Context(), m.key, merchant.CustodianInput{Repeats: new(true)}, audit.Act{},
	)
	must(t, err)
	s.get("/dashboard/settings/payouts").wants(t, 200, `name="repeats" value="yes" checked`)
	b.ask("GET", page, "").wantsNot(t, 200, asks, warns)
	b.deposit(b.start(third, chain.Polygon), third.Amount, true)
	s.get("/dashboard/attention").wants(t, 200, "No payment needs you")
}
