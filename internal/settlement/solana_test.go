package settlement_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/sandbox/devsol"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/wallet"
)

// relay is a proxy of a development ledger that keeps the transactions sent to it. It can swallow them, as a node does
// that drops transactions.
type relay struct {
	*httptest.Server
	mu      sync.Mutex
	swallow bool
	sent    []string // base64
}

func newRelay(t *testing.T, upstream string) *relay {
	t.Helper()
	r := &relay{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return // the client gave up
		}
		if signature, swallowed := r.takes(t, body); swallowed {
			_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": 1, "result": signature})
			return
		}
		res, err := http.Post(upstream, "application/json", bytes.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		defer res.Body.Close()
		_, _ = io.Copy(w, res.Body)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *relay) takes(t *testing.T, body []byte) (signature string, swallowed bool) {
	var call struct {
		Method string `json:"method"`
		Params []any  `json:"params"`
	}
	if err := json.Unmarshal(body, &call); err != nil || call.Method != "sendTransaction" {
		return "", false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	text, _ := call.Params[0].(string)
	r.sent = append(r.sent, text)
	tx, err := solanago.TransactionFromBase64(text)
	if err != nil {
		t.Error(err)
		return "", false
	}
	return tx.Signatures[0].String(), r.swallow
}

func (r *relay) swallows(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.swallow = on
}

// given returns the transactions sent since its last call.
func (r *relay) given() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	sent := r.sent
	r.sent = nil
	return sent
}

// solWorld is a world on the development ledger of Solana.
type solWorld struct {
	*world
	ledger *devsol.Ledger
	relay  *relay
	reader *solana.Adapter
	seed   *wallet.Seed
	solGas *wallet.Solana
	solTo  chain.Address
}

func newSolWorld(t *testing.T) *solWorld {
	t.Helper()
	w := &solWorld{world: &world{
		t: t, clock: testkit.NewClock(time.Now().UTC().Truncate(time.Microsecond)), url: storetest.SQLite(t),
	}}
	var err error
	w.ledger, err = devsol.Start(devsol.Config{})
	w.must(err)
	t.Cleanup(func() { w.must(w.ledger.Close()) })
	w.relay = newRelay(t, w.ledger.URL())
	for _, p := range chain.Profiles() {
		if p.Network == chain.Solana {
			w.profile = p
		}
	}
	w.profile.HeadLimit = 365 * 24 * time.Hour
	w.profile.Assets[0].Contract = chain.Address(w.ledger.Tokens().USDT.String())
	w.profile.Assets[1].Contract = chain.Address(w.ledger.Tokens().USDC.String())
	w.seed, _, err = wallet.GenerateSeed()
	w.must(err)
	w.solGas, _ = wallet.GenerateSolana()
	to, _ := wallet.GenerateSolana()
	w.solTo = to.Wallet()
	w.reader, err = solana.New(solana.Config{
		Profile: w.profile, Endpoints: []string{w.relay.URL}, Rate: 1e9, Sweeps: solana.SweepsAddress(w.seed),
	})
	w.must(err)
	w.do(w.ledger.FundSOL(w.solGas.PublicKey(), solanago.LAMPORTS_PER_SOL))
	w.seal(1 + devsol.DefaultFinalDepth)
	w.store = w.open()
	w.watcher = watch.NewWatcher(w.profile, w.reader, w.store, "watcher", w.clock.Now, silent())
	w.key = w.newKey()
	w.watch()
	return w
}

func (w *solWorld) seal(n int) {
	w.t.Helper()
	w.must(w.ledger.Seal(n))
}

func (w *solWorld) sweeper() *settlement.Sweeper {
	return w.newSweeper(
		solana.NewSender(w.reader, solana.SenderConfig{Gas: w.solGas, Seed: w.seed}), w.store.Settlement(), "sweeper",
	)
}

// startedFor makes a payment that lasts so long and starts it.
func (w *solWorld) startedFor(amount money.Micros, lasts time.Duration) payment.Payment {
	w.t.Helper()
	return w.startedAt(solana.NewDepositor(w.seed), amount, w.solTo, lasts)
}

// paid makes a payment that is paid in full, final and completed.
func (w *solWorld) paid(amount money.Micros) payment.Payment {
	w.t.Helper()
	p := w.startedFor(amount, 24*time.Hour)
	w.do(w.ledger.Pay(w.ledger.Tokens().USDT, solanago.PublicKey(p.Routes[0].Address.Raw), uint64(amount)))
	w.seal(1 + devsol.DefaultFinalDepth)
	w.watch()
	return p
}

// holds returns what an owner holds of USDT, in millionths.
func (w *solWorld) holds(of chain.Address) uint64 {
	w.t.Helper()
	heads, err := w.reader.Heads(w.t.Context())
	w.must(err)
	got, err := w.reader.Balances(w.t.Context(), w.profile.Assets[0], []chain.Address{of}, heads.Latest)
	w.must(err)
	return got[0].Big().Uint64()
}

// wantHeld checks what the settlement wallet holds of USDT.
func (w *solWorld) wantHeld(want money.Micros) {
	w.t.Helper()
	if got := w.holds(w.solTo); got != uint64(want) {
		w.t.Errorf("the settlement wallet holds %d, want %d", got, want)
	}
}

// TestSweeper_SolanaExpiry: until an attempt's blockhash has expired, its bytes are sent again and no others are
// signed, however long that takes by the clock; then the sweep is signed again. The money moves once.
func TestSweeper_SolanaExpiry(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	p := w.paid(12 * money.USD)
	s := w.sweeper()
	w.relay.swallows(true)
	w.must(s.RunOnce(t.Context()))
	first := w.inFlight()
	one := w.relay.given()
	for range 3 {
		w.clock.Pass(61 * time.Second)
		w.must(s.RunOnce(t.Context()))
		if again := w.relay.given(); !slices.Equal(again, one) {
			t.Fatalf("sent %d after %d, which are not the same bytes once more", len(again), len(one))
		}
	}
	if now := w.inFlight(); now.ID != first.ID || len(now.Attempts) != 1 {
		t.Fatalf("while the attempt can be included the sweep is %+v", now)
	}
	w.seal(150 + 1 + devsol.DefaultFinalDepth)
	w.relay.swallows(false)
	w.must(s.RunOnce(t.Context()))
	two := w.relay.given()
	now := w.inFlight()
	if now.ID != first.ID || len(now.Attempts) != 2 || len(two) != 1 || two[0] == one[0] ||
		now.Attempts[1].Until <= now.Attempts[0].Until {
		t.Fatalf("after it expired the sweep is %+v, and %d were sent", now, len(two))
	}
	w.seal(1 + devsol.DefaultFinalDepth)
	w.must(s.RunOnce(t.Context()))
	w.wantSwept(p, true)
	if done := w.sweepOf(first.ID); done.State != settlement.Confirmed || done.Tx != now.Attempts[1].Tx {
		t.Errorf("the sweep ended as %+v", done)
	}
	w.wantHeld(12 * money.USD)
}

// TestSweeper_SolanaLimitsAttempts: a sweep whose attempts all expire is given up after a limited number of them, and
// its deposits are swept by the next.
func TestSweeper_SolanaLimitsAttempts(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	p := w.paid(12 * money.USD)
	s := w.sweeper()
	w.relay.swallows(true)
	w.must(s.RunOnce(t.Context()))
	first := w.inFlight()
	const most = 20
	for range most {
		w.seal(150 + 1 + devsol.DefaultFinalDepth)
		w.must(s.RunOnce(t.Context()))
	}
	if done := w.sweepOf(first.ID); done.State != settlement.Superseded || len(done.Attempts) != most {
		t.Fatalf("after %d attempts the sweep is %s", len(done.Attempts), done.State)
	}
	w.relay.swallows(false)
	w.clock.Pass(10 * time.Second) // the next sweep is planned and sent already, and is sent again
	w.must(s.RunOnce(t.Context()))
	w.seal(1 + devsol.DefaultFinalDepth)
	w.must(s.RunOnce(t.Context()))
	w.wantSwept(p, true)
}

// TestSweeper_SolanaEmptied: a sweep that expired and cannot be signed again, because its address is empty, ends, so
// that the next can be planned.
func TestSweeper_SolanaEmptied(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	p := w.paid(12 * money.USD)
	s := w.sweeper()
	w.relay.swallows(true)
	w.must(s.RunOnce(t.Context()))
	first := w.inFlight()
	w.relay.swallows(false)
	w.empty(p)
	w.seal(150 + 1 + devsol.DefaultFinalDepth)
	w.must(s.RunOnce(t.Context()))
	if done := w.sweepOf(first.ID); done.State != settlement.Superseded || done.Note == "" {
		t.Errorf("the sweep ended as %+v", done)
	}
}

// empty moves everything from the payment's address with the seed, outside the sweeper.
func (w *solWorld) empty(p payment.Payment) {
	w.t.Helper()
	sender := solana.NewSender(w.reader, solana.SenderConfig{Gas: w.solGas, Seed: w.seed})
	item := chain.SweepItem{
		PaymentID: string(p.ID),
		Scheme:    chain.SchemeTxnID, Address: p.Routes[0].Address, Asset: w.profile.Assets[0], Rescue: true,
	}
	other, _ := wallet.GenerateSolana()
	item.Settlement = other.Wallet()
	a, err := sender.Sign(w.t.Context(), []chain.SweepItem{item}, nil, w.clock.Now())
	w.must(err)
	w.must(sender.Broadcast(w.t.Context(), a))
	w.seal(1)
}
