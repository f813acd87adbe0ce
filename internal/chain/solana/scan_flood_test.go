package solana_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/money"
)

// TestScan_Flood: small transfers to a flooded address are read once they are final, and shown without their block;
// what moved more, what is placed already and what came before is read as ever, also beside them.
func TestScan_Flood(t *testing.T) {
	t.Parallel()
	s, reader, n, clock, _, _ := named(t)
	to := s.deposit(t, s.assets[0], 5).Address
	s.Mine(1)
	const cent = 10_000
	pay := func(units uint64) chain.TxHash {
		defer s.Mine(1)
		return s.Pay(chaintest.Payment{To: to, Asset: s.assets[0], Units: units})
	}
	set := watching(to)
	scan := func(at chain.Head) map[chain.TxHash]chain.Transfer {
		t.Helper()
		clock.advance(time.Second)
		list, _, err := reader.Scan(t.Context(), 0, at, set)
		if err != nil {
			t.Fatal(err)
		}
		found := make(map[chain.TxHash]chain.Transfer)
		for _, f := range list {
			found[f.Tx] = f
		}
		if len(found) != len(list) {
			t.Errorf("shown twice: %v", list)
		}
		return found
	}
	blocks := make(map[uint64]bool)
	n.set("getBlock", func(params, result json.RawMessage) json.RawMessage {
		var slot uint64
		if err := json.Unmarshal(params, &[]any{&slot}); err != nil {
			t.Error(err)
		}
		blocks[slot] = true
		return result
	})
	flood := chain.Flood{After: mustHeads(t, reader).Latest.Number, Below: money.USD / 100, Placed: map[chain.TxHash]bool{}}
	if found := scan(mustHeads(t, reader).Latest); len(found) != 1 {
		t.Fatalf("before: %v", found)
	}
	set.Floods = map[chain.Address]chain.Flood{to.Address: flood}
	small, read := pay(1), n.count("getTransaction")
	if found := scan(mustHeads(t, reader).Latest); len(found) != 1 || n.count("getTransaction") != read {
		t.Errorf("a small transfer is read before it is final: %v", found)
	}
	placed, more, largest := pay(2), pay(cent), pay(cent-1)
	flood.Placed[placed] = true
	found := scan(mustHeads(t, reader).Latest)
	if len(found) != 3 || !found[placed].Placed() || !found[more].Placed() {
		t.Errorf("before they are final: %v", found)
	}
	s.Finalize()
	clear(blocks)
	found = scan(mustHeads(t, reader).Final)
	for name, want := range map[string]struct {
		tx     chain.TxHash
		units  uint64
		placed bool
	}{"Small": {small, 1, false}, "Largest": {largest, cent - 1, false}, "More": {more, cent, true}, "Placed": {placed, 2, true}} {
		f := found[want.tx]
		if f.Units.Cmp(money.UnitsFromUint64(want.units)) != 0 || f.Placed() != want.placed ||
			(f.Block.Hash != "") != want.placed || f.Block.Time.IsZero() == want.placed || blocks[f.Block.Number] != want.placed {
			t.Errorf("%s: %+v, its block was read: %t", name, f, blocks[f.Block.Number])
		}
	}
	if len(found) != 5 {
		t.Errorf("%d transfers", len(found))
	}
}
