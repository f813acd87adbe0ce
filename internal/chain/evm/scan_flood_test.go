package evm_test

import (
	"encoding/json"
	"math/big"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/money"
)

// transfers makes transfers to the address in one transaction and mines it.
func (s *script) transfers(to chain.Watched, amounts ...int64) chain.TxHash {
	contract := string(s.Credited().Contract)
	var logs []chaintest.Log
	for _, units := range amounts {
		logs = append(logs, chaintest.TransferLog(contract, "0x00000000000000000000000000000000000000f2",
			string(to.Address), big.NewInt(units)))
	}
	tx := s.chain.Send(chaintest.Tx{To: contract, Logs: logs})
	s.chain.Mine(1)
	return chain.TxHash(tx)
}

// TestScan_Flood: small transfers to a flooded address are shown by their logs, without a receipt for each; what moved
// more, what is placed already and what came before is read as ever.
func TestScan_Flood(t *testing.T) {
	t.Parallel()
	s := newScript(t, 1)
	to := s.Address()
	before := s.transfers(to, 1)
	after := s.chain.Head().Number
	const cent = 10_000
	small, more, placed := s.transfers(to, 1, 0, cent-1), s.transfers(to, 1, cent), s.transfers(to, 2)
	receipts := make(map[chain.TxHash]bool)
	s.endpoints[0].Set(chaintest.Faults{Answer: func(method string, params []json.RawMessage) (any, bool) {
		var tx chain.TxHash
		if method == "eth_getTransactionReceipt" && json.Unmarshal(params[0], &tx) == nil {
			receipts[tx] = true
		}
		return nil, false
	}})
	set := chain.NewWatchSet(1)
	set.Add(to)
	set.Floods = map[chain.Address]chain.Flood{to.Address: {
		After: after, Below: money.USD / 100, Placed: map[chain.TxHash]bool{placed: true},
	}}
	found, _, err := s.reader.Scan(t.Context(), 0, s.chain.Head(), set)
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[chain.Key]money.Units)
	for _, f := range found {
		got[f.Key] = f.Units
		if f.Placed() == f.Block.Time.IsZero() || f.Block.Hash != s.chain.Blocks()[f.Block.Number].Hash {
			t.Errorf("%v is of block %+v", f.Key, f.Block)
		}
	}
	for name, want := range map[string]struct {
		tx       chain.TxHash
		ordinals map[int]uint64
	}{
		"Before": {before, map[int]uint64{0: 1}},
		"Small":  {small, map[int]uint64{-1: 1, -3: cent - 1}},
		"More":   {more, map[int]uint64{-1: 1, 1: cent}},
		"Placed": {placed, map[int]uint64{0: 2}},
	} {
		for ordinal, sum := range want.ordinals {
			k := chain.Key{Network: s.profile.Network, Tx: want.tx, Ordinal: ordinal}
			if got[k].Cmp(units(sum)) != 0 {
				t.Errorf("%s: transfer %d is of %s, want %d", name, ordinal, got[k], sum)
			}
			delete(got, k)
		}
		if asked := receipts[want.tx]; asked != (name != "Small") {
			t.Errorf("%s: its receipt was asked for: %t", name, asked)
		}
	}
	if len(got) > 0 {
		t.Errorf("also shown: %v", got)
	}
}
