package chaintest

import (
	"encoding/hex"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// object is a JSON object of an answer.
type object = map[string]any

func hexQuantity(v uint64) string { return "0x" + strconv.FormatUint(v, 16) }

// header returns a block as eth_getBlockByNumber does without transactions.
func (b *block) object() object {
	hashes := []string{}
	for _, tx := range b.txs {
		hashes = append(hashes, tx.Hash)
	}
	return object{
		"number": hexQuantity(b.number), "hash": b.hash, "parentHash": b.parent,
		"timestamp": hexQuantity(uint64(b.time.Unix())), "transactions": hashes, "logsBloom": "0x00",
	}
}

// logs returns all logs of a block in order, as eth_getLogs does.
func (b *block) logs() []object {
	list := []object{}
	for i, tx := range b.txs {
		list = append(list, b.logsOf(tx, i, len(list))...)
	}
	return list
}

// logsOf returns the logs of the transaction at a position of the block. The
// first has the index given.
func (b *block) logsOf(tx *Tx, position, first int) []object {
	list := []object{}
	if tx.Failed {
		return list
	}
	for _, l := range tx.Logs {
		list = append(list, object{
			"address": strings.ToLower(l.Address), "topics": l.Topics, "data": l.Data,
			"blockNumber": hexQuantity(b.number), "blockHash": b.hash,
			"transactionHash": tx.Hash, "transactionIndex": hexQuantity(uint64(position)),
			"logIndex": hexQuantity(uint64(first + len(list))), "removed": false,
		})
	}
	return list
}

func (b *block) receipt(tx *Tx) object {
	status, position, before := "0x1", slices.Index(b.txs, tx), 0
	if tx.Failed {
		status = "0x0"
	}
	for _, other := range b.txs[:position] {
		if !other.Failed {
			before += len(other.Logs)
		}
	}
	logs := b.logsOf(tx, position, before)
	return object{
		"transactionHash": tx.Hash, "blockNumber": hexQuantity(b.number), "blockHash": b.hash,
		"transactionIndex": hexQuantity(uint64(position)),
		"from":             tx.From, "to": orNull(tx.To), "status": status, "logs": logs, "gasUsed": "0x5208",
	}
}

// object returns a transaction; b is nil while it is pending.
func (tx *Tx) object(b *block) object {
	value := tx.Value
	if value == nil {
		value = new(big.Int)
	}
	o := object{
		"hash": tx.Hash, "from": tx.From, "to": orNull(tx.To), "value": "0x" + value.Text(16),
		"input": "0x", "blockNumber": nil, "blockHash": nil,
	}
	if b != nil {
		o["blockNumber"], o["blockHash"] = hexQuantity(b.number), b.hash
	}
	return o
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// find returns a transaction and its block, nil while it is pending.
func (s shown) find(hash string) (*Tx, *block) {
	for _, v := range slices.Backward(s.blocks) {
		for _, tx := range v.txs {
			if tx.Hash == hash {
				return tx, v
			}
		}
	}
	for _, tx := range s.pending {
		if tx.Hash == hash {
			return tx, nil
		}
	}
	return nil, nil
}

// byTag returns the block a tag or number stands for, nil if there is none.
func (s shown) byTag(tag string) *block {
	switch tag {
	case "latest", "pending":
		return s.blocks[len(s.blocks)-1]
	case "safe":
		return s.blocks[s.safe]
	case "finalized":
		return s.blocks[s.final]
	case "earliest":
		return s.blocks[0]
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(tag, "0x"), 16, 64)
	if err != nil || n >= uint64(len(s.blocks)) {
		return nil
	}
	return s.blocks[n]
}

func (s shown) byHash(hash string) *block {
	for _, b := range s.blocks {
		if b.hash == hash {
			return b
		}
	}
	return nil
}

// balance sums what an account received and sent of a token. Scripted accounts
// may send what they never had; below zero counts as zero.
func (s shown) balance(contract, account string) *big.Int {
	sum := new(big.Int)
	account = padAddress(account)
	for _, b := range s.blocks {
		for _, l := range b.logs() {
			topics := l["topics"].([]string)
			if l["address"] != contract || len(topics) != 3 || topics[0] != transferSignature {
				continue
			}
			raw, _ := hex.DecodeString(strings.TrimPrefix(l["data"].(string), "0x"))
			units := new(big.Int).SetBytes(raw)
			if topics[2] == account {
				sum.Add(sum, units)
			}
			if topics[1] == account {
				sum.Sub(sum, units)
			}
		}
	}
	if sum.Sign() < 0 {
		return new(big.Int)
	}
	return sum
}
