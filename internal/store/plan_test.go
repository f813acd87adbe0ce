package store

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/report"
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
	"bun_migrations": true,
	// The arguments of a statement, one row.
	"n": true,
	// Parts of a union that end after a page.
	"from_account": true, "to_account": true, "own": true, "merchant": true,
	"receivers": true, "heads": true, "first": true, "placed": true,
}

// Reading and writing stays a matter of index look-ups, whatever is stored.
func TestStore_Plans(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		var r recorder
		db.Observe(w.db, &r)
		w.useEverything()
		explained := 0
		for _, text := range append(r.texts, w.preparedTexts()...) {
			verb, _, _ := strings.Cut(text, " ")
			if verb != "SELECT" && verb != "UPDATE" && verb != "WITH" && verb != "DELETE" {
				continue
			}
			explained++
			for _, line := range w.explain(text) {
				if strings.Contains(text, "'FAILED', 'STOPPED'") && strings.Contains(line, "deliveries_of_custodian") {
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
	w.t.Helper()
	k := w.key(50, 50)
	w.custodian(k, "https://shop.example/hook")
	ctx, all := w.t.Context(), []chain.Network{chain.Polygon, chain.Base}
	p := w.started(k)
	tx := transfer(p, "0xaa", 12_500_000, 10)
	_, err := w.UpdatePayment(ctx, p.ID, observe(10, tx))
	w.must(err)
	last := w.paymentAt(k, start)
	for _, f := range []payment.Filter{
		{},
		{After: last.Number},
		{Status: payment.Started},
		{Network: chain.Base, After: last.Number},
		{Unswept: true},
		{Unswept: true, Network: chain.Base},
		{Since: start},
		{Status: payment.Completed, Network: chain.Polygon, Ascending: true, Since: start},
	} {
		f.KeyID, f.Limit = k.ID, 3
		_, err := w.Payments(ctx, f)
		w.must(err)
	}
	_, mark, err := w.Watches(ctx, all, payment.Mark{}, start)
	w.must(err)
	mark.Row++
	_, _, err = w.Watches(ctx, all, mark, start)
	w.must(err)
	_, err = w.Unsettled(ctx, chain.Polygon, 1, 9)
	w.must(err)
	_, err = w.Terms(ctx, k.ID)
	w.must(err)
	_, err = w.PaymentsByID(ctx, []payment.ID{p.ID})
	w.must(err)
	_, err = w.Due(ctx, start, "", 3)
	w.must(err)
	_, err = w.Running(ctx, chain.Polygon, start, "", 3)
	w.must(err)
	_, _, err = w.PublicEvents(ctx, k.ID, "", 3)
	w.must(err)
	_, err = w.Events(ctx, p.ID)
	w.must(err)
	for _, d := range w.claim("a", start.Add(time.Hour), 3, 3) {
		w.settle("a", d, "DELIVERED", start, start)
	}
	_, _, err = w.NextDue(ctx, start)
	w.must(err)
	_, err = w.KeyByHash(ctx, k.Hash)
	w.must(err)
	_, err = w.MembershipBySession(ctx, hashOf("x"), start)
	wants(w.t, "no session", err, identity.ErrBadSession)
	_, _, err = w.begin(k.ID, "a", "b", "c", start)
	w.must(err)
	_, err = w.RotateKey(ctx, merchant.Replacement{
		KeyID: k.ID, Old: k.Hash, Next: hashOf("next"), Now: start, Request: "a",
		Answer: func(ledger.Balance) (idempotency.Answer, error) {
			return idempotency.Answer{Status: 200, Body: []byte("b")}, nil
		},
	})
	w.must(err)
	_, _, err = w.RetiredAnswer(ctx, k.Hash, "a", idempotency.Hash(hashOf("b")), start)
	w.must(err)
	_, err = w.IdempotencyPrune(ctx, start)
	w.must(err)
	w.useCampaigns(k)
	w.useDashboard(k, p)
	low := newLowWorld(w.t, w, 6)
	low.spend(1)
	low.round()
}

func (w *world) useCampaigns(k merchant.Key) {
	w.t.Helper()
	ctx, c := w.t.Context(), w.campaign(k, "plans")
	_, _, err := w.Campaign(ctx, c.Slug)
	w.must(err)
	_, err = w.Campaigns(ctx, []int64{k.ID})
	w.must(err)
	_, err = w.Donations(ctx, campaign.DonationQuery{Campaign: c.Number, Before: 9, Limit: 3, Proven: true})
	w.must(err)
	wants(w.t, "no donation", w.ReviewDonation(ctx, c.Number, 1, campaign.Hidden), campaign.ErrUnknownGift)
	_, err = w.Link(ctx, "none")
	wants(w.t, "no link", err, campaign.ErrUnknownLink)
	_, err = w.Links(ctx, []int64{k.ID})
	w.must(err)
}

// useDashboard runs what the pages of merchants and operators ask.
func (w *world) useDashboard(k merchant.Key, p payment.Payment) {
	w.t.Helper()
	ctx, keys := w.t.Context(), []int64{k.ID, k.ID + 1}
	for _, q := range []report.Query{
		{},
		{Status: payment.Started},
		{Network: chain.Base, Token: money.USDC},
		{Min: 1, Max: 9, From: start, Until: start.Add(time.Hour)},
		{After: report.Place{At: start, Number: 9}},
		{Text: string(p.ID)},
		{Text: "12.50"},
		{Text: "0xaa"},
		{Text: "A-1042"},
	} {
		q.Keys, q.Now, q.Limit = keys, start, 3
		_, err := w.SearchPayments(ctx, q)
		w.must(err)
	}
	_, err := w.Days(ctx, keys, start)
	w.must(err)
	_, err = w.Activity(ctx, keys, start)
	w.must(err)
	for _, q := range []report.DeliveryQuery{
		{},
		{State: "FAILED", Before: 9},
		{TxnID: p.ID},
		{Type: payment.EventCompleted},
	} {
		q.KeyID, q.Limit = k.ID, 3
		_, err := w.Deliveries(ctx, q)
		w.must(err)
	}
	_, _, err = w.Delivery(ctx, keys, 1)
	if err != nil && !fault.Is(err, fault.NotFound) {
		w.t.Fatal(err)
	}
	_, err = w.FailedDeliveries(ctx, keys, start)
	w.must(err)
	_ = w.Resend(ctx, keys, 1, start) // there may be none; how it is looked for is what counts
	_, err = w.ResendFailed(ctx, k.ID, start, start)
	w.must(err)
	_, err = w.Entries(ctx, k.ID, 9, 3)
	w.must(err)
	_, err = w.SweepsOf(ctx, p.Number)
	w.must(err)
	for _, q := range []report.UserQuery{{Limit: 3}, {Before: 9, Limit: 3}, {Text: "user", Before: 99, Limit: 3}} {
		_, err = w.Users(ctx, q)
		w.must(err)
	}
	person, err := w.User(ctx, k.UserPublic)
	w.must(err)
	_, err = w.TopUps(ctx, 9, 3)
	w.must(err)
	_, err = w.SweepLines(ctx, 9, 3)
	w.must(err)
	_, err = w.Trouble(ctx, start, 1)
	w.must(err)
	_, err = w.DisableUser(ctx, person.ID, start)
	w.must(err)
	_, err = w.DisableUser(ctx, person.ID, time.Time{})
	w.must(err)
	_, err = w.DisableKey(ctx, k.ID, start)
	w.must(err)
	_, err = w.DisableKey(ctx, k.ID, time.Time{})
	w.must(err)
	_, err = w.AskLedgerCheck(ctx, "a", start, start)
	w.must(err)
	_, _, err = w.LedgerCheck(ctx)
	w.must(err)
	w.must(w.EndLedgerCheck(ctx, ledger.Check{AskedAt: start, EndedAt: start}))
	_, err = w.Stuck(ctx, start, 1)
	w.must(err)
	_, err = w.AuditLog(ctx, 1, 1, 9, 3)
	w.must(err)
	_, err = w.EveryKeyOfUser(ctx, k.UserID)
	w.must(err)
	w.must(w.PutLogo(ctx, k.ID, merchant.Logo{Hash: strings.Repeat("0", 64), Kind: "png", Picture: []byte{1}}, start))
	_, err = w.Logo(ctx, strings.Repeat("0", 64))
	w.must(err)
}

// preparedTexts lists the prepared statements: on SQLite with NULL for each
// argument, on PostgreSQL with numbered ones.
func (w *world) preparedTexts() []string {
	texts := db.Prepared(w.db)
	for i, text := range texts {
		if !w.db.Dialect().ManyWriters {
			texts[i] = strings.ReplaceAll(text, "?", "NULL")
			continue
		}
		for n := 1; strings.Contains(texts[i], "?"); n++ {
			texts[i] = strings.Replace(texts[i], "?", fmt.Sprintf("$%d", n), 1)
		}
	}
	return texts
}

// explain returns the plan of a statement. PostgreSQL is told to avoid reading
// whole tables, as it would with many rows; SQLite has no statistics.
func (w *world) explain(text string) []string {
	w.t.Helper()
	pool := w.raw()
	defer pool.Close()
	conn, err := pool.Conn(w.t.Context())
	w.must(err)
	defer conn.Close()
	explain := "EXPLAIN QUERY PLAN " + text
	if w.db.Dialect().ManyWriters {
		_, err := conn.ExecContext(w.t.Context(), "SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan; "+
			"PREPARE one AS "+text)
		w.must(err)
		explain = "EXPLAIN EXECUTE one"
		if n := strings.Count(text, "$"); n > 0 {
			explain += "(NULL" + strings.Repeat(", NULL", n-1) + ")"
		}
	}
	rows, err := conn.QueryContext(w.t.Context(), explain)
	if err != nil {
		w.t.Fatalf("%s: %v", explain, err)
	}
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var line string
		var a, b, c any
		if w.db.Dialect().ManyWriters {
			w.must(rows.Scan(&line))
		} else {
			w.must(rows.Scan(&a, &b, &c, &line))
		}
		lines = append(lines, line)
	}
	w.must(rows.Err())
	return lines
}
