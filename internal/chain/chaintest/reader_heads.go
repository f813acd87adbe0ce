package chaintest

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

func testHeads(t *testing.T, h Harness) {
	before := heads(t, h)
	for range 3 {
		h.Mine(1)
		after := heads(t, h)
		if after.Latest.Number <= before.Latest.Number {
			t.Fatalf("the newest block is %d after mining on %d", after.Latest.Number, before.Latest.Number)
		}
		if after.Final.Number < before.Final.Number || after.Finalized.Number < before.Finalized.Number {
			t.Fatalf("finality went back: %+v after %+v", after, before)
		}
		before = after
	}
	mined := before.Latest
	h.Finalize()
	after := heads(t, h)
	if after.Final.Number < mined.Number || after.Finalized.Number < mined.Number {
		t.Errorf("block %d is not final after Finalize: %+v", mined.Number, after)
	}
	if got, ok := blockAt(t, h, mined.Number); !ok || got.Hash != mined.Hash {
		t.Errorf("block %d is %+v after Finalize, want %+v", mined.Number, got, mined)
	}
}

func testBlockAt(t *testing.T, h Harness) {
	h.Mine(4)
	hs := heads(t, h)
	for _, want := range []chain.Head{hs.Latest, hs.Final} {
		got, ok := blockAt(t, h, want.Number)
		if !ok || !sameHead(got, want) {
			t.Errorf("block %d is %+v (%v), want %+v", want.Number, got, ok, want)
		}
	}
	if got, ok := blockAt(t, h, hs.Latest.Number+1_000_000); ok {
		t.Errorf("a block of the future exists: %+v", got)
	}
}

// checkHeads checks what holds for any chain at any time.
func checkHeads(t *testing.T, h chain.Heads) {
	t.Helper()
	if h.Finalized.Number > h.Final.Number || h.Final.Number > h.Latest.Number {
		t.Fatalf("finalized %d, final %d, latest %d are out of order", h.Finalized.Number, h.Final.Number, h.Latest.Number)
	}
	for _, b := range []chain.Head{h.Finalized, h.Final, h.Latest} {
		if b.Hash == "" || b.Time.IsZero() || b.Time.Location() != time.UTC {
			t.Fatalf("block %d lacks hash or time in UTC: %+v", b.Number, b)
		}
	}
}
