package rpc

import (
	"encoding/binary"
	"testing"

	"github.com/mr-tron/base58"

	"github.com/florinpay/florin/internal/chain"
)

// moving is an instruction to transfer to the account of index 1, as a node reports it.
func moving(units uint64, checked bool) map[string]any {
	data, accounts := []byte{transfer}, []int{2, 1, 0}
	if checked {
		data, accounts = []byte{TransferChecked}, []int{2, 3, 1, 0}
	}
	data = binary.LittleEndian.AppendUint64(data, units)
	return map[string]any{"programIdIndex": 3, "accounts": accounts, "data": base58.Encode(append(data, 6))}
}

// TestTransaction_Parts: what an account gained is several transfers where instructions add up to it.
func TestTransaction_Parts(t *testing.T) {
	t.Parallel()
	type list = []any
	within := func(calls ...any) list { return list{map[string]any{"index": 0, "instructions": calls}} }
	other := map[string]any{"programIdIndex": 0, "accounts": []int{}, "data": ""}
	for name, c := range map[string]struct {
		outer any
		inner any
		want  []uint64
	}{
		"Two":         {list{moving(3, true), moving(4, true)}, list{}, []uint64{3, 4}},
		"Equal":       {list{moving(3, true), moving(1, false), moving(3, true)}, list{}, []uint64{3, 1, 3}},
		"Inner":       {list{other, moving(4, true)}, within(moving(3, false)), []uint64{3, 4}},
		"InnerOnly":   {list{other}, within(moving(3, true), moving(4, true)), []uint64{3, 4}},
		"One":         {list{moving(7, true)}, list{}, nil},
		"TooLittle":   {list{moving(3, true), moving(3, true)}, list{}, nil},
		"TooMuch":     {list{moving(3, true), moving(5, true)}, list{}, nil},
		"Zero":        {list{moving(7, true), moving(0, true)}, list{}, nil},
		"NotSaid":     {list{moving(3, true), moving(4, true)}, "hello", nil},
		"NotRead":     {"hello", list{}, nil},
		"NotAProgram": {list{map[string]any{"programIdIndex": 99}, moving(3, true)}, list{}, nil},
	} {
		raw := asJSON(func(meta, message map[string]any) {
			meta["innerInstructions"], message["instructions"] = c.inner, c.outer
		})
		tx, ok := read(raw)
		if !ok {
			t.Fatalf("%s is not read", name)
		}
		p := chain.Profile{Network: chain.Solana}
		whole := tx.Transfers(p, someSignature)
		parts := tx.Parts(whole)
		if len(parts) != len(c.want) {
			t.Errorf("%s: %+v, want %d", name, parts, c.want)
			continue
		}
		for i, part := range parts {
			if part.Units.Big().Uint64() != c.want[i] || part.Ordinal != whole[0].Ordinal+256*i ||
				part.To != whole[0].To {
				t.Errorf("%s: %+v", name, part)
			}
		}
	}
}
