package effect

import (
	"encoding/binary"
	"testing"

	"github.com/mr-tron/base58"

	"github.com/florinpay/florin/internal/chain"
)

// transferOf is an instruction to transfer to the account of index 1, as a node reports it.
func transferOf(units uint64, checked bool) map[string]any {
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
		"Two":         {list{transferOf(3, true), transferOf(4, true)}, list{}, []uint64{3, 4}},
		"Equal":       {list{transferOf(3, true), transferOf(1, false), transferOf(3, true)}, list{}, []uint64{3, 1, 3}},
		"Inner":       {list{other, transferOf(4, true)}, within(transferOf(3, false)), []uint64{3, 4}},
		"InnerOnly":   {list{other}, within(transferOf(3, true), transferOf(4, true)), []uint64{3, 4}},
		"One":         {list{transferOf(7, true)}, list{}, nil},
		"TooLittle":   {list{transferOf(3, true), transferOf(3, true)}, list{}, nil},
		"TooMuch":     {list{transferOf(3, true), transferOf(5, true)}, list{}, nil},
		"Zero":        {list{transferOf(7, true), transferOf(0, true)}, list{}, nil},
		"NotSaid":     {list{transferOf(3, true), transferOf(4, true)}, "hello", nil},
		"NotRead":     {"hello", list{}, nil},
		"NotAProgram": {list{map[string]any{"programIdIndex": 99}, transferOf(3, true)}, list{}, nil},
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
