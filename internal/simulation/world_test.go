package simulation

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
)

// Wallets of the story.
const (
	gasWallet = chain.Address("0x8617E340B3D01FA5F11F306F4090FD50E238070D")
	treasury  = chain.Address("0xde709f2102306220921060314715629080e2fb77")
	firstShop = chain.Address("0x52908400098527886E0F7030069857D2E4169EE7")
	otherShop = chain.Address("0x27b1fdb04752bbc536007a920d24acb045561c26")
	payer     = chain.Address("0x00000000000000000000000000000000000000F1")
)

const (
	creditsGiven = 100_000
	queriesGiven = 1_000
)

// begin is when every story begins.
var begin = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// world is everything there is: a ledger, one or two instances, payers,
// merchants, receivers, and what they have seen.
type world struct {
	testing.TB
	seed    uint64
	rng     *rand.Rand
	clock   time.Time
	path    string // of the SQLite file; empty on PostgreSQL
	url     string
	profile chain.Profile
	ledger  *testChain
	books   *store.Store // looks on; nothing ever fails for it
	key     int64
	live    []*instance
	opened  int
	ids     int
	signed  int

	// Troubles of the network and the gas wallet.
	hidden     map[chain.TxHash]bool // what the first endpoint leaves out
	wasHidden  map[chain.TxHash]bool
	dear       bool
	broke      bool
	deaf       bool
	badPost    bool // receivers fail more often than not
	fullPost   bool // receivers ask to be left alone
	wallet     chain.Address
	shown      []chain.Address // deposit addresses, in the order they were seen
	recorded   map[chain.Address]chain.Address
	last       map[payment.ID]payment.Payment
	post       mailbox
	trace      hash.Hash
	lines      []string
	crashes    int
	interludes int
}

// newWorld makes the world of a seed. database is where it is stored: the path of
// an SQLite file that has its schema, of which a copy is made, or the URL of a
// PostgreSQL database that has.
func newWorld(t testing.TB, seed uint64, database string) *world {
	t.Helper()
	w := &world{
		TB: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 4)), clock: begin, wallet: firstShop, //nolint:gosec // it must be repeatable
		hidden: map[chain.TxHash]bool{}, wasHidden: map[chain.TxHash]bool{},
		recorded: map[chain.Address]chain.Address{}, last: map[payment.ID]payment.Payment{}, trace: sha256.New(),
		post: mailbox{got: map[string][]letterIn{}},
	}
	for _, p := range chain.Profiles() {
		if p.Network == chain.Polygon {
			w.profile = p
		}
	}
	// Half of the worlds credit before the chain itself is certain.
	safe, deep := 4, 4
	if seed%2 == 1 {
		safe, deep = 3, 9
		w.profile.Finality = chain.Finality{Tag: chain.TagSafe}
	}
	w.ledger = newTestChain(begin, safe, deep)
	for range deep + 1 {
		w.pass(2 * time.Second)
		w.ledger.mine(w.clock)
	}
	if w.url = database; !strings.Contains(database, "://") {
		w.path = filepath.Join(t.TempDir(), fmt.Sprintf("seed%d.db", seed))
		w.url = "sqlite://" + w.path
		copyFile(w, database, w.path)
	}
	w.openShop()
	w.live = []*instance{w.start()}
	w.live[0].round("watch")
	return w
}

func copyFile(w *world, from, to string) {
	data, err := os.ReadFile(from)
	w.must(err)
	w.must(os.WriteFile(to, data, 0o600))
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.failf("%v", err)
	}
}

// failf ends the story and says how to see it again.
func (w *world) failf(format string, args ...any) {
	w.Helper()
	told := w.lines
	if !*wholeFlag {
		told = told[max(0, len(told)-40):]
	}
	w.Logf("the story:\n%s", strings.Join(told, "\n"))
	w.Logf("%d steps told, %d crashes, %d interludes", len(w.lines), w.crashes, w.interludes)
	w.Fatalf("seed %d: %s\nsee it again: go test ./internal/simulation -run %s -seed %d -seeds 1 -whole",
		w.seed, fmt.Sprintf(format, args...), strings.Split(w.Name(), "/")[0], w.seed)
}

// tellf adds a line to the trace.
func (w *world) tellf(format string, args ...any) {
	line := fmt.Sprintf("%s ", w.clock.Sub(begin)) + fmt.Sprintf(format, args...)
	w.lines = append(w.lines, line)
	_, _ = w.trace.Write([]byte(line + "\n"))
}

func (w *world) sum() string { return hex.EncodeToString(w.trace.Sum(nil)) }

func (w *world) pass(d time.Duration) { w.clock = w.clock.Add(d) }

func (w *world) start() *instance {
	w.opened++
	return w.open(fmt.Sprintf("instance %d", w.opened))
}

func (w *world) openShop() {
	ctx := w.Context()
	sealer, err := secret.NewSealer(make([]byte, secret.KeyLen))
	w.must(err)
	w.books, err = store.Open(ctx, w.url, sealer, store.Options{Log: silent(), MaxConns: 2})
	w.must(err)
	w.Cleanup(func() { _ = w.books.Close() })
	user, err := w.books.CreateUser(ctx, identity.User{PublicID: "01KAJ0000000000000000000U1", Email: "shop@example.com", CreatedAt: begin})
	w.must(err)
	key, err := w.books.CreateKey(ctx, merchant.Key{PublicID: "01KAJ0000000000000000000K1", UserID: user.ID, Hash: identity.Hash{1}, CreatedAt: begin},
		func(id int64) []ledger.Entry {
			return []ledger.Entry{
				ledger.Grant(id, ledger.Credit, creditsGiven, ledger.ReasonGrant, "credits", begin),
				ledger.Grant(id, ledger.Query, queriesGiven, ledger.ReasonGrant, "queries", begin),
			}
		})
	w.must(err)
	w.key = key.ID
	_, err = w.books.CreateCustodian(ctx, merchant.Custodian{
		PublicID: "01KAJ0000000000000000000C1", KeyID: key.ID, Name: "Shop", CallbackURL: "https://shop.example.com/hook",
		Wallets:        map[chain.Network]chain.Address{chain.Polygon: w.wallet},
		SigningSecrets: []secret.Text{secret.New("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")}, CreatedAt: begin, UpdatedAt: begin,
	}, nil)
	w.must(err)
}

// chance is true that many times in a hundred.
func (w *world) chance(percent int) bool { return w.rng.IntN(100) < percent }

// any returns one of the live instances.
func (w *world) any() *instance { return w.live[w.rng.IntN(len(w.live))] }

// newest returns one of the payments, mostly a late one; ok is false without any.
func (w *world) newest() (p payment.Payment, ok bool) {
	ids := w.known()
	if len(ids) == 0 {
		return p, false
	}
	from := max(0, len(ids)-6)
	if w.chance(20) {
		from = 0
	}
	return w.last[ids[from+w.rng.IntN(len(ids)-from)]], true
}

func (w *world) known() []payment.ID {
	ids := make([]payment.ID, 0, len(w.last))
	for id := range w.last {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// reap lets an instance that has died be started again.
func (w *world) reap() {
	for i, in := range w.live {
		if in.fuse.isDead() {
			w.crashes++
			w.tellf("%s died after %d commits", in.name, in.fuse.count)
			_ = in.store.Close()
			w.live[i] = w.start()
		}
	}
}

// interlude is what happens while an instance waits for an answer.
func (w *world) interlude(in *instance) {
	w.interludes++
	w.tellf("meanwhile")
	in.weather.interlude = 0
	others := slices.DeleteFunc(slices.Clone(w.live), func(o *instance) bool { return o == in || o.busy || o.fuse.isDead() })
	switch at := w.rng.IntN(6); {
	case at < 3 && len(others) > 0:
		others[0].weather = weather{}
		others[0].round([]string{"watch", "sweep", "expire"}[at])
	case at == 3:
		w.reorg()
	case at == 4:
		w.pay()
		w.ledger.mine(w.clock)
	default:
		w.cancel()
	}
}

// why adds an error to the story; its text is no part of the trace.
func (w *world) why(err error) {
	if err != nil {
		w.lines = append(w.lines, "      because "+err.Error())
	}
}
