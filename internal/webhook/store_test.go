package webhook_test

import (
	"crypto/rand"
	"database/sql"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // reads what a store wrote
	"github.com/oklog/ulid/v2"
	_ "modernc.org/sqlite"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"

	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
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
