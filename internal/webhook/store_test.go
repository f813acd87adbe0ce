package webhook_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // reads what a store wrote
	"github.com/oklog/ulid/v2"
	_ "modernc.org/sqlite"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/webhook"
)

// outboxes are the stores that the deliverer is tested on; each call opens an empty one.
var outboxes = map[string]func(t *testing.T) outbox{
	"Memory":     func(*testing.T) outbox { return newMemory() },
	"SQLite":     func(t *testing.T) outbox { return openSQLite(t) },
	"PostgreSQL": func(t *testing.T) outbox { return openPostgres(t) },
}

// onEach runs a test on each kind of outbox.
func onEach(t *testing.T, test func(t *testing.T, o outbox)) {
	t.Helper()
	for name, open := range outboxes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func TestStores_Conform(t *testing.T) {
	t.Parallel()
	for name, open := range outboxes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conform(t, open)
		})
	}
}

// stored is an outbox in a database. A delivery is made by cancelling a payment of a custodian with that callback URL.
type stored struct {
	*store.Store
	db    *sql.DB
	param string // the first placeholder of its SQL
	mu    sync.Mutex
	keys  map[string]int64 // by callback URL
}

func openSQLite(t testing.TB) *stored {
	t.Helper()
	url := storetest.SQLite(t)
	db := openSQL(t, "sqlite", "file:"+strings.TrimPrefix(url, "sqlite://"))
	return &stored{Store: openStore(t, url), db: db, param: "?", keys: make(map[string]int64)}
}

func openPostgres(t testing.TB) *stored {
	t.Helper()
	url := storetest.PostgreSQL(t)
	return &stored{Store: openStore(t, url), db: openSQL(t, "pgx", url), param: "$1", keys: make(map[string]int64)}
}

func openStore(t testing.TB, url string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), url, storetest.Sealer(1), store.Options{MaxConns: 4})
	testkit.Must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func openSQL(t testing.TB, driver, url string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, url)
	testkit.Must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func newULID() string { return ulid.MustNew(ulid.Timestamp(noon), rand.Reader).String() }

// key returns the key whose custodian has the callback URL.
func (s *stored) key(t testing.TB, url string) int64 {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, ok := s.keys[url]; ok {
		return id
	}
	k, err := storetest.Shop{Custodian: merchant.Custodian{
		Name: "Shop", CallbackURL: url, Secret: shopSecret, Branding: merchant.Branding{Theme: merchant.ThemeAuto},
		SigningSecrets: []secret.Text{webhook.NewSigningSecret()},
	}}.Open(t.Context(), s.Store, noon)
	testkit.Must(t, err)
	s.keys[url] = k.ID
	return k.ID
}

func (s *stored) Enqueue(t *testing.T, url string, due time.Time) int64 {
	t.Helper()
	request := payment.Request{
		ID: payment.ID(newULID()), KeyID: s.key(t, url), Kind: payment.KindMerchant, Amount: 12_345_678,
		ValidFor: time.Hour,
	}
	p, err := s.CreatePayment(t.Context(), payment.New(request, due))
	testkit.Must(t, err)
	if p, err = s.UpdatePayment(t.Context(), p.ID, func(p payment.Payment) (payment.Change, error) {
		return p.Cancel(due)
	}); err != nil {
		t.Fatal(err)
	}
	var id int64
	if err := s.db.QueryRowContext(t.Context(), "SELECT id FROM deliveries WHERE payment_id = "+s.param, p.Number).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}

func (s *stored) Look(t *testing.T, id int64) stateOf {
	t.Helper()
	var r stateOf
	var due any
	err := s.db.QueryRowContext(t.Context(), "SELECT state, attempt, due_at FROM deliveries WHERE id = "+s.param, id).Scan(&r.State, &r.Made, &due)
	testkit.Must(t, err)
	r.NextAt = instant(t, due)
	rows, err := s.db.QueryContext(t.Context(), `SELECT at, url, status, latency_us, error, response, request
		FROM delivery_attempts WHERE delivery_id = `+s.param+` ORDER BY attempt`, id)
	testkit.Must(t, err)
	defer rows.Close()
	for rows.Next() {
		var a webhook.Attempt
		var at any
		var micros int64
		testkit.Must(t, rows.Scan(&at, &a.URL, &a.Status, &micros, &a.Error, &a.Response, &a.Request))
		a.At, a.Latency = instant(t, at), time.Duration(micros)*time.Microsecond
		r.Attempts = append(r.Attempts, a)
	}
	testkit.Must(t, rows.Err())
	return r
}

// instant reads a time as either database keeps it.
func instant(t *testing.T, v any) time.Time {
	t.Helper()
	switch v := v.(type) {
	case int64:
		return time.UnixMicro(v).UTC()
	case time.Time:
		return v
	}
	t.Fatalf("a time of type %T", v)
	return time.Time{}
}

// mustNotHold checks that no stored attempt contains one of the texts.
func mustNotHold(t *testing.T, row stateOf, texts ...string) {
	t.Helper()
	for _, a := range row.Attempts {
		for _, text := range texts {
			if strings.Contains(a.Request+a.Response+a.Error, text) {
				t.Errorf("%q is kept in %+v", text, a)
			}
		}
	}
}

// memory is an outbox in memory, for tests whose time is not real: a database is not part of their bubble. Its
// deliveries are those of one merchant.
type memory struct {
	mu   sync.Mutex
	rows map[int64]*row
}

type row struct {
	webhook.Delivery
	state    webhook.State
	nextAt   time.Time
	holder   string
	until    time.Time
	attempts []webhook.Attempt
}

// stateOf is a delivery as an outbox stores it.
type stateOf struct {
	State    webhook.State
	NextAt   time.Time
	Made     int // attempts made so far
	Attempts []webhook.Attempt
}

func newMemory() *memory { return &memory{rows: make(map[int64]*row)} }

func (m *memory) Enqueue(_ *testing.T, url string, due time.Time) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := delivery(url)
	d.ID, d.Receiver = int64(len(m.rows)+1), webhook.ReceiverOf(d.URL)
	d.EventID = fmt.Sprintf("evt_01JD3ZQ0000000000000000000_%d", d.ID)
	m.rows[d.ID] = &row{Delivery: d, state: webhook.Waiting, nextAt: due}
	return d.ID
}

func (m *memory) Look(_ *testing.T, id int64) stateOf {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.rows[id]
	return stateOf{State: r.state, NextAt: r.nextAt, Made: r.Attempt, Attempts: slices.Clone(r.attempts)}
}

// Count returns how many deliveries are in the state.
func (m *memory) Count(s webhook.State) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, r := range m.rows {
		if r.state == s {
			n++
		}
	}
	return n
}

func (m *memory) DueReceivers(_ context.Context, now time.Time) ([]webhook.DueReceiver, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	held := make(map[webhook.ReceiverID]int)
	since := make(map[webhook.ReceiverID]time.Time)
	for _, r := range m.rows {
		first, known := since[r.Receiver]
		switch {
		case r.heldAt(webhook.ClaimedLately(now)):
			held[r.Receiver]++
		case r.heldAt(now):
		case r.dueAt(now) && (!known || r.nextAt.Before(first)):
			since[r.Receiver] = r.nextAt
		}
	}
	var list []webhook.DueReceiver
	for id, at := range since {
		list = append(list, webhook.DueReceiver{ID: id, Since: at, Held: held[id]})
	}
	return list, nil
}

func (m *memory) Claim(
	_ context.Context, holder string, now, until time.Time, shares []webhook.Share,
) ([]webhook.Delivery, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	left := make(map[webhook.ReceiverID]int)
	for _, s := range shares {
		left[s.Receiver] = s.N
	}
	var due []*row
	for _, r := range m.rows {
		if r.dueAt(now) && !r.heldAt(now) && left[r.Receiver] > 0 {
			due = append(due, r)
		}
	}
	slices.SortFunc(due, func(a, b *row) int {
		return cmp.Or(a.nextAt.Compare(b.nextAt), cmp.Compare(a.ID, b.ID))
	})
	var claimed []webhook.Delivery
	for _, r := range due {
		if left[r.Receiver] == 0 {
			continue
		}
		left[r.Receiver]--
		r.holder, r.until = holder, until
		claimed = append(claimed, r.Delivery)
	}
	return claimed, nil
}

func (m *memory) Settle(_ context.Context, holder string, o webhook.Outcome) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.rows[o.DeliveryID]
	if !ok || r.holder != holder {
		return nil
	}
	r.holder, r.until = "", time.Time{}
	r.state, r.nextAt = o.State, o.NextAt
	if !o.Spared {
		r.Delivery.Attempt++
		r.attempts = append(r.attempts, o.Attempt)
	}
	return nil
}

func (m *memory) NextDue(_ context.Context, now time.Time) (at time.Time, ok bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.rows {
		if r.state == webhook.Waiting && !r.heldAt(now) && (!ok || r.nextAt.Before(at)) {
			at, ok = r.nextAt, true
		}
	}
	return at, ok, nil
}

func (r *row) dueAt(now time.Time) bool { return r.state == webhook.Waiting && !r.nextAt.After(now) }

func (r *row) heldAt(now time.Time) bool { return r.holder != "" && r.until.After(now) }
