package store

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/report"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

// start is the time every story begins at. Its microseconds must survive.
var start = time.Date(2026, 11, 21, 10, 30, 0, 123_456_000, time.UTC)

// migrated is a PostgreSQL database with the schema in place.
var migrated = postgres.Template{Prepare: func(ctx context.Context, url string) error {
	s, err := Open(ctx, url, mustSealer(1), Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Migrate(ctx)
}}

// database is one kind of database the suite runs on.
type database struct {
	name string
	// empty and ready return the URL of a new database, without and with schema.
	empty, ready func(t testing.TB) string
}

func databases() []database {
	file := func(t testing.TB) string {
		t.Helper()
		return "sqlite://" + filepath.Join(t.TempDir(), "florin.db")
	}
	return []database{
		{"SQLite", file, func(t testing.TB) string {
			t.Helper()
			url := file(t)
			s := mustOpen(t, url)
			defer s.Close()
			return url
		}},
		{"PostgreSQL", postgres.URL, migrated.URL},
	}
}

// onEach runs the story on each kind of database, on a store of its own.
func onEach(t *testing.T, story func(t *testing.T, w *world)) {
	t.Helper()
	for _, d := range databases() {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			url := d.ready(t)
			w := newWorld(t, mustOpen(t, url), url)
			story(t, w)
		})
	}
}

// mustOpen opens and migrates, and closes when the test ends.
func mustOpen(t testing.TB, url string) *Store {
	t.Helper()
	s, err := Open(t.Context(), url, mustSealer(1), Options{})
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

func mustSealer(seed byte) *secret.Sealer {
	key := make([]byte, secret.KeyLen)
	key[0] = seed
	s, err := secret.NewSealer(key)
	if err != nil {
		panic(err)
	}
	return s
}

// world is a store with what stories are made of.
type world struct {
	*Store
	*report.Reader

	t   *testing.T
	url string
}

func newWorld(t *testing.T, s *Store, url string) *world {
	t.Helper()
	return &world{Store: s, Reader: s.Reports(), t: t, url: url}
}

// must fails the test for an error.
func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func newID() payment.ID {
	return payment.ID(ulid.MustNew(ulid.Timestamp(start), rand.Reader).String())
}

func hashOf(text string) identity.Hash { return sha256.Sum256([]byte(text)) }

var counter atomic.Int64

// user makes a user.
func (w *world) user() identity.User {
	w.t.Helper()
	n := counter.Add(1)
	u, err := w.CreateUser(w.t.Context(), identity.User{
		PublicID: string(newID()), Email: fmt.Sprintf("user%d@example.org", n), FirstName: "Ada", LastName: "Lovelace",
		PasswordHash: "argon2id", CreatedAt: start,
	})
	w.must(err)
	return u
}

// key makes an API key with what it is granted.
func (w *world) key(credits, queries int64) merchant.Key {
	w.t.Helper()
	u := w.user()
	k, err := w.CreateKey(w.t.Context(), merchant.Key{
		PublicID: string(newID()), UserID: u.ID, Hash: hashOf(u.Email), Label: "shop", CreatedAt: start,
	}, func(id int64) []ledger.Entry {
		var all []ledger.Entry
		if credits > 0 {
			all = append(
				all, ledger.Grant(id, ledger.Credit, credits, ledger.ReasonSignup, fmt.Sprintf("signup:%d", id), start),
			)
		}
		if queries > 0 {
			all = append(
				all, ledger.Grant(id, ledger.Query, queries, ledger.ReasonSignup, fmt.Sprintf("signup:%d", id), start),
			)
		}
		return all
	})
	w.must(err)
	return k
}

// custodian gives the key a custodian.
func (w *world) custodian(k merchant.Key, callback string) merchant.Custodian {
	w.t.Helper()
	c, err := w.CreateCustodian(w.t.Context(), merchant.Custodian{
		PublicID: string(newID()), KeyID: k.ID, Name: "Shop", CallbackURL: callback,
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
		ShortBasis: 50, LateFor: time.Hour, CreatedAt: start, UpdatedAt: start,
	}, nil, nil)
	w.must(err)
	return c
}

// request is what an ordinary payment is made of.
func request(k merchant.Key) payment.Request {
	return payment.Request{
		ID: newID(), KeyID: k.ID, Kind: payment.KindMerchant, Amount: 12_500_000, ValidFor: time.Hour,
		Terms: payment.Terms{ShortBasis: 50, LateFor: time.Hour},
		Details: payment.Details{
			Reference: "order 'ñ' \"7\" ?", Description: "naïve 👛 \\ %s", SuccessURL: "https://shop.example/ok?x=1&y=2",
			Metadata: map[string]string{"k?": "v'\\\"", "": "empty"}, CustomerEmail: "c@example.org",
		},
	}
}

// payment makes a payment of the key.
func (w *world) payment(k merchant.Key) payment.Payment { return w.paymentAt(k, start) }

func (w *world) paymentAt(k merchant.Key, when time.Time) payment.Payment {
	w.t.Helper()
	p, err := w.CreatePayment(w.t.Context(), payment.New(request(k), when))
	w.must(err)
	return p
}

// routeOf derives an address as a depositor would: from the number alone.
func routeOf(n chain.Network, number int64) payment.Route {
	raw := make([]byte, 20)
	if n == chain.Solana {
		raw = make([]byte, 32)
	}
	raw[0] = 0xd0
	for i := range 8 {
		raw[len(raw)-1-i] = byte(number >> (8 * i))
	}
	return payment.Route{Address: chain.AddressOf(n, raw), Settlement: "0x52908400098527886E0F7030069857D2E4169EE7"}
}

// startOn returns the decision that starts a payment.
func startOn(n chain.Network, token money.Token, now time.Time) func(payment.Payment) (payment.Change, error) {
	return func(p payment.Payment) (payment.Change, error) {
		return p.Start(payment.Choice{Network: n, Token: token}, routeOf(n, p.Number), 30*time.Minute, now)
	}
}

// started makes a payment and starts it on Polygon in USDC.
func (w *world) started(k merchant.Key) payment.Payment {
	w.t.Helper()
	p := w.payment(k)
	p, err := w.UpdatePayment(w.t.Context(), p.ID, startOn(chain.Polygon, money.USDC, start))
	w.must(err)
	return p
}

// transfer is money to the payment's Polygon address.
func transfer(p payment.Payment, tx string, amount money.Micros, block uint64) chain.Transfer {
	profile := chain.Profiles()[1]
	asset, _ := profile.Asset(money.USDC)
	r, _ := p.Route()
	return chain.Transfer{
		Key:   chain.Key{Network: chain.Polygon, Tx: chain.TxHash(tx), Ordinal: 3},
		Asset: asset, From: "0x52908400098527886E0F7030069857D2E4169EE7", To: r.Address.Address,
		Units:  amount.Units(asset.Decimals),
		Block:  chain.Head{Number: block, Hash: fmt.Sprintf("0xb%d", block), Time: start.Add(time.Minute)},
		Source: "rpc.example",
	}
}

// observe returns the decision that takes in the transfers, final up to a block.
func observe(final uint64, transfers ...chain.Transfer) func(payment.Payment) (payment.Change, error) {
	return func(p payment.Payment) (payment.Change, error) {
		return p.Observe(payment.View{
			Network: chain.Polygon, From: 1, To: 1000, Final: chain.Head{
				Number: final,
			}, Finalized: chain.Head{Number: final},
			Transfers: transfers,
		}, start.Add(2*time.Minute))
	}
}

// same fails unless both values are deeply equal.
func same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

// wants fails unless err is the one expected.
func wants(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got %v, want %v", what, err, want)
	}
}

// wantsInvalid fails unless err is fault.Invalid.
func wantsInvalid(t *testing.T, what string, err error) {
	t.Helper()
	if !fault.Is(err, fault.Invalid) {
		t.Errorf("%s: got %v, want fault.Invalid", what, err)
	}
}

// together runs fn n times at once and returns the errors.
func together(n int, fn func(i int) error) []error {
	errs := make([]error, n)
	var all sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		all.Go(func() {
			<-begin
			errs[i] = fn(i)
		})
	}
	close(begin)
	all.Wait()
	return errs
}

// raw is a connection to the database beside the store, for what no method does.
func (w *world) raw() *sql.DB {
	w.t.Helper()
	driver, source := "pgx", w.url
	if path, ok := strings.CutPrefix(w.url, "sqlite://"); ok {
		driver, source = "sqlite", "file:"+path+"?_pragma=busy_timeout(10000)&_pragma=foreign_keys(1)&_txlock=immediate"
	}
	db, err := sql.Open(driver, source)
	w.must(err)
	w.t.Cleanup(func() { _ = db.Close() })
	return db
}

// count returns the number a query gives.
func (w *world) count(text string) int64 {
	w.t.Helper()
	var n int64
	w.must(w.reader().NewRaw(text).Scan(w.t.Context(), &n))
	return n
}

// balanced fails unless the book agrees with itself: each balance is the sum
// of the entries of its key.
func (w *world) balanced() {
	w.t.Helper()
	const moved = "SELECT coalesce(sum(count), 0) FROM ledger_entries AS e WHERE e.unit = b.unit AND e."
	wrong := w.count("SELECT count(*) FROM balances AS b WHERE balance <> " +
		"(" + moved + "to_account = 'key:' || b.key_id) - (" + moved + "from_account = 'key:' || b.key_id)")
	if wrong != 0 {
		w.t.Errorf("%d balances differ from their entries", wrong)
	}
}
