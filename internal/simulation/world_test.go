package simulation

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
)

// Wallets of the simulation.
const (
	gasWallet   = chain.Address("0x8617E340B3D01FA5F11F306F4090FD50E238070D")
	treasury    = chain.Address("0xde709f2102306220921060314715629080e2fb77")
	firstWallet = chain.Address("0x52908400098527886E0F7030069857D2E4169EE7")
	otherWallet = chain.Address("0x27b1fdb04752bbc536007a920d24acb045561c26")
	payer       = chain.Address("0x00000000000000000000000000000000000000F1")
)

// deepest is the largest distance, in blocks, of a finalized block from the newest.
const deepest = 9

// lateFor is how long after its expiry money still completes a payment.
const lateFor = 20 * time.Minute

const (
	creditsGiven = 100_000
	queriesGiven = 1_000
)

// begin is the start time of every run.
var begin = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// headLimit is how old the newest block may be in the simulation. It is longer than on the real networks, so that a
// world gets through quiet hours in few rounds.
const headLimit = 10 * time.Minute

// world is the whole simulation: chains, one or two instances, payers, merchants, receivers, and what they
// have observed.
type world struct {
	testing.TB
	seed      uint64
	rng       *rand.Rand
	clock     time.Time
	url       string
	postgres  bool
	chain     *testChain   // Polygon
	chains    []*testChain // Polygon and Solana
	hosts     []string     // of the endpoints of each network: one in one world of five, two or three in two
	observer  *store.Store // reads the database for the checks. On SQLite the instances share it
	key       int64
	instances []*instance
	running   []*instance // whose code runs; the last interrupted the one before
	opened    int
	made      int          // payments and sweeps
	ids       []payment.ID // of all payments
	dirty     map[payment.ID]bool
	commits   int // on SQLite
	checked   int // commits at the last check
	signed    int
	transfers []boughtUnits // that were signed for recharges
	purchases int
	// severalFlying is in how many crashes a network had several sweeps in flight.
	severalFlying int
	sweeping      map[settlement.ID]bool // in flight, or planned in vain

	// mu guards what concurrent calls change, and serving lets one call to Solana's endpoints be answered at a time.
	mu, serving sync.Mutex

	// Faults of the network, the gas wallet and the receivers.
	lies          lies
	gasExpensive  bool // signing fails: the price is too high
	gasEmpty      bool // signing fails: the gas wallet is empty
	answersLost   bool // broadcasts arrive, and their answer is lost
	receiversFail bool // receivers fail more often than not
	receiversBusy bool // receivers ask for a pause
	wallet        chain.Address
	shown         []chain.Address // deposit addresses, in the order of their first appearance
	recorded      map[chain.Address]chain.Address
	last          map[payment.ID]payment.Payment
	inbox         inbox
	trace         hash.Hash
	lines         []string
	loss          loss
	crashes       int
	interleavings int
	awaited       time.Duration // until all final money was recorded after the faults
}

// newWorld makes the world of a seed on a prepared database.
func newWorld(t testing.TB, seed uint64, url string) *world {
	t.Helper()
	w := &world{
		TB: t, seed: seed, clock: begin, wallet: firstWallet, url: url, key: 1,
		rng:      rand.New(rand.NewPCG(seed, 4)), //nolint:gosec // it must be repeatable
		lies:     newLies(),
		recorded: map[chain.Address]chain.Address{}, last: map[payment.ID]payment.Payment{}, trace: sha256.New(),
		inbox: inbox{got: map[string][]receivedBody{}, newest: map[payment.ID]int{}, refused: map[payment.ID]bool{}},
		dirty: map[payment.ID]bool{}, sweeping: map[settlement.ID]bool{},
	}
	w.hosts = []string{firstHost, secondHost, thirdHost}[:[]int{1, 3, 2, 3, 2}[seed%5]]
	w.makeChains()
	path, sqlite := strings.CutPrefix(url, "sqlite://")
	w.postgres = !sqlite
	if sqlite {
		defer guard(path, w)()
	}
	w.observer = open(w, w.url)
	w.Cleanup(func() { _ = w.observer.Close() })
	w.instances = []*instance{w.start()}
	w.instances[0].round("watch")
	if seed%3 == 0 {
		w.instances = append(w.instances, w.start())
	}
	return w
}

// close closes the database.
func (w *world) close() {
	for _, in := range w.instances {
		in.close()
	}
	w.must(w.observer.Close())
}

// makeChains makes the networks. Half of the worlds credit deposits on Polygon before the chain finalizes them.
func (w *world) makeChains() {
	for _, p := range chain.Profiles() {
		p.HeadLimit = headLimit
		if p.Network == chain.Polygon {
			safe, deep := 4, 4
			if w.seed%2 == 1 {
				safe, deep = 3, 9
				p.Finality = chain.Finality{Tag: chain.TagSafe}
			}
			w.chain = newTestChain(p, begin, safe, deep)
			w.chain.blocks[0].state[holding{merchantWallet, p.Assets[0].Contract}] = merchantHolds
			w.chains = append(w.chains, w.chain)
		}
		if p.Network == chain.Solana {
			p.IndexLag = indexLag
			w.chains = append(w.chains, newTestChain(p, begin, solanaDeep, solanaDeep))
		}
	}
	for range 10 {
		w.pass(2 * time.Second)
		w.mine(1)
	}
}

// of returns the chain of a network.
func (w *world) of(n chain.Network) *testChain {
	for _, l := range w.chains {
		if l.profile.Network == n {
			return l
		}
	}
	w.failf("there is no network %s", n)
	return nil
}

// mine makes so many blocks on every network.
func (w *world) mine(blocks int) {
	for range blocks {
		for _, l := range w.chains {
			l.mine(w.clock)
		}
	}
}

// anyChain returns one of the networks.
func (w *world) anyChain() *testChain { return w.chains[w.rng.IntN(len(w.chains))] }

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.failf("%v", err)
	}
}

// failf ends the run and prints how to repeat it.
func (w *world) failf(format string, args ...any) {
	w.Helper()
	lines := w.lines
	if !*traceFlag {
		lines = lines[max(0, len(lines)-40):]
	}
	w.Logf("the trace:\n%s", strings.Join(lines, "\n"))
	w.Logf("%d lines, %d crashes, %d interleavings", len(w.lines), w.crashes, w.interleavings)
	w.Fatalf("seed %d: %s\nrepeat it: go test ./internal/simulation -run %s -seed %d -seeds 1 -trace",
		w.seed, fmt.Sprintf(format, args...), strings.Split(w.Name(), "/")[0], w.seed)
}

// tracef adds a line to the trace.
func (w *world) tracef(format string, args ...any) {
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

// restartAll stops all instances and starts one.
func (w *world) restartAll() *instance {
	for _, in := range w.instances {
		in.close()
	}
	w.instances = []*instance{w.start()}
	return w.instances[0]
}

// createMerchant makes the merchant with a key, credits and settlement wallets.
func createMerchant(t testing.TB, s *store.Store) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	user, err := (storetest.People{Store: s.Identity()}).CreateUser(
		ctx, identity.User{PublicID: "01KAJ0000000000000000000U1", Email: "shop@example.com", CreatedAt: begin},
		audit.Record{},
	)
	must(err)
	key, err := (storetest.Accounts{Store: s.Merchant()}).CreateKey(ctx, merchant.Key{
		PublicID: "01KAJ0000000000000000000K1", UserID: user.ID, Hash: identity.Hash{1},
		Wallet: merchantWallet, CreatedAt: begin,
	}, func(id int64) []ledger.Entry {
		return []ledger.Entry{
			ledger.Grant(id, ledger.Credit, creditsGiven, ledger.ReasonGrant, "credits", begin),
			ledger.Grant(id, ledger.Query, queriesGiven, ledger.ReasonGrant, "queries", begin),
		}
	}, audit.Record{})
	must(err)
	_, err = (storetest.Accounts{Store: s.Merchant()}).CreateCustodian(ctx, merchant.Custodian{
		PublicID: "01KAJ0000000000000000000C1", KeyID: key.ID, Name: "Shop", CallbackURL: "https://shop.example.com/hook",
		Wallets: map[chain.Network]chain.Address{chain.Polygon: firstWallet, chain.Solana: solanaWallet},
		SigningSecrets: []secret.Text{
			secret.New("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
		}, LateFor: lateFor, CreatedAt: begin, UpdatedAt: begin,
	}, nil, audit.Record{})
	must(err)
}

// chance is true with a probability of so many per cent.
func (w *world) chance(percent int) bool { return w.rng.IntN(100) < percent }

// any returns one of the running instances.
func (w *world) any() *instance { return w.instances[w.rng.IntN(len(w.instances))] }

// newest returns one of the payments, mostly a recent one; ok is false if there is none.
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

// restartCrashed replaces instances that have crashed.
func (w *world) restartCrashed() {
	for i, in := range w.instances {
		if in.crasher.crashed() {
			w.crashes++
			w.severalFlying += w.severalInFlight()
			w.tracef("%s crashed after %d commits", in.name, in.crasher.count)
			in.close()
			w.instances[i] = w.start()
		}
	}
}

// severalInFlight is 1 if a network has several sweeps in flight.
func (w *world) severalInFlight() int {
	for _, l := range w.chains {
		list, err := w.observer.Settlement().InFlight(w.Context(), l.profile.Network)
		if err != nil {
			w.Fatal(err)
		}
		if len(list) > 1 {
			return 1
		}
	}
	return 0
}

// interleave runs something else while an instance waits for an answer.
func (w *world) interleave(in *instance) {
	w.interleavings++
	w.tracef("while it waits")
	in.faults.interleave = 0
	others := slices.DeleteFunc(
		slices.Clone(w.instances), func(o *instance) bool { return o == in || o.busy || o.crasher.crashed() },
	)
	switch at := w.rng.IntN(6); {
	case at < 3 && len(others) > 0:
		others[0].mend()
		others[0].round([]string{"watch", "sweep", "expire"}[at])
	case at == 3:
		w.reorg()
	case at == 4:
		w.pay()
		w.mine(1)
	default:
		w.cancel()
	}
}

// traceError adds an error to the printed lines; its text does not count for the trace's hash.
func (w *world) traceError(err error) {
	if err != nil {
		w.lines = append(w.lines, "      error: "+err.Error())
	}
}
