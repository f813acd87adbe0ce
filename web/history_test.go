package web

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

func (b *bundle) queries(m seller) int64 {
	b.t.Helper()
	balance, err := b.accounts.Balance(b.t.Context(), m.key.ID)
	must(b.t, err)
	return balance.Queries
}

// list lists transactions and returns their txnids in order.
func (b *bundle) list(t *testing.T, m seller, arguments string) ([]string, reply) {
	t.Helper()
	r := b.graphQL(`{ getTransactions(apiKey: "`+m.text+`"`+arguments+`) { code message transactions { txnid } apiKey { creditsLeft } pageInfo { hasNextPage endCursor } } }`, "")
	var ids []string
	list, _ := r.field(t, "data.getTransactions.transactions").([]any)
	for _, x := range list {
		ids = append(ids, x.(map[string]any)["txnid"].(string))
	}
	return ids, r
}

func TestGetTransactions(t *testing.T) {
	t.Parallel()
	checkGetTransactions(t, newBundle(t))
}

func checkGetTransactions(t *testing.T, b *bundle) {
	t.Helper()
	m := b.newMerchant(60)
	var ids []string
	for i := range 5 {
		p := b.newPayment(m)
		ids = append(ids, string(p.ID))
		switch i {
		case 1:
			b.start(p, chain.Polygon)
		case 2:
			b.deposit(b.start(p, chain.Base), 50*money.USD, true)
		case 3:
			b.expire(p)
		}
		b.clock.advance(36 * time.Hour)
	}
	other := b.newMerchant(5)
	b.newPayment(other)
	rev := func(list []string) []string {
		out := make([]string, len(list))
		for i, x := range list {
			out[len(list)-1-i] = x
		}
		return out
	}
	for arguments, want := range map[string][]string{
		``:                                    rev(ids),
		`, sortOrder: "desc"`:                 rev(ids),
		`, sortOrder: "asc"`:                  ids,
		`, status: STARTED`:                   {ids[1]},
		`, status: COMPLETED`:                 {ids[2]},
		`, status: CANCELLED`:                 nil,
		`, network: BASE`:                     {ids[2]},
		`, network: BASE, status: PENDING`:    nil,
		`, timeRange: "24h"`:                  nil,
		`, timeRange: "48h"`:                  {ids[4]},
		`, timeRange: "7d"`:                   rev(ids)[:4],
		`, timeRange: "1week"`:                rev(ids)[:4],
		`, timeRange: "1month"`:               rev(ids),
		`, timeRange: "9999years"`:            rev(ids),
		`, first: 2`:                          rev(ids)[:2],
		`, first: 2, after: "` + ids[3] + `"`: {ids[2], ids[1]},
		`, first: 2, after: "` + ids[1] + `", sortOrder: "asc"`: {ids[2], ids[3]},
	} {
		before := b.balance(m)
		got, r := b.list(t, m, arguments)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("getTransactions%s: %v, want %v", arguments, got, want)
		}
		if left := b.balance(m); left != before-1 ||
			r.text(t, "data.getTransactions.apiKey.creditsLeft") != strconv.FormatInt(left, 10) {
			t.Errorf("getTransactions%s: %d credits before, %d after, said %s", arguments, before, left, r.text(t, "data.getTransactions.apiKey.creditsLeft"))
		}
	}
	for arguments, more := range map[string]string{`, first: 2`: "true", `, first: 5`: "false", `, first: 4`: "true", ``: "false"} {
		if _, r := b.list(t, m, arguments); r.text(t, "data.getTransactions.pageInfo.hasNextPage") != more {
			t.Errorf("getTransactions%s: hasNextPage is not %s", arguments, more)
		}
	}
	t.Run("BadArguments", func(t *testing.T) {
		before := b.balance(m)
		for arguments, says := range map[string]string{
			`, sortOrder: "up"`: "sortOrder", `, timeRange: "soon"`: "timeRange", `, timeRange: "1m"`: "timeRange", `, timeRange: "0d"`: "timeRange",
			`, first: 0`: "first", `, first: 501`: "first", `, after: "x"`: "after", `, after: "` + unknownTxn + `"`: "after",
		} {
			_, r := b.list(t, m, arguments)
			if r.text(t, "data.getTransactions.code") != "400" ||
				!strings.Contains(r.text(t, "data.getTransactions.message"), says) {
				t.Errorf("getTransactions%s: %s", arguments, r.body)
			}
		}
		if left := b.balance(m); left != before {
			t.Errorf("refusals took %d credits", before-left)
		}
	})
}

func TestEvents(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m, other := b.newMerchant(5), b.newMerchant(5)
	p := b.newPayment(m)
	b.expire(p)
	b.expire(b.newPayment(other))
	b.clock.advance(2 * time.Hour)
	_, err := b.payments.Cancel(t.Context(), string(b.newPayment(m).ID), audit.Act{})
	must(t, err)
	first := b.ask("GET", "/events?limit=1", "", "x-api-key", m.text)
	for _, want := range []string{`"type":"payment.expired"`, `"txnid":"` + string(p.ID) + `"`, `"status":"expired"`, `"eventId":"evt_` + string(p.ID)} {
		if first.status != 200 || !strings.Contains(first.body, want) {
			t.Errorf("first page: %d %s", first.status, first.body)
		}
	}
	if strings.Contains(first.body, "callback-canary") {
		t.Error("the callback secret is shown")
	}
	after := first.text(t, "nextAfter")
	second := b.ask("GET", "/events?after="+after, "", "Authorization", "Bearer "+m.text)
	if !strings.Contains(second.body, "payment.cancelled") || strings.Contains(second.body, "payment.expired") {
		t.Errorf("second page: %s", second.body)
	}
	end := second.text(t, "nextAfter")
	b.run(t, []scenario{
		{name: "end", method: "GET", path: "/events?after=" + end, header: []string{"api-key", m.text}, status: 200, want: []string{`"events":[]`, `"nextAfter":"` + end + `"`}},
		{name: "no key", method: "GET", path: "/events", status: 401, want: []string{`"events":null`}},
		{name: "key in the address", method: "GET", path: "/events?apiKey=" + m.text, status: 401},
		{
			name: "bad cursor", method: "GET", path: "/events?after=x", header: []string{
				"api-key", m.text,
			}, status: 400,
			want: []string{"after"},
		},
		{
			name: "bad limit", method: "GET", path: "/events?limit=x", header: []string{"api-key", m.text}, status: 400,
			want: []string{"limit"},
		},
		{
			name: "limit too large", method: "GET", path: "/events?limit=501", header: []string{"api-key", m.text},
			status: 400, want: []string{"limit"},
		},
	})
}
