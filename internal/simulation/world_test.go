package simulation

import (
	"context"
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

	"github.com/florinpay/florin/internal/account"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/credit"
	"github.com/florinpay/florin/internal/money"
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
	ledger  *ledger
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
	w.ledger = newLedger(begin, safe, deep)
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
	user, err := w.books.CreateUser(ctx, account.User{PublicID: "01KAJ0000000000000000000U1", Email: "shop@example.com", CreatedAt: begin})
	w.must(err)
	key, err := w.books.CreateKey(ctx, account.Key{PublicID: "01KAJ0000000000000000000K1", UserID: user.ID, Hash: account.Hash{1}, CreatedAt: begin},
		func(id int64) []credit.Entry {
			return []credit.Entry{
				credit.Grant(id, credit.Credit, creditsGiven, credit.ReasonGrant, "credits", begin),
				credit.Grant(id, credit.Query, queriesGiven, credit.ReasonGrant, "queries", begin),
			}
		})
	w.must(err)
	w.key = key.ID
	_, err = w.books.CreateCustodian(ctx, account.Custodian{
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

// step does one thing.
func (w *world) step() {
	w.pass(time.Duration(w.rng.IntN(8)) * time.Second)
	weights := 0
	for _, a := range acts {
		weights += a.weight
	}
	at := w.rng.IntN(weights)
	for _, a := range acts {
		if at -= a.weight; at < 0 {
			w.tellf("%s", a.name)
			a.do(w)
			break
		}
	}
	w.reap()
	w.check()
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

// pay has a payer send money to one of the addresses that were shown.
func (w *world) pay() {
	p, ok := w.newest()
	for range 4 { // mostly one that waits for money
		if ok && len(p.Routes) > 0 && (p.Status == payment.Started || w.chance(20)) {
			break
		}
		p, ok = w.newest()
	}
	if !ok || len(p.Routes) == 0 {
		return
	}
	to := p.Routes[0].Address.Address
	asked, other := w.profile.Assets[0].Contract, w.profile.Assets[1].Contract
	if p.Choice.Token == money.USDC {
		asked, other = other, asked
	}
	units := uint64(p.Amount)
	t := &tx{hash: chain.TxHash(w.ledger.hash("t"))}
	switch at := w.rng.IntN(10); {
	case p.Kind == payment.KindTopUp:
		if w.paidTo(to) {
			return
		}
		t.moves = []move{{asked, payer, to, units}}
	case at < 5:
		t.moves = []move{{asked, payer, to, units}}
	case at == 5: // in two transfers, and a speck of nothing
		t.moves = []move{{asked, payer, to, units / 2}, {asked, payer, to, 0}, {asked, payer, to, units - units/2}}
	case at == 6: // too little
		t.moves = []move{{asked, payer, to, units / 3}}
	case at == 7: // too much
		t.moves = []move{{asked, payer, to, units + 1_000}}
	case at == 8: // what was not asked for: the other token, and a bridged twin
		twin := w.profile.Assets[len(w.profile.Assets)-1].Contract
		t.moves = []move{{other, payer, to, units}, {twin, payer, to, units}}
	default: // two payments at once
		t.moves = []move{{asked, payer, to, units}}
		if o, ok := w.newest(); ok && len(o.Routes) > 0 && o.Kind != payment.KindTopUp {
			t.moves = append(t.moves, move{asked, payer, o.Routes[0].Address.Address, uint64(o.Amount)})
		}
	}
	if w.chance(4) && len(t.moves) == 1 && !w.paidTo(to) && p.Status == payment.Started {
		w.hidden[t.hash], w.wasHidden[t.hash] = true, true
		w.tellf("hidden %s", t.hash)
	}
	w.ledger.send(t)
	w.tellf("pay %s to %s of %s", t.hash, to, p.ID)
}

// lastMinute has somebody pay just before the time of a payment runs out, and
// the expirer look before or after the watcher does.
func (w *world) lastMinute() {
	p, ok := w.newest()
	if !ok || p.Status != payment.Started || w.paidTo(p.Routes[0].Address.Address) {
		return
	}
	in := w.any()
	in.weather, in.skew = weather{}, 0
	const most = 150 // rounds: the time of a payment, and what outages added to it
	for range most {
		if left := p.ExpiresAt.Sub(w.clock); left < 20*time.Second {
			break
		}
		w.pass(min(45*time.Second, p.ExpiresAt.Sub(w.clock)-15*time.Second))
		w.ledger.mine(w.clock)
		in.round("watch")
		var err error
		p, err = w.books.Payment(w.Context(), p.ID)
		w.must(err)
	}
	asset, _ := w.profile.Asset(p.Choice.Token)
	t := &tx{hash: chain.TxHash(w.ledger.hash("t")), moves: []move{{asset.Contract, payer, p.Routes[0].Address.Address, uint64(p.Amount)}}}
	if w.chance(40) {
		w.hidden[t.hash], w.wasHidden[t.hash] = true, true
	}
	w.ledger.send(t)
	w.tellf("pay %s to %s in the last minute, hidden %t", t.hash, p.ID, w.hidden[t.hash])
	for range w.ledger.deepDepth + 1 {
		w.pass(time.Second)
		w.ledger.mine(w.clock)
	}
	for range 2 { // finality is as far as the payment's time
		w.pass(30 * time.Second)
		for range w.ledger.deepDepth + 1 {
			w.ledger.mine(w.clock)
		}
		if w.chance(60) {
			in.round("watch")
		}
		in.round("expire")
	}
}

// paidTo reports whether anybody has sent anything there.
func (w *world) paidTo(a chain.Address) bool {
	for _, t := range w.ledger.pool {
		if slices.ContainsFunc(t.moves, func(m move) bool { return m.to == a }) {
			return true
		}
	}
	return len(w.ledger.arrivals(len(w.ledger.blocks), a)) > 0
}

func (w *world) reorg() {
	n := w.ledger.reorg(1+w.rng.IntN(w.ledger.deepDepth), w.chance(70), w.clock)
	w.tellf("reorg of %d", n)
}

func (w *world) cancel() {
	if p, ok := w.newest(); ok {
		_, err := w.any().service.Cancel(w.Context(), string(p.ID))
		w.tellf("cancel %s failed=%t", p.ID, err != nil)
	}
}

// loop runs a round of one of the loops under new weather.
func loop(kind string) func(*world) {
	return func(w *world) {
		in := w.any()
		if !w.chance(30) {
			in.weather = weather{}
		}
		if w.chance(45) {
			in.weather = w.newWeather()
		}
		in.round(kind)
	}
}

func (w *world) newWeather() weather {
	switch w.rng.IntN(12) {
	case 0:
		return weather{failAt: 1 + w.rng.IntN(6)}
	case 1:
		return weather{lag: 1 + w.rng.IntN(12)}
	case 2:
		return weather{blind: true}
	case 3:
		return weather{invents: true}
	case 4:
		return weather{repeats: true}
	case 5:
		return weather{doubts: true}
	}
	return weather{interlude: 1 + w.rng.IntN(5)}
}

// act is something that can happen, and how often it does.
type act struct {
	name   string
	weight int
	do     func(*world)
}

var acts = []act{
	{"create", 6, func(w *world) {
		amount := money.Micros(1_000_000 * (1 + w.rng.IntN(50)))
		_, err := w.any().service.Create(w.Context(), payment.CreateInput{KeyID: w.key, Amount: amount.String()})
		w.tellf("failed=%t", err != nil)
	}},
	{"top up", 1, func(w *world) {
		_, err := w.any().service.CreateTopUp(w.Context(), w.newPayment(w.clock), w.key, int64(20+w.rng.IntN(100)))
		w.tellf("failed=%t", err != nil)
	}},
	{"start", 14, func(w *world) {
		if p, ok := w.newest(); ok {
			tok := money.Tokens()[w.rng.IntN(2)]
			_, err := w.any().service.Start(w.Context(), string(p.ID), payment.Choice{Network: chain.Polygon, Token: tok})
			w.tellf("%s %s failed=%t", p.ID, tok, err != nil)
		}
	}},
	{"pay", 14, (*world).pay},
	{"mine", 16, func(w *world) {
		for range 1 + w.rng.IntN(5) {
			w.pass(2 * time.Second)
			w.ledger.mine(w.clock)
		}
	}},
	{"watch", 20, loop("watch")},
	{"expire", 8, loop("expire")},
	{"sweep", 16, loop("sweep")},
	{"deliver", 8, loop("deliver")},
	{"cancel", 2, (*world).cancel},
	{"mark", 1, func(w *world) {
		if p, ok := w.newest(); ok {
			_, err := w.any().service.MarkCompleted(w.Context(), w.key, string(p.ID), payment.Actor{Name: "API key"})
			w.tellf("failed=%t", err != nil)
		}
	}},
	{"accept", 1, func(w *world) {
		if p, ok := w.newest(); ok {
			_, err := w.any().service.Accept(w.Context(), w.key, string(p.ID), payment.Actor{Name: "owner"})
			w.tellf("failed=%t", err != nil)
		}
	}},
	{"another settlement wallet", 1, (*world).moveShop},
	{"reorg", 3, (*world).reorg},
	{"the pool forgets", 1, func(w *world) { w.ledger.drop() }},
	{"a clock jumps", 2, func(w *world) {
		in := w.any()
		if in.skew = 0; w.chance(50) {
			in.skew = time.Duration(w.rng.IntN(240)-120) * time.Second
		}
	}},
	{"a crash is near", 5, func(w *world) {
		f := w.any().fuse
		f.armed, f.left, f.after = true, w.rng.IntN(6), w.chance(50)
		f.dead = w.path == "" // commits of PostgreSQL cannot be refused: it dies now
	}},
	{"a commit will fail", 2, func(w *world) { w.any().fuse.once = true }},
	{"instances", 2, func(w *world) {
		if len(w.live) == 1 {
			w.live = append(w.live, w.start())
			return
		}
		_ = w.live[0].store.Close()
		w.live = w.live[1:]
	}},
	{"time passes", 1, func(w *world) {
		w.pass(time.Duration(1+w.rng.IntN(40)) * time.Minute)
		w.ledger.mine(w.clock)
	}},
	{"gas", 2, func(w *world) { w.dear, w.broke, w.deaf = w.chance(20), w.chance(20), w.chance(20) }},
	{"another uses the gas wallet", 1, func(w *world) {
		w.ledger.send(&tx{hash: chain.TxHash(w.ledger.hash("f")), ours: true, nonce: w.ledger.head().nonce, price: 1 << 40})
	}},
	{"the last minute", 3, (*world).lastMinute},
	{"finality", 1, func(w *world) {
		w.ledger.frozen = 0
		if w.chance(50) {
			w.ledger.frozen = w.ledger.forever
		}
		w.ledger.settle()
	}},
	{"endpoints tell all", 1, func(w *world) { clear(w.hidden) }},
	{"receivers", 2, func(w *world) { w.badPost, w.fullPost = w.chance(30), w.chance(20) }},
}

// moveShop has the merchant settle to another wallet from now on.
func (w *world) moveShop() {
	to := otherShop
	if w.wallet == otherShop {
		to = firstShop
	}
	_, _ = w.any().store.UpdateCustodian(w.Context(), w.key, nil, func(c account.Custodian) (account.Custodian, error) {
		c.Wallets = map[chain.Network]chain.Address{chain.Polygon: to}
		return c, nil
	})
	c, err := w.books.Custodian(context.Background(), w.key)
	w.must(err)
	w.wallet = c.Wallets[chain.Polygon]
}

// why adds an error to the story; its text is no part of the trace.
func (w *world) why(err error) {
	if err != nil {
		w.lines = append(w.lines, "      because "+err.Error())
	}
}
