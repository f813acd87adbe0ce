package chaintest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

func testJudge(t *testing.T, h Harness) {
	p := Payment{h.Address(), h.Credited(), 1_000_000}
	h.Pay(p)
	h.Mine(1)
	h.Finalize()
	real := scanAll(t, h, p.To)[0]
	final := heads(t, h).Final
	forged := map[string]func(*chain.Transfer){
		"Amount":      func(tr *chain.Transfer) { tr.Units = money.UnitsFromUint64(1_000_001) },
		"Recipient":   func(tr *chain.Transfer) { tr.To = h.Address().Address },
		"Asset":       func(tr *chain.Transfer) { tr.Asset = h.Other() },
		"Ordinal":     func(tr *chain.Transfer) { tr.Ordinal += 7 },
		"Transaction": func(tr *chain.Transfer) { tr.Tx = unknownTx(tr.Tx) },
	}
	before, _ := blockAt(t, h, real.Block.Number-1)
	forged["Block"] = func(tr *chain.Transfer) { tr.Block = before }
	wantVerdict(t, h, real, final, chain.Stands)
	for name, forge := range forged {
		lie := real
		forge(&lie)
		t.Run(name, func(t *testing.T) {
			wantVerdict(t, h, lie, final, denied(h))
			if lie.Inclusion() == real.Inclusion() {
				lie, real := lie, real
				lie.Source, real.Source = "", ""
				got, err := h.Reader().Judge(t.Context(), []chain.Transfer{lie, real}, final)
				if want := []chain.Verdict{denied(h), chain.Stands}; err != nil || !slices.Equal(got, want) {
					t.Errorf("beside the real transfer: verdicts %v, %v, want %v", got, err, want)
				}
			}
		})
	}
	future := chain.Head{Number: final.Number + 1_000_000, Hash: final.Hash, Time: final.Time.Add(time.Hour)}
	wantVerdict(t, h, real, future, chain.Undecided)
	wantVerdict(t, h, real, before, denied(h))
}

// unknownTx returns a hash of the same shape that no transaction has.
func unknownTx(tx chain.TxHash) chain.TxHash {
	text := string(tx)
	middle := len(text) / 2
	for _, c := range "123" {
		if changed := text[:middle] + strings.Repeat(string(c), 4) + text[middle+4:]; changed != text {
			return chain.TxHash(changed)
		}
	}
	return tx
}

func testBalances(t *testing.T, h Harness) {
	rich, poor := h.Address(), h.Address()
	h.Pay(Payment{rich, h.Credited(), 30}, Payment{rich, h.Other(), 500})
	h.Pay(Payment{rich, h.Credited(), 12})
	h.Mine(1)
	addresses := make([]chain.Address, 120) // more than fit one request
	for i := range addresses {
		addresses[i] = poor.Address
	}
	addresses[0], addresses[119] = rich.Address, rich.Address
	for _, c := range []struct {
		asset chain.Asset
		want  uint64
	}{{h.Credited(), 42}, {h.Other(), 500}} {
		got, err := h.Reader().Balances(t.Context(), c.asset, addresses, heads(t, h).Latest)
		if err != nil || len(got) != len(addresses) {
			t.Fatalf("%d balances, error %v", len(got), err)
		}
		for i, units := range got {
			want := money.Units{}
			if addresses[i] == rich.Address {
				want = money.UnitsFromUint64(c.want)
			}
			if units.Cmp(want) != 0 {
				t.Errorf("balance %d of %s is %s, want %s", i, c.asset.Symbol, units, want)
			}
		}
	}
	if got, err := h.Reader().Balances(t.Context(), h.Credited(), nil, heads(t, h).Latest); err != nil ||
		len(got) != 0 {
		t.Errorf("no addresses: %v, %v", got, err)
	}
	future := heads(t, h).Latest
	future.Number += 1_000_000
	if _, err := h.Reader().Balances(t.Context(), h.Credited(), addresses[:1], future); err == nil {
		t.Error("a balance as of a block that does not exist")
	}
}

func testFind(t *testing.T, h Harness) {
	p := Payment{h.Address(), h.Credited(), 99}
	tx := h.Pay(p)
	h.Mine(1)
	found := find(t, h, tx)
	if !found.Exists || found.Failed || found.Final || !sameHead(found.Block, heads(t, h).Latest) {
		t.Errorf("a payment in the newest block is found as %+v", found)
	}
	wantFound(t, found, want{p, tx})
	if scanned := scanAll(t, h, p.To); scanned[0].Key != found.Transfers[0].Key {
		t.Errorf("found as %+v, scanned as %+v", found.Transfers[0].Key, scanned[0].Key)
	}
	h.Finalize()
	if found := find(t, h, tx); !found.Final {
		t.Error("a final payment is found as not final")
	}
	if found := find(t, h, unknownTx(tx)); found.Exists || found.Block.Hash != "" || len(found.Transfers) != 0 {
		t.Errorf("an unknown transaction is found as %+v", found)
	}
	if _, err := h.Reader().Find(t.Context(), "hello"); !fault.Is(err, fault.Invalid) {
		t.Errorf("text that is no hash: %v, want Invalid", err)
	}
}

func testFindWorthless(t *testing.T, h Harness) {
	to := h.Address()
	failed := h.PayFailed(Payment{to, h.Credited(), 5})
	fake := Payment{to, h.Counterfeit(), 5_000_000}
	counterfeit := h.Pay(fake)
	h.Mine(1)
	if found := find(t, h, failed); !found.Exists || !found.Failed || len(found.Transfers) != 0 ||
		found.Block.Hash == "" {
		t.Errorf("a failed payment is found as %+v", found)
	}
	found := find(t, h, counterfeit)
	if !found.Exists || found.Failed || len(found.Transfers) == 0 {
		t.Fatalf("a counterfeit is found as %+v", found)
	}
	tr := found.Transfers[0]
	if tr.Asset.Contract != fake.Asset.Contract || tr.To != to.Address || tr.Units.Cmp(fake.units()) != 0 {
		t.Errorf("a counterfeit is reported as %+v", tr)
	}
	if tr.Asset.Token != "" || tr.Asset.Symbol != "" || tr.Asset.Decimals != 0 {
		t.Errorf("a counterfeit passes for %+v", tr.Asset)
	}
}

func testCheck(t *testing.T, h Harness) {
	if err := h.Reader().Check(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func testEndpoints(t *testing.T, h Harness) {
	latest := heads(t, h).Latest
	es := h.Reader().Endpoints()
	if len(es) == 0 || es[0].Name == "" || es[0].Requests == 0 || !es[0].Healthy || es[0].Head != latest.Number {
		t.Errorf("after a good answer up to block %d the endpoints are %+v", latest.Number, es)
	}
}

func testCancelled(t *testing.T, h Harness) {
	h.Mine(1)
	latest := heads(t, h).Latest
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	to := h.Address()
	tr := chain.Transfer{
		Key:   chain.Key{Network: h.Reader().Network(), Tx: h.Pay(Payment{to, h.Credited(), 1})},
		Asset: h.Credited(), To: to.Address, Block: latest,
	}
	calls := map[string]func() error{
		"Heads":   func() error { _, err := h.Reader().Heads(ctx); return err },
		"BlockAt": func() error { _, _, err := h.Reader().BlockAt(ctx, 0); return err },
		"Scan":    func() error { _, _, err := h.Reader().Scan(ctx, 0, latest, watchSet(to)); return err },
		"Judge":   func() error { _, err := chain.JudgeAll(ctx, h.Reader(), []chain.Transfer{tr}, latest); return err },
		"Balances": func() error {
			_, err := h.Reader().Balances(ctx, h.Credited(), []chain.Address{to.Address}, latest)
			return err
		},
		"Find":  func() error { _, err := h.Reader().Find(ctx, tr.Tx); return err },
		"Check": func() error { return h.Reader().Check(ctx) },
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s with a cancelled context: %v", name, err)
		}
	}
	for _, e := range h.Reader().Endpoints() {
		if !e.Healthy {
			t.Errorf("a caller that gave up made the endpoint unhealthy: %+v", e)
		}
	}
}

func testConcurrent(t *testing.T, h Harness) {
	to := h.Address()
	var wants []want
	for i := range 4 {
		p := Payment{to, h.Credited(), uint64(i + 1)}
		wants = append(wants, want{p, h.Pay(p)})
		h.Mine(1)
	}
	latest := heads(t, h).Latest
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 3 {
				got, _, err := h.Reader().Scan(t.Context(), 0, latest, watchSet(to))
				if err != nil || len(got) != len(wants) {
					t.Errorf("%d transfers, error %v", len(got), err)
				}
				if _, err := h.Reader().Heads(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 6 {
		h.Mine(1)
	}
	wg.Wait()
	wantTransfers(t, scanAll(t, h, to), wants...)
}
