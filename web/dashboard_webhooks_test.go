package web

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/report"
)

// A test looks like the event the merchant picks, and says that it is a test.
func TestDashboard_PingEachEvent(t *testing.T) {
	t.Parallel()
	got := make(chan map[string]any, 3)
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		var body map[string]any
		if json.Unmarshal(text, &body) == nil && r.Header.Get("Webhook-Signature") != "" {
			got <- body
		}
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(shop.Close)
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	_, err := b.shops().UpdateCustodian(t.Context(), m.key.ID, nil,
		func(c merchant.Custodian) (merchant.CustodianChange, error) {
			c.CallbackURL = shop.URL
			return merchant.CustodianChange{Custodian: c}, nil
		})
	must(t, err)
	s := b.surfer()
	s.signIn(ownerEmail)
	for _, event := range []string{"completed", "expired", "cancelled"} {
		s.post("/dashboard/webhooks/ping", "key", m.key.PublicID, "event", event).leads(t,
			"/dashboard/webhooks?key="+m.key.PublicID)
		select {
		case body := <-got:
			if body["status"] != event || body["test"] != any(true) || body["txnid"] != "TEST" {
				t.Errorf("%s: %v", event, body)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%s did not arrive", event)
		}
		s.get("/dashboard/webhooks").wants(t, 200, "The test “"+event+"” was answered with 418")
	}
	s.post("/dashboard/webhooks/ping", "key", m.key.PublicID, "event", "created").wants(t, 400,
		"completed, expired or cancelled")
}

// The list of webhooks is filtered by event and state together.
func TestDashboard_WebhookFilters(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	b.busy(m)
	s := b.surfer()
	s.signIn(ownerEmail)
	for query, rows := range map[string]int{
		"": 2, "?event=completed": 1, "?event=cancelled&state=FAILED": 1,
		"?event=expired": 0, "?state=DELIVERED": 0, "?event=%00": 0, "?state=%00": 0,
	} {
		r := s.get("/dashboard/webhooks" + query)
		if n := strings.Count(r.body, `data-testid="resend-`) - 1; r.status != 200 || n != rows {
			t.Errorf("%q: %d with %d rows, want %d", query, r.status, n, rows)
		}
	}
}

// An operator sees the state of each endpoint, named by its host alone.
func TestDashboard_OperatorEndpoints(t *testing.T) {
	t.Parallel()
	b := newDashboard(t, func(d *Deps, _ *Options) {
		d.Dashboard.Endpoints = func(n chain.Network) []chain.EndpointHealth {
			return []chain.EndpointHealth{
				{
					Name: "rpc.example", Healthy: true, Head: 1234, Latency: 42 * time.Millisecond, Requests: 9001,
					Errors: 7, Learnt: []string{"logs: 5 blocks", "batch: 1 call"},
				},
				{Name: "spare.example", Reason: "HTTP 429", CoolUntil: time.Now().Add(time.Minute)},
			}
		}
		d.Dashboard.Reading = readingOfDay
	})
	_, err := b.accounts.CreateUser(t.Context(),
		identity.NewUser{Email: "root@shop.example", Password: secret.New(testPassword), Operator: true}, audit.Act{})
	must(t, err)
	s := b.surfer()
	s.signIn("root@shop.example")
	s.get("/operator").wants(t, 200, "rpc.example", "1,234", "42 ms", "9,001", "spare.example", "HTTP 429", "asked again", "logs: 5 blocks; batch: 1 call", `data-label="Answers in">–<`,
		"Florin looks for the money of open payments", "12,034", "12% of 100,000", "366,000",
		`eth_getLogs</td><td class="num">12,000<`, `eth_blockNumber</td><td class="num">34<`)
}

// readingOfDay is what reading a network costs.
func readingOfDay(n chain.Network) (chain.CallReport, bool) {
	return chain.CallReport{
		Level: "open", Budget: 100_000, Spent: 12, Month: 366_000,
		Today: []chain.Calls{
			{Network: n, Endpoint: "rpc.example", Method: "eth_blockNumber", Count: 34},
			{Network: n, Endpoint: "rpc.example", Method: "eth_getLogs", Count: 11_000},
			{Network: n, Endpoint: "spare.example", Method: "eth_getLogs", Count: 1_000},
		},
	}, true
}

func TestDashboard_Webhooks(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	b.busy(m)
	s := b.surfer()
	s.signIn(ownerEmail)
	s.get("/dashboard/webhooks").wants(t, 200, "completed", "cancelled", "500 Internal Server Error", "https://shop.example/hook")
	s.get("/dashboard/webhooks?state=DELIVERED").wants(t, 200, "No webhook yet")
	s.get("/dashboard/webhooks/1").wants(t, 200, "Attempt 1: 500", "&lt;b&gt;sorry&lt;/b&gt;")
	for _, id := range []string{"0", "-1", "99999", "x", "9223372036854775808"} {
		s.get("/dashboard/webhooks/"+id).wants(t, 404)
	}
	s.post("/dashboard/webhooks/1/resend", "back", "https://evil.example/").leads(t, "/dashboard")
	s.post("/dashboard/webhooks/1/resend").leads(t, "/dashboard/webhooks/1")
	s.get("/dashboard/webhooks/1").wants(t, 200, "Waiting")
	s.post("/dashboard/webhooks/resend", "key", m.key.PublicID, "since", "2020-01-01").wants(t, 400,
		"Give a day of the last")
	s.post("/dashboard/webhooks/resend", "key", m.key.PublicID, "since", b.clock.Now().Format(time.DateOnly)).leads(t, "/dashboard/webhooks?key="+m.key.PublicID)
	s.get("/dashboard/webhooks").wants(t, 200, "One failed webhook is being sent again.")
}

// A webhook that a later event overtakes says so, and cannot be sent again.
func TestDashboard_OvertakenWebhook(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	b.busy(m)
	list, err := b.store.Reports().Deliveries(t.Context(), report.DeliveryQuery{
		KeyID: m.key.ID, Type: payment.EventCancelled, Limit: 1,
	})
	must(t, err)
	page := "/dashboard/webhooks/" + strconv.FormatInt(list[0].ID, 10)
	s := b.surfer()
	s.signIn(ownerEmail)
	s.get(page).wants(t, 200, `data-testid="resend"`)
	_, err = b.store.UpdatePayment(t.Context(), list[0].TxnID, func(p payment.Payment) (payment.Change, error) {
		return p.MarkCompleted(payment.Actor{Name: ownerEmail}, b.clock.Now())
	})
	must(t, err)
	s.get("/dashboard/webhooks?state=OVERTAKEN").wants(t, 200, "Overtaken", "by payment.completed")
	if r := s.get(page); !strings.Contains(r.body, `data-testid="overtaken"`) || strings.Contains(r.body, `data-testid="resend"`) {
		t.Errorf("%d, overtaken by is missing, or it can be sent again", r.status)
	}
	s.post(page+"/resend").wants(t, 409, "overtaken")
}
