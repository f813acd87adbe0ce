package chaintest

import (
	"errors"
	"testing"

	"github.com/florinpay/florin/internal/chain"
)

func testReorgDrops(t *testing.T, h Forker) {
	h.Mine(2)
	h.Finalize()
	p := Payment{h.Address(), h.Credited(), 1_000}
	tx := h.Pay(p)
	h.Mine(2)
	seen := scanAll(t, h, p.To)
	wantTransfers(t, seen, want{p, tx})
	old := heads(t, h).Latest
	h.Reorg(2, false)
	if _, _, err := h.Reader().Scan(t.Context(), 0, old, watchSet(p.To)); !errors.Is(err, chain.ErrReorged) {
		t.Errorf("scan up to the replaced block: %v, want ErrReorged", err)
	}
	if got := scanAll(t, h, p.To); len(got) != 0 {
		t.Errorf("the payment was taken back, but %+v is still found", got)
	}
	wantVerdict(t, h, seen[0], heads(t, h).Latest, chain.Missing)
	h.Finalize()
	wantVerdict(t, h, seen[0], heads(t, h).Final, chain.Missing)
	if found := find(t, h, tx); found.Block.Hash != "" || len(found.Transfers) != 0 {
		t.Errorf("the payment was taken back, but is found as %+v", found)
	}
}

func testReorgKeeps(t *testing.T, h Forker) {
	h.Mine(2)
	h.Finalize()
	first, second := h.Address(), h.Address()
	a := []Payment{{first, h.Credited(), 1}, {second, h.Credited(), 2}, {first, h.Credited(), 3}}
	b := []Payment{{second, h.Credited(), 4}, {first, h.Other(), 5}}
	txA, txB := h.Pay(a...), h.Pay(b...)
	h.Mine(2)
	before := keys(scanAll(t, h, first, second))
	h.Reorg(2, true)
	h.Mine(1)
	after := scanAll(t, h, first, second)
	wantTransfers(t, after, reported(h, want{a[0], txA}, want{a[1], txA}, want{a[2], txA}, want{b[0], txB},
		want{b[1], txB})...)
	for _, tr := range after {
		was, known := before[tr.Key]
		if !known || was.To != tr.To || was.Units.Cmp(tr.Units) != 0 || was.Asset != tr.Asset {
			t.Errorf("included again, %+v is %+v", tr.Key, tr)
		}
		if was.Block.Hash == tr.Block.Hash {
			t.Errorf("block %s was replaced", tr.Block.Hash)
		}
	}
	h.Finalize()
	for _, tr := range after {
		wantVerdict(t, h, tr, heads(t, h).Final, chain.Stands)
		if was := before[tr.Key]; was.Block.Number != tr.Block.Number {
			wantVerdict(t, h, was, heads(t, h).Final, chain.Missing)
		}
	}
}

func testReorgUnseen(t *testing.T, h Forker) {
	h.Mine(3)
	h.Finalize()
	h.Mine(2)
	old := heads(t, h)
	h.Reorg(1, true)
	now := heads(t, h)
	if now.Latest.Hash == old.Latest.Hash || now.Latest.Number <= old.Latest.Number {
		t.Errorf("the newest block is %+v after a reorganisation of %+v", now.Latest, old.Latest)
	}
	got, ok := blockAt(t, h, old.Latest.Number)
	if !ok || got.Hash == old.Latest.Hash {
		t.Errorf("the replaced block %d is reported as %+v", old.Latest.Number, got)
	}
	if got, ok := blockAt(t, h, old.Finalized.Number); !ok || got.Hash != old.Finalized.Hash {
		t.Errorf("the finalized block %d became %+v", old.Finalized.Number, got)
	}
}

func keys(transfers []chain.Transfer) map[chain.Key]chain.Transfer {
	m := make(map[chain.Key]chain.Transfer, len(transfers))
	for _, tr := range transfers {
		m[tr.Key] = tr
	}
	return m
}
