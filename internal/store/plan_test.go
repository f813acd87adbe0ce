package store_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/retention"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/webhook"
)

// recorder keeps the text of what bun runs.
type recorder struct {
	mu    sync.Mutex
	texts []string
}

func (r *recorder) BeforeQuery(ctx context.Context, _ *bun.QueryEvent) context.Context { return ctx }

func (r *recorder) AfterQuery(_ context.Context, e *bun.QueryEvent) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.texts = append(r.texts, e.Query)
}

// wholeTable is how the two databases say that they read a table from end to
// end, or a range of all ids. A partial index that is read whole is small by
// its nature.
var wholeTable = regexp.MustCompile(`SCAN (\w+)$|Seq Scan on (\w+)|Index Cond: \(public_id > |\(public_id[<>]\?`)

// small are tables that may be read whole: their size does not grow with the
// payments stored.
var small = map[string]bool{
	"instance": true, "custodians": true, "c": true, "ledger_checks": true, "cursors": true, "leases": true,
	"bun_migrations": true, "schema_versions": true,
	// The arguments of a statement, one row.
	"n": true,
	// Parts of a union that end after a page.
	"from_account": true, "to_account": true, "own": true, "merchant": true,
	"receivers": true, "heads": true, "first": true, "placed": true, "open": true, "newest": true,
	"failed": true, "waiting": true, "entries": true, "found": true,
}

// Reading and writing stays a matter of index look-ups, whatever is stored.
func TestStore_Plans(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		var r recorder
		db.Observe(w.Store.Engine(), &r)
		w.useEverything()
		explained := 0
		for _, text := range w.numbered(append(r.texts, db.Prepared(w.Store.Engine())...)) {
			verb, _, _ := strings.Cut(text, " ")
			if verb != "SELECT" && verb != "UPDATE" && verb != "WITH" && verb != "DELETE" {
				continue
			}
			explained++
			for _, line := range w.explain(text) {
				if strings.Contains(text, "'FAILED', 'STOPPED'") &&
					strings.Contains(line, "deliveries_of_custodian (custodian_id=?)") {
					t.Errorf("%s\n\treads what was delivered too: %s", text, line)
				}
				m := wholeTable.FindStringSubmatch(line)
				if m != nil && !small[m[1]+m[2]] && !regexp.MustCompile(`^r\d+$`).MatchString(m[1]+m[2]) {
					t.Errorf("%s\n\treads a whole table: %s", text, line)
				}
			}
		}
		if explained < 30 {
			t.Errorf("only %d statements were explained", explained)
		}
	})
}

// useEverything runs every method that reads or changes what grows.
func (w *world) useEverything() {
	w.T.Helper()
	k := w.NewKey(50, 50)
	w.NewCustodian(k, "https://shop.example/hook")
	ctx, all := w.T.Context(), []chain.Network{chain.Polygon, chain.Base}
	p := w.NewStarted(k)
	tx := storetest.Transfer(p, "0xaa", 12_500_000, 10)
	w.MustDo(w.UpdatePayment(ctx, p.ID, storetest.Observe(10, tx)))
	last := w.NewPaymentAt(k, storetest.Start)
	for _, f := range []payment.Filter{
		{},
		{After: last.Number},
		{Status: payment.Started},
		{Network: chain.Base, After: last.Number},
		{Reference: "A-1042"},
		{Reference: "A-1042", Status: payment.Started, Network: chain.Base, After: last.Number},
		{Unswept: true},
		{Unswept: true, Network: chain.Base},
		{Since: storetest.Start},
		{Status: payment.Completed, Network: chain.Polygon, Ascending: true, Since: storetest.Start},
	} {
		f.KeyID, f.Limit = k.ID, 3
		w.MustDo(w.Payments(ctx, f))
	}
	_, mark, err := w.Watches(ctx, all, watch.Mark{}, storetest.Start)
	w.Must(err)
	mark.Row++
	_, _, err = w.Watches(ctx, all, mark, storetest.Start)
	w.Must(err)
	for _, after := range []int64{0, last.Number} {
		w.MustDo(w.Settlement().ReceivingAfter(ctx, after, storetest.Start, 3))
	}
	w.MustDo(w.Settlement().OpenDifferences(ctx, chain.Polygon, storetest.Start, 3))
	w.MustDo(w.Unsettled(ctx, chain.Polygon, 1, 9))
	w.MustDo(w.Merchant().Balance(ctx, k.ID))
	w.MustDo(w.PaymentsByID(ctx, []payment.ID{p.ID}))
	w.MustDo(w.Due(ctx, storetest.Start, "", 3))
	w.MustDo(w.Running(ctx, chain.Polygon, storetest.Start, "", 3))
	_, _, err = w.PublicEvents(ctx, k.ID, "", 3)
	w.Must(err)
	w.MustDo(w.Events(ctx, p.ID))
	for _, d := range w.claim("a", storetest.Start.Add(time.Hour), 3, 3) {
		w.settle("a", d, "DELIVERED", storetest.Start, storetest.Start)
	}
	_, _, err = w.NextDue(ctx, storetest.Start)
	w.Must(err)
	w.MustDo(w.KeyByHash(ctx, k.Hash))
	_, err = w.MembershipBySession(ctx, storetest.HashOf("x"), storetest.Start)
	storetest.WantError(w.T, "no session", err, identity.ErrBadSession)
	_, _, err = w.begin(k.ID, "a", "b", "c", storetest.Start)
	w.Must(err)
	w.MustDo(w.RotateKey(ctx, merchant.Replacement{
		Most:  merchant.AllPermissions(),
		KeyID: k.ID, Old: k.Hash, Next: storetest.HashOf("next"),
		Keep: func(merchant.Done) (*idempotency.Kept, error) {
			answer := idempotency.Answer{Status: 200, Body: []byte("b")}
			return &idempotency.Kept{Claim: claim(k.ID, "a", "c"), Answer: answer, At: storetest.Start}, nil
		},
	}))
	_, _, err = w.RetiredAnswer(ctx, k.Hash, "a", idempotency.Hash(storetest.HashOf("b")), storetest.Start)
	w.Must(err)
	for _, part := range []retention.Part{
		retention.Attempts, retention.Deliveries, retention.Events, retention.Audit, retention.Sessions,
		retention.Idempotency,
	} {
		w.MustDo(w.Retention().DropBatch(ctx, part, storetest.Start.Add(time.Minute), 0))
	}
	w.useCampaigns(k)
	w.useDashboard(k, p)
	low := w.NewKey(6, 0)
	w.MustDo(w.Post(low.ID, []ledger.Entry{
		ledger.Spend(low.ID, ledger.Credit, ledger.ReasonOperation, fmt.Sprint("spend", low.ID), storetest.Start),
	}))
	w.useMails(low)
}

func (w *world) useMails(k merchant.Key) {
	w.T.Helper()
	ctx, out := w.T.Context(), w.Mails()
	w.Must(w.RecordSales(ctx, mail.Refused, k.ID, storetest.Start))
	w.Must(out.Add(ctx, mail.Mail{ID: "plan", Kind: mail.Asked, Owners: k.UserID, Thread: "t", At: storetest.Start}))
	claimed, err := webhook.ClaimDue(ctx, out, "one", storetest.Start, storetest.Start.Add(time.Minute), 9, 9)
	w.Must(err)
	for _, d := range claimed {
		w.MustDo(out.Mail(ctx, d.ID))
		w.MustDo(out.Allowed(ctx, d.ID))
		w.Must(out.Settle(ctx, "one", webhook.Outcome{
			DeliveryID: d.ID, State: webhook.Delivered, Attempt: webhook.Attempt{At: storetest.Start},
		}))
	}
	_, _, err = out.NextDue(ctx, storetest.Start)
	w.Must(err)
	storetest.Same(w.T, "mails", len(claimed), 3)
}

func (w *world) useCampaigns(k merchant.Key) {
	w.T.Helper()
	ctx, c := w.T.Context(), w.campaign(k, "plans")
	_, _, err := w.Campaign(ctx, c.Slug)
	w.Must(err)
	w.MustDo(w.Campaigns(ctx, []int64{k.ID}))
	w.MustDo(w.Donations(ctx, campaign.DonationQuery{Campaign: c.Number, Before: 9, Limit: 3, Proven: true}))
	storetest.WantError(
		w.T, "no donation", w.ReviewDonation(ctx, c.Number, 1, campaign.Hidden,
			audit.Record{}), campaign.ErrUnknownGift,
	)
	_, err = w.Link(ctx, "none")
	storetest.WantError(w.T, "no link", err, campaign.ErrUnknownLink)
	w.MustDo(w.Links(ctx, []int64{k.ID}))
}

// useDashboard runs what the pages of merchants and operators ask.
func (w *world) useDashboard(k merchant.Key, p payment.Payment) {
	w.T.Helper()
	ctx, keys := w.T.Context(), []int64{k.ID, k.ID + 1}
	for _, q := range []report.Query{
		{},
		{Statuses: []payment.Status{payment.Pending, payment.Started}},
		{Attention: true},
		{Attention: true, Asked: true},
		{Refunded: true},
		{Network: chain.Base, Token: money.USDC},
		{Min: 1, Max: 9, From: storetest.Start, Until: storetest.Start.Add(time.Hour)},
		{After: report.Place{At: storetest.Start, Number: 9}},
		{Text: string(p.ID)},
		{Text: "12.50"},
		{Text: "0xaa"},
		{Text: "A-1042"},
		{Text: "two words", Look: 1},
		{Text: "two words", Look: 1, Paid: true},
	} {
		q.Keys, q.Limit = keys, 3
		w.MustDo(w.SearchPayments(ctx, q))
		w.MustDo(w.Totals(ctx, q))
	}
	w.MustDo(w.Days(ctx, keys, storetest.Start, storetest.Start.AddDate(1, 0, 0)))
	w.MustDo(w.Activity(ctx, keys))
	w.MustDo(w.Open(ctx, keys))
	w.MustDo(w.Funnel(ctx, keys, storetest.Start))
	w.MustDo(w.Starts(ctx, k.ID, storetest.Start))
	for _, q := range []report.DeliveryQuery{
		{},
		{State: "FAILED", Before: 9},
		{TxnID: p.ID},
		{Type: payment.EventCompleted},
	} {
		q.KeyID, q.Limit = k.ID, 3
		w.MustDo(w.Deliveries(ctx, q))
	}
	_, err := w.Delivery(ctx, keys, 1)
	if err != nil && !fault.Is(err, fault.NotFound) {
		w.T.Fatal(err)
	}
	_, _, err = w.RefundsToSend(ctx, keys)
	w.Must(err)
	w.MustDo(w.FailedDeliveries(ctx, keys, storetest.Start))
	// There may be none; how it is looked for is what counts.
	_ = w.Resend(ctx, keys, 1, storetest.Start, audit.Record{})
	w.MustDo(w.ResendFailed(ctx, k.ID, storetest.Start, storetest.Start, audit.Record{}))
	w.MustDo(w.Entries(ctx, k.ID, 9, 3))
	w.MustDo(w.SweepsOf(ctx, p.Number))
	for _, q := range []report.UserQuery{{Limit: 3}, {Before: 9, Limit: 3}, {Text: "user", Before: 99, Limit: 3}} {
		w.MustDo(w.Users(ctx, q))
	}
	person, err := w.User(ctx, k.UserPublic)
	w.Must(err)
	w.MustDo(w.TopUps(ctx, 9, 3))
	w.MustDo(w.SweepLines(ctx, 9, 3))
	w.MustDo(w.Problems(ctx, storetest.Start, 1))
	w.MustDo(w.DisableUser(ctx, person.ID, storetest.Start, audit.Record{}))
	w.MustDo(w.DisableUser(ctx, person.ID, time.Time{}, audit.Record{}))
	w.MustDo(w.DisableKey(ctx, k.ID, storetest.Start, audit.Record{}))
	w.MustDo(w.DisableKey(ctx, k.ID, time.Time{}, audit.Record{}))
	w.MustDo(w.AskLedgerCheck(ctx, "a", storetest.Start, storetest.Start, audit.Record{}))
	_, _, err = w.LedgerCheck(ctx)
	w.Must(err)
	w.Must(w.EndLedgerCheck(ctx, ledger.Check{AskedAt: storetest.Start, EndedAt: storetest.Start}))
	w.MustDo(w.Stuck(ctx, storetest.Start, 1))
	w.MustDo(w.AuditLog(ctx, 1, 1, 9, 3))
	w.MustDo(w.Keys(ctx, k.UserID))
	w.Must(
		w.PutLogo(
			ctx, k.ID, merchant.Logo{Hash: strings.Repeat("0", 64), Kind: "png", Picture: []byte{1}}, storetest.Start,
			audit.Record{},
		),
	)
	w.MustDo(w.Logo(ctx, strings.Repeat("0", 64)))
}

// numbered writes the arguments of prepared statements as the database can
// explain them: PostgreSQL numbers them.
func (w *world) numbered(texts []string) []string {
	for i := range texts {
		for n := 1; w.ManyWriters() && strings.Contains(texts[i], "?"); n++ {
			texts[i] = strings.Replace(texts[i], "?", fmt.Sprintf("$%d", n), 1)
		}
	}
	return texts
}

// explain returns the plan of a statement. PostgreSQL is set to avoid reading
// whole tables, as it would with many rows; SQLite has no statistics.
func (w *world) explain(text string) []string {
	w.T.Helper()
	pool := w.SQL()
	defer pool.Close()
	conn, err := pool.Conn(w.T.Context())
	w.Must(err)
	defer conn.Close()
	explain := "EXPLAIN QUERY PLAN " + text
	if w.ManyWriters() {
		_, err := conn.ExecContext(w.T.Context(),
			`SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan;
				PREPARE one AS `+text)
		w.Must(err)
		explain = "EXPLAIN EXECUTE one"
		if n := strings.Count(text, "$"); n > 0 {
			explain += "(NULL" + strings.Repeat(", NULL", n-1) + ")"
		}
	}
	rows, err := conn.QueryContext(w.T.Context(), explain, make([]any, strings.Count(explain, "?"))...)
	if err != nil {
		w.T.Fatalf("%s: %v", explain, err)
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var line string
		var a, b, c any
		if w.ManyWriters() {
			w.Must(rows.Scan(&line))
		} else {
			w.Must(rows.Scan(&a, &b, &c, &line))
		}
		lines = append(lines, line)
	}
	w.Must(rows.Err())
	return lines
}
