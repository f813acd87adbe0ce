package rpc

import (
	"encoding/binary"
	"encoding/json"

	solanago "github.com/gagliardetto/solana-go"
	"github.com/mr-tron/base58"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// instruction is one that a node reports, of the message or of a program; its accounts are indexes.
type instruction struct {
	Program  int    `json:"programIdIndex"`
	Accounts []int  `json:"accounts"`
	Data     string `json:"data"`
}

// Instructions of the token program that move tokens, by the first byte of their data, which the amount follows.
const (
	transfer        = 3  // accounts: source, destination, …
	TransferChecked = 12 // accounts: source, mint, destination, …
)

// maxKeys is more than the accounts that a transaction can name.
const maxKeys = 256

// move is one transfer between two token accounts of the transaction.
type move struct {
	from, to int
	units    uint64
}

// Parts returns, of those of the transfers that several instructions made, each with its own amount: instructions of
// the message and of the programs that it calls, in the order in which they ran. Where they do not add up to what the
// account gained, the transfer is one. The ordinal of the first part is that of the transfer; the others are higher
// than any index of an account, so that no two transfers of a transaction share one.
func (t *Transaction) Parts(transfers []chain.Transfer) (parts []chain.Transfer) {
	moves := t.moves()
	for _, whole := range transfers {
		var of []chain.Transfer
		var sum money.Units
		for _, m := range moves {
			if whole.Asset.Contract == "" || m.to != whole.Ordinal {
				continue
			}
			part := whole
			part.Ordinal += maxKeys * len(of)
			part.Units = money.UnitsFromUint64(m.units)
			of, sum = append(of, part), sum.Add(part.Units)
		}
		if len(of) > 1 && sum.Cmp(whole.Units) == 0 {
			parts = append(parts, of...)
		}
	}
	return parts
}

// moves lists the transfers of the token program; nothing where an instruction cannot be read, and nothing
// where the node does not say what the programs called.
func (t *Transaction) moves() (list []move) {
	var outer []instruction
	var inner []struct {
		Index        int           `json:"index"`
		Instructions []instruction `json:"instructions"`
	}
	if json.Unmarshal(t.Transaction.Message.Instructions, &outer) != nil ||
		json.Unmarshal(t.Meta.Inner, &inner) != nil {
		return nil
	}
	called := make(map[int][]instruction)
	for _, i := range inner {
		called[i.Index] = append(called[i.Index], i.Instructions...)
	}
	for i, own := range outer {
		for _, x := range append([]instruction{own}, called[i]...) {
			if m, ok := t.move(x); ok && m.units > 0 {
				list = append(list, m)
			}
		}
	}
	return list
}

// move reads an instruction; ok is false for one that transfers no tokens.
func (t *Transaction) move(x instruction) (m move, ok bool) {
	if x.Program < 0 || x.Program >= len(t.Keys) || t.Keys[x.Program] != solanago.TokenProgramID.String() {
		return m, false
	}
	data, err := base58.Decode(x.Data)
	if err != nil || len(data) < 9 {
		return m, false
	}
	to := 1
	switch data[0] {
	case transfer:
	case TransferChecked:
		to = 2
	default:
		return m, false
	}
	if len(x.Accounts) <= to {
		return m, false
	}
	return move{x.Accounts[0], x.Accounts[to], binary.LittleEndian.Uint64(data[1:])}, true
}
