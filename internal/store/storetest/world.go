// Package storetest is what tests of the store share: each test runs on SQLite and on PostgreSQL, on a store of its
// own, with constructors for users, keys and payments.
package storetest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/report"
	storesettlement "github.com/florinpay/florin/internal/store/settlement"
	"github.com/florinpay/florin/internal/store/table"

	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

// Start is the time at which every test begins. Its microseconds must survive.
var Start = time.Date(2026, 11, 21, 10, 30, 0, 123_456_000, time.UTC)

// Database is one kind of database that tests run on.
type Database struct {
	Name string
	// Empty and Ready return the URL of a new database, without and with schema.
	Empty, Ready func(t testing.TB) string
}

// Databases lists the kinds of databases.
func Databases() []Database {
	return []Database{
		{"SQLite", func(t testing.TB) string {
			t.Helper()
			return "sqlite://" + filepath.Join(t.TempDir(), "florin.db")
		}, SQLite},
		{"PostgreSQL", postgres.URL, PostgreSQL},
	}
}

// OnEach runs the test on each kind of database, on a store of its own.
func OnEach(t *testing.T, test func(t *testing.T, w *World)) {
	t.Helper()
	for _, d := range Databases() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			url := d.Ready(t)
			w := New(t, Open(t, url), url)
			test(t, w)
		})
	}
}

// OnEachOf is OnEach with the world that a package makes of it.
func OnEachOf[W ~struct{ *World }](t *testing.T, test func(t *testing.T, w *W)) {
	t.Helper()
	OnEach(t, func(t *testing.T, w *World) {
		t.Helper()
		test(t, &W{w})
	})
}

// Open opens and migrates the database, and closes it when the test ends.
func Open(t testing.TB, url string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), url, Sealer(1), store.Options{})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatalf("migrate: %v", err)
	}
	return s
}

// Sealer returns a sealer whose key depends on the seed.
func Sealer(seed byte) *secret.Sealer {
	key := make([]byte, secret.KeyLen)
	key[0] = seed
	s, err := secret.NewSealer(key)
	if err != nil {
		panic(err)
	}
	return s
}

type (
	settlementStore = storesettlement.Store
)

// World is a store, with all its parts, for one test.
type World struct {
	*store.Store
	People
	Accounts
	*settlementStore
	*report.Reader

	T   testing.TB
	URL string

	whole  testing.TB // while a case runs, the test it belongs to
	engine db.Engine  // of DB; nil until it is called
}

// New returns the world of an open store.
func New(t testing.TB, s *store.Store, url string) *World {
	t.Helper()
	return &World{
		Store: s, People: People{s.Identity()}, Accounts: Accounts{s.Merchant()}, settlementStore: s.Settlement(),
		Reader: s.Reports(), T: t, URL: url,
	}
}

// Run runs a named case of the test on the same store. Cases run in order, and later ones build on earlier ones.
func (w *World) Run(name string, test func(t *testing.T)) {
	w.T.Helper()
	whole := w.T
	w.whole = whole
	defer func() { w.T, w.whole = whole, nil }()
	whole.(*testing.T).Run(name, func(t *testing.T) {
		w.T = t
		test(t)
	})
}

// DB is an engine of the same database beside the store's own. It stays open until the whole test ends.
func (w *World) DB() db.Engine {
	w.T.Helper()
	if w.engine == nil {
		owner := w.T
		if w.whole != nil {
			owner = w.whole
		}
		e, err := db.Open(owner.Context(), w.URL, 2)
		w.Must(err)
		w.engine = e
		owner.Cleanup(func() { _ = e.Close() })
	}
	return w.engine
}

// ManyWriters reports whether the database is PostgreSQL, where transactions run at the same time.
func (w *World) ManyWriters() bool { return !strings.HasPrefix(w.URL, "sqlite://") }

// Post posts ledger entries and returns the balance of the key.
func (w *World) Post(keyID int64, entries []ledger.Entry) (left ledger.Balance, err error) {
	err = w.DB().Write(w.T.Context(), func(ctx context.Context, t db.Tx) error {
		left, err = table.Charge(ctx, t, keyID, entries)
		return err
	})
	return left, err
}

// Must fails the test for an error.
func (w *World) Must(err error) {
	w.T.Helper()
	if err != nil {
		w.T.Fatal(err)
	}
}

// MustDo fails the test for the error of a call whose result is of no matter.
func (w *World) MustDo(_ any, err error) {
	w.T.Helper()
	w.Must(err)
}

// NewID returns a random id.
func NewID() payment.ID {
	return payment.ID(ulid.MustNew(ulid.Timestamp(Start), rand.Reader).String())
}

// HashOf returns the hash of a text, for keys and tokens.
func HashOf(text string) identity.Hash { return sha256.Sum256([]byte(text)) }

var counter atomic.Int64

// NewUser stores a user.
func (w *World) NewUser() identity.User {
	w.T.Helper()
	n := counter.Add(1)
	u, err := w.CreateUser(w.T.Context(), identity.User{
		PublicID: string(NewID()), Email: fmt.Sprintf("user%d@example.org", n), FirstName: "Ada", LastName: "Lovelace",
		PasswordHash: "argon2id", CreatedAt: Start,
	}, audit.Record{})
	w.Must(err)
	return u
}

// NewKey stores an API key with these balances.
func (w *World) NewKey(credits, queries int64) merchant.Key {
	w.T.Helper()
	u := w.NewUser()
	k, err := w.CreateKey(w.T.Context(), merchant.Key{
		Permissions: merchant.AllPermissions(),
		PublicID:    string(NewID()), UserID: u.ID, Hash: HashOf(u.Email), Label: "shop", CreatedAt: Start,
	}, func(id int64) []ledger.Entry {
		var all []ledger.Entry
		if credits > 0 {
			all = append(
				all, ledger.Grant(id, ledger.Credit, credits, ledger.ReasonSignup, "signup:"+u.PublicID, Start),
			)
		}
		if queries > 0 {
			all = append(all, ledger.Grant(id, ledger.Query, queries, ledger.ReasonSignup, "signup:"+u.PublicID, Start))
		}
		return all
	}, audit.Record{})
	w.Must(err)
	return k
}

// NewCustodian stores the custodian of the key.
func (w *World) NewCustodian(k merchant.Key, callback string) merchant.Custodian {
	w.T.Helper()
	c, err := w.CreateCustodian(w.T.Context(), merchant.Custodian{
		PublicID: string(NewID()), KeyID: k.ID, Name: "Shop", CallbackURL: callback,
		Wallets:        map[chain.Network]chain.Address{chain.Polygon: "0x52908400098527886E0F7030069857D2E4169EE7"},
		Secret:         secret.New("merchant secret"),
		SigningSecrets: []secret.Text{secret.New("whsec_new"), secret.New("whsec_old")},
		Networks: map[chain.Network]merchant.NetworkOptions{
			chain.Polygon: {
				Enabled: true, Tokens: []money.Token{money.USDC}, MinAmount: money.USD,
				Finality: chain.Finality{Depth: 12 * time.Second},
			},
			chain.Base: {},
		},
		Branding:   merchant.Branding{Tagline: "Grüße", Theme: merchant.ThemeDark, PrimaryColor: "#102030"},
		ShortBasis: 50, LateFor: time.Hour, Repeats: true, Restarts: true, OfferRefunds: true,
		CreatedAt: Start, UpdatedAt: Start,
	}, nil, audit.Record{})
	w.Must(err)
	return c
}

// SQL is a connection to the database beside the store, for what no method does.
func (w *World) SQL() *sql.DB {
	w.T.Helper()
	driver, source := "pgx", w.URL
	if path, ok := strings.CutPrefix(w.URL, "sqlite://"); ok {
		driver, source = "sqlite", "file:"+path+"?_pragma=busy_timeout(10000)&_pragma=foreign_keys(1)&_txlock=immediate"
	}
	db, err := sql.Open(driver, source)
	w.Must(err)
	w.T.Cleanup(func() { _ = db.Close() })
	return db
}

// Count returns the number a query gives.
func (w *World) Count(text string) int64 {
	w.T.Helper()
	var n int64
	w.Must(w.DB().Reader().NewRaw(text).Scan(w.T.Context(), &n))
	return n
}

// WantBalance fails unless the key has this balance.
func (w *World) WantBalance(keyID int64, want ledger.Balance) {
	w.T.Helper()
	left, err := w.Balance(w.T.Context(), keyID)
	w.Must(err)
	Same(w.T, "balance", left, want)
}

// CheckLedger fails unless each balance is the sum of the entries of its key.
func (w *World) CheckLedger() {
	w.T.Helper()
	const moved = "SELECT coalesce(sum(count), 0) FROM ledger_entries AS e WHERE e.unit = b.unit AND e."
	wrong := w.Count(`SELECT count(*) FROM balances AS b WHERE balance <>
		(` + moved + `to_account = 'key:' || b.key_id) - (` + moved + `from_account = 'key:' || b.key_id)`)
	if wrong != 0 {
		w.T.Errorf("%d balances differ from their entries", wrong)
	}
}

// NewPasskey returns a passkey of the user, not stored.
func NewPasskey(userID int64, credential string) identity.Passkey {
	return identity.Passkey{
		ID: string(NewID()), UserID: userID, Name: "Laptop", Credential: []byte(credential),
		Record: secret.New("record of " + credential), CreatedAt: Start,
	}
}

// ReplaceKey gives a key another hash.
func (w *World) ReplaceKey(keyID int64, old, next identity.Hash) {
	w.T.Helper()
	_, err := w.RotateKey(w.T.Context(), merchant.Replacement{
		KeyID: keyID, Old: old, Next: next, Most: merchant.AllPermissions(),
	})
	w.Must(err)
}
