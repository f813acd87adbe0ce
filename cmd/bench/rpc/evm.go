package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// evmNode is an endpoint of an EVM network.
type evmNode struct {
	*testChain

	ranges uint64 // blocks that it takes at once; 0: any number
}

// tooManyBlocks is the error of a plan that takes few blocks at once.
const tooManyBlocks = `{"code":-32600,"message":"Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range."}`

func (n evmNode) answer(c call) string {
	switch c.Method {
	case "eth_chainId":
		return quantity(n.profile.ChainID)
	case "eth_blockNumber":
		return quantity(n.tagged("latest"))
	case "eth_getBlockByNumber":
		return n.block(text(c.Params[0]))
	case "eth_getTransactionReceipt":
		return n.receipt(text(c.Params[0]))
	case "eth_getLogs":
		return n.logs(c.Params[0])
	case "eth_call":
		return n.balance(c.Params[0])
	}
	return "null"
}

func quantity(n uint64) string { return `"0x` + strconv.FormatUint(n, 16) + `"` }

func text(raw json.RawMessage) string { return strings.Trim(string(raw), `"`) }

// number returns the number of a block by its tag or number.
func (n evmNode) number(tag string) uint64 {
	if number, err := strconv.ParseUint(tag, 0, 64); err == nil {
		return number
	}
	return n.tagged(tag)
}

func (n evmNode) block(tag string) string {
	number := n.number(tag)
	if number > n.tagged("latest") {
		return "null"
	}
	return fmt.Sprintf(`{"number":%s,"hash":%q,"timestamp":%s,"transactions":[]}`,
		quantity(number), hashOf("block", number), quantity(uint64(n.timeOf(number).Unix()))) //nolint:gosec // after 1970
}

func hashOf(kind string, number uint64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", kind, number))
	return "0x" + hex.EncodeToString(sum[:])
}

const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

func padded(raw []byte) string { return "0x000000000000000000000000" + hex.EncodeToString(raw) }

func (n evmNode) log(t transfer) string {
	return fmt.Sprintf(`{"address":%q,"topics":[%q,%q,%q],"data":"0x%064x","blockNumber":%s,"blockHash":%q,`+
		`"transactionHash":%q,"transactionIndex":"0x0","logIndex":"0x0","removed":false}`,
		t.asset.Contract, transferTopic, padded(make([]byte, 20)), padded(t.to.Raw), t.units.Big(), quantity(t.block),
		hashOf("block", t.block), t.tx)
}

func (n evmNode) receipt(tx string) string {
	t, ok := n.byHash(tx)
	if !ok {
		return "null"
	}
	return fmt.Sprintf(`{"transactionHash":%q,"blockNumber":%s,"blockHash":%q,"status":"0x1","logs":[%s]}`,
		tx, quantity(t.block), hashOf("block", t.block), n.log(t))
}

func (n evmNode) logs(raw json.RawMessage) string {
	var q struct {
		FromBlock, ToBlock string
		Topics             []json.RawMessage
	}
	_ = json.Unmarshal(raw, &q) // the adapter's own request
	var list []string
	if from, to := n.number(q.FromBlock), n.number(q.ToBlock); n.ranges > 0 && to >= from+n.ranges {
		return tooManyBlocks
	}
	for _, t := range n.included(n.number(q.FromBlock), n.number(q.ToBlock)) {
		if len(q.Topics) > 2 && !strings.Contains(string(q.Topics[2]), padded(t.to.Raw)) {
			continue
		}
		list = append(list, n.log(t))
	}
	return "[" + strings.Join(list, ",") + "]"
}

// balance answers balanceOf.
func (n evmNode) balance(raw json.RawMessage) string {
	var q struct{ To, Data string }
	const selector = len("0x70a08231") + 24
	if json.Unmarshal(raw, &q) != nil || len(q.Data) != selector+40 {
		return `"0x"`
	}
	holder, _ := hex.DecodeString(q.Data[selector:]) // one that is no hex holds nothing
	return fmt.Sprintf(`"0x%064x"`, n.held(holder, q.To).Big())
}
