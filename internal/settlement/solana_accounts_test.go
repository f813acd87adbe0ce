package settlement_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
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
)

// payAccount pays for an account of the payment's address as if that were a wallet.
func (w *solWorld) payAccount(p payment.Payment, mint solanago.PublicKey, amount money.Micros) chain.TxHash {
	w.t.Helper()
	account, _, err := solanago.FindAssociatedTokenAddress(solanago.PublicKey(p.Routes[0].Address.Raw), mint)
	w.must(err)
	tx, err := w.ledger.Pay(w.ledger.Tokens().USDT, account, uint64(amount))
	w.must(err)
	return chain.TxHash(tx.String())
}

// expire makes as much time and as many slots as the payment has, and decides on it. What is to be read again is.
func (w *solWorld) expire(e *watch.Expirer) {
	w.t.Helper()
	for range 2 {
		w.seal(90)
		w.clock.Pass(90 * time.Second)
		w.watch()
		w.must(e.RunOnce(w.t.Context()))
	}
	w.watch()
}

func (w *solWorld) expirer() *watch.Expirer {
	return watch.NewExpirer([]chain.Profile{w.profile}, map[chain.Network]chain.Reader{chain.Solana: w.reader},
		w.store, w.store.Settlement(), w.clock.Now, silent())
}

// TestSolana_ExpiresUnpaid: a payment does not expire while what was asked for lies on another account under its
// address's key: it is recorded, completes the payment, and is swept.
func TestSolana_ExpiresUnpaid(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	p := w.startedFor(12*money.USD, time.Minute)
	tx := w.payAccount(p, w.ledger.Tokens().USDT, 5*money.USD)
	w.payAccount(p, w.ledger.Tokens().USDC, 7*money.USD)
	unpaid := w.startedFor(12*money.USD, time.Minute)
	e := w.expirer()
	w.expire(e)
	w.must(e.RunOnce(t.Context()))
	if got := w.payment(unpaid.ID); got.Status != payment.Expired {
		t.Errorf("what nobody paid is %s", got.Status)
	}
	got := w.payment(p.ID)
	if got.Status != payment.Completed || got.Received().Cmp((12*money.USD).Atto()) != 0 || len(got.Deposits) != 2 ||
		!slices.ContainsFunc(got.Deposits, func(d payment.Deposit) bool { return d.Transfer.Tx == tx }) {
		t.Fatalf("the payment is %s with %+v", got.Status, got.Deposits)
	}
	s := w.sweeper()
	for range 3 {
		w.must(s.RunOnce(t.Context()))
		w.seal(1 + devsol.DefaultFinalDepth)
		w.clock.Pass(time.Minute)
	}
	w.wantSwept(got, true)
	w.wantHeld(12 * money.USD)
}

// TestSolana_ExpiresWithOtherToken: a token that is none of the network's keeps no payment from expiring. It is
// recorded, as worth nothing, and no sweep takes it.
func TestSolana_ExpiresWithOtherToken(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	p := w.startedFor(12*money.USD, time.Minute)
	fake := w.ledger.Tokens().Counterfeit
	w.do(w.ledger.Pay(fake, solanago.PublicKey(p.Routes[0].Address.Raw), uint64(50*money.USD)))
	w.expire(w.expirer())
	got := w.payment(p.ID)
	if got.Status != payment.Expired || len(got.Deposits) != 1 {
		t.Fatalf("the payment is %s with %+v", got.Status, got.Deposits)
	}
	d := got.Deposits[0]
	if string(d.Transfer.Asset.Contract) != fake.String() || d.Transfer.Asset.Listed() || d.Transfer.Account == "" ||
		d.Transfer.Asset.Decimals != devsol.Decimals || !got.Arrived().IsZero() || len(got.Attention()) > 0 {
		t.Errorf("recorded is %+v, needing %v", d, got.Attention())
	}
	due, err := w.store.Settlement().DepositBalances(
		t.Context(), chain.Solana, settlement.Query{Now: w.clock.Now(), Limit: 10})
	if err != nil || len(due) > 0 {
		t.Errorf("to be swept are %+v, %v", due, err)
	}
}

// TestDaily_Accounts: the daily comparison finds what came to other accounts since: a payment's money, which is alerted
// of like any difference and recorded, and worthless tokens, which are recorded at once. It asks as many addresses for
// all their accounts as it is allowed, and goes on there the next day.
func TestDaily_Accounts(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	first, second, third := w.paid(5*money.USD), w.paid(6*money.USD), w.paid(7*money.USD)
	d := w.daily(w.reader, "one")
	d.RereadAccounts = func(ctx context.Context, id string, since time.Time, accounts []chain.Address) error {
		return watch.RepairSince(
			ctx, w.store, w.reader, payment.ID(id), since, watch.ErrDiffers, w.clock.Now(), accounts...)
	}
	allowed := []int{1, 0, 1} // at each time that it is asked for
	d.Lists = func(n int) int {
		if len(allowed) == 0 || n == 0 {
			return 0
		}
		now := allowed[0]
		allowed = allowed[1:]
		return min(n, now)
	}
	w.payAccount(first, w.ledger.Tokens().USDT, 2*money.USD)
	for _, p := range []payment.Payment{first, second, third} {
		w.do(w.ledger.Pay(w.ledger.Tokens().Counterfeit, solanago.PublicKey(p.Routes[0].Address.Raw), 7))
	}
	w.seal(1 + devsol.DefaultFinalDepth)
	w.watch()
	w.steps(d, 6)
	w.watch()
	if n := len(w.payment(first.ID).Deposits); n != 3 {
		t.Errorf("%d deposits of the first payment are recorded, want 3", n)
	}
	for _, p := range []payment.Payment{second, third} {
		if n := len(w.payment(p.ID).Deposits); n != 1 {
			t.Errorf("a payment was listed beyond the allowance: %d deposits", n)
		}
	}
	w.clock.Pass(24 * time.Hour)
	allowed = []int{1, 1}
	w.steps(d, 6)
	w.watch()
	for _, p := range []payment.Payment{second, third} {
		if n := len(w.payment(p.ID).Deposits); n != 2 {
			t.Errorf("%d deposits of a payment are recorded a day later, want 2", n)
		}
	}
	w.clock.Pass(10 * time.Minute)
	w.steps(d, 3)
	if list := w.differing(); len(list) > 0 {
		t.Errorf("when the records agree: %+v", list)
	}
}

func (w *solWorld) payment(id payment.ID) payment.Payment {
	w.t.Helper()
	p, err := w.store.Payment(w.t.Context(), id)
	w.must(err)
	return p
}

// refuses is a reader whose provider lists no accounts of an owner.
type refuses struct{ *solana.Adapter }

func (r refuses) TokenAccounts(
	ctx context.Context, owners []chain.Address, l chain.Listing,
) ([]chain.TokenAccount, error) {
	if l > chain.ListDerived {
		return nil, chain.ErrNoEndpoint
	}
	return r.Adapter.TokenAccounts(ctx, owners, l)
}

// TestSolana_ExpiresUnlisted: a payment waits a minute for a provider that lists no accounts, and what needs no list is
// found all the same.
func TestSolana_ExpiresUnlisted(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	paid, unpaid := w.startedFor(12*money.USD, time.Minute), w.startedFor(12*money.USD, time.Minute)
	w.payAccount(paid, w.ledger.Tokens().USDC, 12*money.USD)
	readers := map[chain.Network]chain.Reader{chain.Solana: refuses{w.reader}}
	e := watch.NewExpirer([]chain.Profile{w.profile}, readers, w.store, w.store.Settlement(), w.clock.Now, silent())
	w.seal(90)
	w.clock.Pass(90 * time.Second)
	w.watch()
	w.must(e.RunOnce(t.Context()))
	if got := w.payment(unpaid.ID); got.Status != payment.Started {
		t.Fatalf("half a minute after its time the payment is %s", got.Status)
	}
	w.expire(e)
	if got := w.payment(unpaid.ID); got.Status != payment.Expired {
		t.Errorf("the unpaid one is %s", got.Status)
	}
	if got := w.payment(paid.ID); got.Status != payment.Completed {
		t.Errorf("the paid one is %s", got.Status)
	}
}

// unreadable is a relay that answers about the history of one account with an error.
func unreadable(t *testing.T, upstream, account string) string {
	t.Helper()
	relay := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return // the client gave up
		}
		if bytes.Contains(body, []byte("getSignaturesForAddress")) && bytes.Contains(body, []byte(account)) {
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32011,"message":"no history"}}`)
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
	t.Cleanup(relay.Close)
	return relay.URL
}

// TestSolana_UnreadableAccount: an account whose history no endpoint can show keeps nothing else of the payment from
// being recorded.
func TestSolana_UnreadableAccount(t *testing.T) {
	t.Parallel()
	w := newSolWorld(t)
	p := w.startedFor(12*money.USD, time.Minute)
	bad, _, err := solanago.FindAssociatedTokenAddress(
		solanago.PublicKey(p.Routes[0].Address.Raw), w.ledger.Tokens().Counterfeit)
	w.must(err)
	w.reader, err = solana.New(solana.Config{
		Profile: w.profile, Endpoints: []string{unreadable(t, w.ledger.URL(), bad.String())}, Rate: 1e9,
		Sweeps: solana.SweepsAddress(w.seed),
	})
	w.must(err)
	w.watcher = watch.NewWatcher(w.profile, w.reader, w.store, "watcher", w.clock.Now, silent())
	w.do(w.ledger.Pay(w.ledger.Tokens().Counterfeit, solanago.PublicKey(p.Routes[0].Address.Raw), 5))
	w.payAccount(p, w.ledger.Tokens().USDC, 12*money.USD)
	w.expire(w.expirer())
	if got := w.payment(p.ID); got.Status != payment.Completed || len(got.Deposits) != 1 {
		t.Errorf("the payment is %s with %+v", got.Status, got.Deposits)
	}
}
