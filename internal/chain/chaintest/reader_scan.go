package chaintest

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

func testScanNothing(t *testing.T, h Harness) {
	h.Mine(2)
	if got := scanAll(t, h); len(got) != 0 {
		t.Fatalf("no address is watched, but %d transfers were found", len(got))
	}
	if got := scanAll(t, h, h.Address()); len(got) != 0 {
		t.Fatalf("there was no payment, but %d transfers were found", len(got))
	}
}

func testScanPayment(t *testing.T, h Harness) {
	p := Payment{h.Address(), h.Credited(), 12_345_678}
	tx := h.Pay(p)
	if got := scanAll(t, h, p.To); len(got) != 0 {
		t.Fatal("a payment in no block was found")
	}
	h.Mine(1)
	mined := heads(t, h).Latest
	h.Mine(2)
	got := scanAll(t, h, p.To)
	wantTransfers(t, got, want{p, tx})
	if !sameHead(got[0].Block, mined) {
		t.Errorf("block is %+v, want %+v", got[0].Block, mined)
	}
	if !slices.ContainsFunc(h.Reader().Endpoints(), func(e chain.EndpointHealth) bool {
		return e.Name == got[0].Source
	}) {
		t.Errorf("source %q is no endpoint", got[0].Source)
	}
	if again := scanAll(t, h, p.To); again[0].Key != got[0].Key {
		t.Errorf("read again, the transfer is %+v instead of %+v", again[0].Key, got[0].Key)
	}
}

func testScanBounds(t *testing.T, h Harness) {
	to := h.Address()
	var txs []chain.TxHash
	var blocks []chain.Head
	for i := range 3 {
		txs = append(txs, h.Pay(Payment{to, h.Credited(), uint64(i + 1)}))
		h.Mine(1)
		blocks = append(blocks, heads(t, h).Latest)
	}
	h.Mine(1)
	for from := range blocks {
		for last := from; last < len(blocks); last++ {
			got := scan(t, h, blocks[from].Number, blocks[last], to)
			var wants []want
			for i := from; i <= last; i++ {
				wants = append(wants, want{Payment{to, h.Credited(), uint64(i + 1)}, txs[i]})
			}
			wantTransfers(t, got, wants...)
		}
	}
}

func testScanOnlyWatched(t *testing.T, h Harness) {
	mine, other := Payment{h.Address(), h.Credited(), 7}, Payment{h.Address(), h.Credited(), 8}
	tx := h.Pay(mine)
	h.Pay(other)
	h.Mine(1)
	wantTransfers(t, scanAll(t, h, mine.To), want{mine, tx})
}

// manyWatched is more addresses than any node filters by.
const manyWatched = 2_500

func testScanManyWatched(t *testing.T, h Harness) {
	addresses := make([]chain.Watched, manyWatched)
	for i := range addresses {
		addresses[i] = h.Address()
	}
	var wants []want
	for _, i := range []int{0, 1, manyWatched / 2, manyWatched - 1} {
		p := Payment{addresses[i], h.Credited(), uint64(i + 1)}
		wants = append(wants, want{p, h.Pay(p)})
		h.Pay(Payment{h.Address(), h.Credited(), 1})
		h.Mine(1)
	}
	for _, watched := range []int{manyWatched, manyWatched / 2, 600, 260, 1} {
		set := addresses[:watched]
		var expected []want
		for _, w := range wants {
			if slices.ContainsFunc(set, func(a chain.Watched) bool { return a.Address == w.To.Address }) {
				expected = append(expected, w)
			}
		}
		wantTransfers(t, scanAll(t, h, set...), expected...)
	}
}

func testScanWorthless(t *testing.T, h Harness) {
	to := h.Address()
	h.Pay(Payment{to, h.Credited(), 0})
	h.Pay(Payment{to, h.Counterfeit(), 5_000_000})
	h.PayFailed(Payment{to, h.Credited(), 5_000_000})
	real := Payment{to, h.Credited(), 5}
	tx := h.Pay(real)
	h.Mine(2)
	wantTransfers(t, scanAll(t, h, to), want{real, tx})
}

func testScanOtherAsset(t *testing.T, h Harness) {
	p := Payment{h.Address(), h.Other(), 5_000_000}
	tx := h.Pay(p)
	h.Mine(1)
	got := scanAll(t, h, p.To)
	wantTransfers(t, got, want{p, tx})
	if got[0].Asset.Token != "" {
		t.Errorf("the other asset counts as %s", got[0].Asset.Token)
	}
}

func testScanSeveral(t *testing.T, h Harness) {
	first, second := h.Address(), h.Address()
	payments := []Payment{
		{first, h.Credited(), 10}, {second, h.Credited(), 20}, {first, h.Credited(), 10}, {second, h.Other(), 40},
	}
	h.Pay(Payment{h.Address(), h.Credited(), 1}) // so that the next is not the block's first
	tx := h.Pay(payments...)
	h.Mine(1)
	all := scanAll(t, h, first, second)
	wants := make([]want, len(payments))
	for i, p := range payments {
		wants[i] = want{p, tx}
	}
	wantTransfers(t, all, reported(h, wants...)...)
	ordinals := make(map[int]chain.Transfer)
	for _, tr := range all {
		if twin, twice := ordinals[tr.Ordinal]; twice {
			t.Fatalf("two transfers have ordinal %d: %+v and %+v", tr.Ordinal, twin, tr)
		}
		ordinals[tr.Ordinal] = tr
	}
	for _, tr := range scanAll(t, h, second) {
		if known := ordinals[tr.Ordinal]; known.To != tr.To || known.Units.Cmp(tr.Units) != 0 {
			t.Errorf("watching less, ordinal %d is %s to %s instead of %s to %s", tr.Ordinal, tr.Units, tr.To, known.Units,
				known.To)
		}
	}
}

func testScanLargeAmount(t *testing.T, h Harness) {
	p := Payment{h.Address(), h.Credited(), 1<<63 + 1}
	tx := h.Pay(p)
	h.Mine(1)
	wantTransfers(t, scanAll(t, h, p.To), want{p, tx})
}

func testScanUnknownBlock(t *testing.T, h Harness) {
	h.Mine(3)
	latest := heads(t, h).Latest
	watch := watchSet(h.Address())
	wrong := latest
	wrong.Hash = strings.Repeat("1", len(wrong.Hash))
	if strings.HasPrefix(latest.Hash, "0x") {
		wrong.Hash = "0x" + wrong.Hash[2:]
	}
	if _, _, err := h.Reader().Scan(t.Context(), latest.Number-1, wrong, watch); !errors.Is(err, chain.ErrReorged) {
		t.Errorf("scan up to a replaced block: %v, want ErrReorged", err)
	}
	future := chain.Head{Number: latest.Number + 1_000_000, Hash: wrong.Hash, Time: latest.Time.Add(time.Hour)}
	if _, _, err := h.Reader().Scan(t.Context(), latest.Number, future, watch); err == nil {
		t.Error("scan up to a block that does not exist gave a result")
	}
}
