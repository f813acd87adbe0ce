package web

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// GET /orders lists what getTransactions lists, for the same credit.
func TestOrders(t *testing.T) {
	t.Parallel()
	checkOrders(t, newBundle(t))
}

func checkOrders(t *testing.T, b *bundle) {
	t.Helper()
	m, other := b.newMerchant(50), b.newMerchant(5)
	var ids []string
	for _, reference := range []string{"order-1", "Order-1", "order-1", "", "order-12"} {
		p, err := b.payments.Create(t.Context(), payment.CreateInput{
			KeyID: m.key.ID, Amount: "49.90", Details: payment.Details{Reference: reference},
		}, audit.Act{})
		must(t, err)
		ids = append(ids, string(p.ID))
		b.clock.advance(time.Minute)
	}
	theirs, err := b.payments.Create(t.Context(), payment.CreateInput{
		KeyID: other.key.ID, Amount: "1", Details: payment.Details{Reference: "order-1"},
	}, audit.Act{})
	must(t, err)
	p, err := b.payments.Get(t.Context(), ids[2])
	must(t, err)
	b.start(p, chain.Polygon)
	for query, want := range map[string][]string{
		"":                                {ids[4], ids[3], ids[2], ids[1], ids[0]},
		"reference=order-1":               {ids[2], ids[0]},
		"reference=Order-1":               {ids[1]},
		"reference=order-1&sortOrder=asc": {ids[0], ids[2]},
		"reference=order-1&first=1":       {ids[2]},
		"reference=order-1&first=1&after=" + ids[2]: {ids[0]},
		"reference=order-1&status=started":          {ids[2]},
		"reference=order-1&network=Polygon":         {ids[2]},
		"reference=order-1&network=BASE":            nil,
		"reference=order":                           nil,
		"status=STARTED":                            {ids[2]},
		"network=polygon":                           {ids[2]},
		"timeRange=24h&first=1":                     {ids[4]},
		"first=2&after=" + ids[3]:                   {ids[2], ids[1]},
		"reference=" + url.QueryEscape("Zürich 7"):  nil,
	} {
		before := b.balance(m)
		r := b.ask("GET", "/orders?"+query, "", "x-api-key", m.text)
		var got []string
		list, _ := r.field(t, "transactions").([]any)
		for _, x := range list {
			got = append(got, x.(map[string]any)["txnid"].(string))
		}
		if r.status != 200 || !slices.Equal(got, want) {
			t.Errorf("GET /orders?%s: %d %v, want %v", query, r.status, got, want)
		}
		if left := b.balance(m); left != before-1 {
			t.Errorf("GET /orders?%s: %d credits before, %d after", query, before, left)
		}
		if r.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("GET /orders allows every origin")
		}
	}
	checkOrdersRefused(t, b, m)
	if r := b.ask("GET", "/orders", "", "api-key", other.text); !strings.Contains(r.body, string(theirs.ID)) ||
		strings.Contains(r.body, ids[0]) {
		t.Errorf("another key lists %s", r.start())
	}
	found := b.graphQL(`{ getTransactions(apiKey: "`+m.text+`", reference: "Order-1") { transactions { txnid } } }`, "")
	if !strings.Contains(found.body, ids[1]) || strings.Contains(found.body, ids[0]) {
		t.Errorf("getTransactions by reference: %s", found.body)
	}
}

func checkOrdersRefused(t *testing.T, b *bundle, m seller) {
	t.Helper()
	before := b.balance(m)
	for query, want := range map[string]string{
		"status=PAID": "status", "network=ETH": "network", "first=0": "first", "first=501": "first", "first=x": "first",
		"after=" + unknownTxn: "after", "timeRange=soon": "timeRange", "sortOrder=up": "sortOrder",
		"reference=%00": "reference", "reference=" + strings.Repeat("x", 129): "reference",
	} {
		if r := b.ask("GET", "/orders?"+query, "", "x-api-key", m.text); r.status != 400 ||
			!strings.Contains(r.text(t, "message"), want) {
			t.Errorf("GET /orders?%s: %d %s", query, r.status, r.start())
		}
	}
	b.run(t, []scenario{
		{name: "no key", method: "GET", path: "/orders", status: 401, want: []string{`"transactions":null`}},
		{name: "key in the address", method: "GET", path: "/orders?apiKey=" + m.text, status: 401},
		{name: "head", method: "HEAD", path: "/orders", header: []string{"api-key", m.text}, status: 405},
	})
	if left := b.balance(m); left != before {
		t.Errorf("refusals cost %d credits", before-left)
	}
	poor := b.newKey(0, 0)
	if r := b.ask("GET", "/orders", "", "api-key", poor.text); r.status != 402 {
		t.Errorf("without credits: %d %s", r.status, r.body)
	}
}
