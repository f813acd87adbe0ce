package watch_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"testing"
	"time"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/sandbox/devsol"
	"github.com/florinpay/florin/internal/wallet"
)

// TestWatcher_WrongTimesOnSolana is TestWatcher_WrongTimes through the adapter of Solana.
func TestWatcher_WrongTimesOnSolana(t *testing.T) {
	t.Parallel()
	for liar, by := range []time.Duration{-time.Minute, 3 * time.Hour, -time.Minute} {
		for name, test := range map[string]func(*ledgerRig){
			"Deep": wantDeepSlot, "Late": wantLateSlot, "Expired": wantExpiredSlot,
		} {
			t.Run(fmt.Sprintf("%s/%dOf3/%s", name, liar+1, by), func(t *testing.T) {
				t.Parallel()
				test(newLedgerRig(t, liar, by))
			})
		}
	}
}

// ledgerRig is a rig on the development ledger of Solana, which makes a slot a second.
type ledgerRig struct {
	*rig
	ledger *devsol.Ledger
}

// newLedgerRig reads the ledger through three nodes, of which one names other times.
func newLedgerRig(t *testing.T, liar int, by time.Duration) *ledgerRig {
	t.Helper()
	return newLedgerRigOn(t, func(url string) []string {
		urls := []string{mistimed(t, url, nil), mistimed(t, url, nil), mistimed(t, url, nil)}
		urls[liar] = mistimed(t, url, func() time.Duration { return by })
		return urls
	})
}

// newLedgerRigOn reads the ledger through the nodes that are made of its address.
func newLedgerRigOn(t *testing.T, nodes func(url string) []string) *ledgerRig {
	t.Helper()
	r := &ledgerRig{rig: &rig{T: t, profile: solanaProfile()}}
	var err error
	r.ledger, err = devsol.Start(devsol.Config{})
	r.must(err)
	t.Cleanup(func() { r.must(r.ledger.Close()) })
	r.must(r.ledger.Seal(devsol.DefaultFinalDepth + 1))
	r.clock = r.timeOf(r.ledger.Slot())
	r.profile.Assets = []chain.Asset{{
		Network: chain.Solana, Token: money.USDC, Symbol: "USDC", Decimals: devsol.Decimals,
		Contract: chain.Address(r.ledger.Tokens().USDC.String()),
	}}
	reader, err := solana.New(
		solana.Config{Profile: r.profile, Endpoints: nodes(r.ledger.URL()), Rate: 1e9, Now: r.now},
	)
	r.must(err)
	r.openStore()
	unchecked := uncheckedLedger{reader}
	r.watcher = watch.NewWatcher(r.profile, unchecked, r.store, "one", r.now, slog.New(slog.DiscardHandler))
	seed, _, err := wallet.GenerateSeed()
	r.must(err)
	r.serve(unchecked, solana.NewDepositor(seed))
	return r
}

// uncheckedLedger reads a ledger that does not have all tokens of mainnet.
type uncheckedLedger struct{ *solana.Adapter }

func (uncheckedLedger) Check(context.Context) error { return nil }

var blockTime = regexp.MustCompile(`"blockTime":\d+`)

// mistimed is a node of the ledger that names other times; nil: the right ones.
func mistimed(t *testing.T, upstream string, by func() time.Duration) (url string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		res, err := http.Post(upstream, "application/json", req.Body)
		if err != nil {
			return // the client gave up
		}
		defer res.Body.Close()
		answer, err := io.ReadAll(res.Body)
		if err != nil {
			return
		}
		_, _ = w.Write(blockTime.ReplaceAllFunc(answer, func(is []byte) []byte {
			if by == nil {
				return is
			}
			at, _ := strconv.ParseInt(string(bytes.TrimPrefix(is, []byte(`"blockTime":`))), 10, 64)
			return fmt.Appendf(nil, `"blockTime":%d`, at+int64(by()/time.Second))
		}))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// timeOf is when the slot was made.
func (r *ledgerRig) timeOf(slot uint64) time.Time {
	r.Helper()
	ask := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"getBlockTime","params":[%d]}`, slot)
	res, err := http.Post(r.ledger.URL(), "application/json", bytes.NewReader([]byte(ask)))
	r.must(err)
	defer res.Body.Close()
	var answer struct{ Result int64 }
	r.must(json.NewDecoder(res.Body).Decode(&answer))
	return time.Unix(answer.Result, 0)
}

// pay sends the payment's 10 USDC; they are in the next slot.
func (r *ledgerRig) pay(p payment.Payment) {
	r.Helper()
	owner, err := solanago.PublicKeyFromBase58(string(p.Routes[0].Address.Address))
	r.must(err)
	_, err = r.ledger.Pay(r.ledger.Tokens().USDC, owner, tenUSDC)
	r.must(err)
}

// lasts lets slots be made for so long, with a round after each part.
func (r *ledgerRig) lasts(d, part time.Duration) {
	r.Helper()
	for range d / part {
		r.must(r.ledger.Seal(int(part / time.Second)))
		r.rig.pass(part)
		r.watch()
	}
}

// wantTime fails unless the payment's money has the time of its slot.
func (r *ledgerRig) wantTime(p payment.Payment) {
	r.Helper()
	for _, d := range p.Deposits {
		if want := r.timeOf(d.Transfer.Block.Number); !want.Equal(d.Transfer.Block.Time) {
			r.Errorf("the money is of %s, want %s", d.Transfer.Block.Time, want)
		}
	}
}

// part is a time without a round, less than an outage.
const part = 50 * time.Second

func wantDeepSlot(r *ledgerRig) {
	const depth = 15 * time.Second // half of what makes a slot final
	r.creditAfter(depth)
	p := r.start()
	r.lasts(2*time.Second, time.Second)
	r.pay(p)
	r.lasts(depth, time.Second)
	r.expect(p, payment.Started, 0)
	r.lasts(time.Minute, time.Second)
	r.wantTime(r.expect(p, payment.Completed, tenUSDC))
}

func wantLateSlot(r *ledgerRig) {
	r.acceptLate()
	p, q := r.start(), r.start()
	r.lasts(rigTTL+part, part)
	r.must(r.expirer.RunOnce(r.Context()))
	r.expect(p, payment.Expired, 0)
	r.pay(q) // in time
	r.lasts(lateFor*3/2, part)
	r.pay(p)
	r.lasts(5*time.Minute, part)
	r.wantTime(r.expect(p, payment.Expired, tenUSDC))
	r.wantTime(r.expect(q, payment.Completed, tenUSDC))
}

func wantExpiredSlot(r *ledgerRig) {
	p := r.start()
	r.lasts(rigTTL-part, part)
	r.lasts(p.ExpiresAt.Sub(r.now())-10*time.Second, 10*time.Second)
	r.rig.pass(25 * time.Second)
	r.watch()
	r.must(r.expirer.RunOnce(r.Context()))
	r.expect(p, payment.Started, 0)
	r.pay(p)
	r.must(r.ledger.Seal(25))
	r.lasts(40*time.Second, time.Second)
	r.must(r.expirer.RunOnce(r.Context()))
	r.wantTime(r.expect(p, payment.Completed, tenUSDC))
}
