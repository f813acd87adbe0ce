package solana_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/money"
)

// TestScan_Flood: small transfers to a flooded address are shown without their block, which is not read; what moved
// more, what is placed already and what came before is read as ever, also beside them.
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
		found := make(map[chain.TxHash]chain.Transfer)
		for _, f := range list {
			found[f.Tx] = f
		}
		if err != nil || len(found) != len(list) {
			t.Fatalf("%v, %v", list, err)
		}
		return found
	}
	flood := chain.Flood{
		After: mustHeads(t, reader).Latest.Number, Below: money.USD / 100, Placed: make(map[chain.TxHash]bool),
	}
	set.Floods = map[chain.Address]chain.Flood{to.Address: flood}
	blocks := n.slots(t, "getBlock")
	small, placed, more, largest := pay(1), pay(2), pay(cent), pay(cent-1)
	flood.Placed[placed] = true
	for _, final := range []bool{false, true} {
		at := mustHeads(t, reader).Latest
		if final {
			s.Finalize()
			at = mustHeads(t, reader).Final
		}
		clear(blocks)
		found := scan(at)
		if len(found) != 5 {
			t.Errorf("%d transfers", len(found))
		}
		for tx, units := range map[chain.TxHash]uint64{small: 1, largest: cent - 1, more: cent, placed: 2} {
			f, isPlaced := found[tx], tx == more || tx == placed
			if f.Units.Cmp(money.UnitsFromUint64(units)) != 0 || f.Placed() != isPlaced || f.Block.Number == 0 ||
				(f.Block.Hash != "") != isPlaced || f.Block.Time.IsZero() == isPlaced ||
				f.Block.Number != at.Number && blocks[f.Block.Number] != isPlaced {
				t.Errorf("%d units: %+v, its block was read: %t", units, f, blocks[f.Block.Number])
			}
		}
	}
}

// TestScan_FloodGoesOn: of a flood that goes on, no transaction is read more than three times: early, when it is final,
// and beside those that are read at once.
func TestScan_FloodGoesOn(t *testing.T) {
	t.Parallel()
	s, reader, n, clock, _, _ := named(t)
	to := s.deposit(t, s.assets[0], 5).Address
	s.Mine(200) // what names the address of the sweeps is not read again then
	set := watching(to)
	scan := func(from uint64, at chain.Head) {
		t.Helper()
		if _, _, err := reader.Scan(t.Context(), from, at, set); err != nil {
			t.Error(err)
		}
	}
	scan(0, mustHeads(t, reader).Latest)
	set.Floods = map[chain.Address]chain.Flood{to.Address: {
		After: mustHeads(t, reader).Latest.Number, Below: money.USD / 100,
	}}
	s.Finalize()
	const rounds, each = 60, 4
	before := n.count("getTransaction")
	for range rounds {
		for range each {
			s.Pay(chaintest.Payment{To: to, Asset: s.assets[0], Units: 3})
			s.Mine(1)
		}
		clock.advance(2 * time.Second)
		h := mustHeads(t, reader)
		scan(h.Final.Number-each, h.Final)
		scan(h.Final.Number+1, h.Latest)
	}
	if got := n.count("getTransaction") - before; got > 3*rounds*each {
		t.Errorf("%d small transfers were read %d times", rounds*each, got)
	}
}

// slots records the slots that a method is called for.
func (n *node) slots(t *testing.T, method string) map[uint64]bool {
	t.Helper()
	asked := make(map[uint64]bool)
	n.set(method, func(params, result json.RawMessage) json.RawMessage {
		var slot uint64
		if err := json.Unmarshal(params, &[]any{&slot}); err != nil {
			t.Error(err)
		}
		asked[slot] = true
		return result
	})
	return asked
}
