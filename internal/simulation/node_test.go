package simulation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// nodeFaults is what is wrong with one endpoint of a network.
type nodeFaults struct {
	down    bool          // it does not answer
	lag     int           // blocks it is behind
	behind  int           // blocks by which its safe and finalized tags went back
	eager   bool          // it calls its newest block safe and finalized
	jumps   int           // it shows a newest block that is so many blocks ahead of any, on EVM
	claims  int           // it shows so many blocks ahead of any, and calls the last one final
	foreign int           // it is on another chain from this block on; 0: it is not
	stalled int           // its safe and finalized tags do not pass this block; 0: they move
	stale   []*block      // it stands still, perhaps on a fork that the others have left
	denies  bool          // it knows no transaction, and no balances
	empty   bool          // its lists are empty
	partial bool          // its lists hold every other transaction
	slow    slow          // calls that it does not answer in time
	breaks  breaks        // how it answers when it is asked for some of the transactions
	invents int           // it shows a transfer in this block that was never made
	victim  chain.Address // to whom
	units   uint64        // and how much
	beside  chain.Address // who got much in the same transaction
	inflate bool          // it shows larger amounts than were moved
	shifts  time.Duration // how far its times of blocks are off
	early   bool          // it shows transactions one block before their own, on EVM
	repeats bool          // it lists every log twice
	late    int           // blocks that its index of signatures is behind, on Solana
	forgets int           // its index does not go back before this block, on Solana
	refuses int           // so many calls more are refused because of their rate, on Solana
}

// node is an endpoint of a network as one instance meets it. It answers JSON-RPC without a connection.
type node struct {
	in     *instance
	chain  *testChain
	host   string
	faults nodeFaults
}

// nodes are the endpoints by host.
type nodes map[string]*node

var errDown = errors.New("connection refused")

// RoundTrip implements http.RoundTripper.
func (all nodes) RoundTrip(r *http.Request) (*http.Response, error) {
	n := all[r.URL.Host]
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if n.fault().down || n.in.crasher.crashed() {
		return nil, errDown
	}
	if n.slow(body) {
		return nil, errTimeout{}
	}
	if n.chain.profile.Network == chain.Solana && n.refuse() {
		return &http.Response{
			StatusCode: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"5"}},
			Body: http.NoBody, Request: r,
		}, nil
	}
	answer, err := n.answer(body)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(answer)),
		ContentLength: int64(len(answer)), Request: r,
	}, nil
}

// refuse reports whether the node refuses the next call.
func (n *node) refuse() bool {
	n.in.w.mu.Lock()
	defer n.in.w.mu.Unlock()
	n.faults.refuses--
	return n.faults.refuses >= 0
}

type rpcCall struct {
	ID     json.RawMessage
	Method string
	Params []json.RawMessage
}

func (n *node) answer(body []byte) ([]byte, error) {
	var calls []rpcCall
	if body[0] != '[' {
		calls = make([]rpcCall, 1)
		if err := json.Unmarshal(body, &calls[0]); err != nil {
			return nil, err
		}
		return n.reply(calls[0])
	}
	if err := json.Unmarshal(body, &calls); err != nil {
		return nil, err
	}
	replies := make([][]byte, len(calls))
	for i, c := range calls {
		var err error
		if replies[i], err = n.reply(c); err != nil {
			return nil, err
		}
	}
	return slices.Concat([]byte("["), bytes.Join(replies, []byte(",")), []byte("]")), nil
}

func (n *node) reply(c rpcCall) ([]byte, error) {
	if n.chain.profile.Network == chain.Solana {
		if c.Method == "getSlot" && n.in.scanning {
			if err := n.in.call(); err != nil {
				return nil, err
			}
		}
		n.in.w.serving.Lock()
		defer n.in.w.serving.Unlock()
		result, code := n.serveSolana(c)
		if code != 0 {
			return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"none"}}`, c.ID, code), nil
		}
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, c.ID, result), nil
	}
	result, fail, err := n.serve(c)
	if fail != "" {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":%q}}`, c.ID, fail), err
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, c.ID, result), err
}

// serve answers a call with a result or the text of a failure. err ends the connection.
func (n *node) serve(c rpcCall) (result, fail string, err error) {
	switch c.Method {
	case "eth_chainId":
		return quantity(n.chain.profile.ChainID), "", nil
	case "eth_blockNumber":
		return quantity(uint64(len(n.blocks()) - 1)), "", nil
	case "eth_getBlockByNumber":
		return n.block(n.byTag(text(c.Params[0]))), "", nil
	case "eth_getTransactionReceipt":
		return n.receipt(chain.TxHash(text(c.Params[0])))
	case "eth_call":
		return n.call(c.Params[0]), "", nil
	case "eth_getLogs":
		return n.logs(c.Params[0])
	}
	return "", "the method " + c.Method + " does not exist", nil
}

func quantity(n uint64) string { return `"0x` + strconv.FormatUint(n, 16) + `"` }

func text(raw json.RawMessage) string { return strings.Trim(string(raw), `"`) }

// blocks are the blocks that the node has.
func (n *node) blocks() []*block {
	if n.fault().stale != nil {
		return n.fault().stale
	}
	if f := n.fault(); f.foreign > 0 {
		return n.elsewhere()
	} else if f.claims > 0 && len(n.in.w.hosts) == 1 { // what it calls final is believed
		return n.chain.blocks[:n.chain.finalized(len(n.chain.blocks))+1]
	}
	return n.chain.blocks[:max(1, len(n.chain.blocks)-n.fault().lag)]
}

// byTag returns the block of a tag or number, nil if the node has none.
func (n *node) byTag(tag string) *block {
	blocks := n.blocks()
	if f := n.fault(); f.claims > 0 && !strings.HasPrefix(tag, "0x") || f.jumps > 0 && tag == "latest" {
		return n.invented(blocks[len(blocks)-1].Head)
	}
	switch tag {
	case "latest":
		return blocks[len(blocks)-1]
	case "safe":
		return blocks[n.tagged(n.chain.safe(len(blocks)), len(blocks))]
	case "finalized":
		return blocks[n.tagged(n.chain.finalized(len(blocks)), len(blocks))]
	}
	number, err := strconv.ParseUint(strings.TrimPrefix(tag, "0x"), 16, 32)
	if err != nil || int(number) >= len(blocks) {
		return n.claimed(number)
	}
	return blocks[number]
}

// shown is the block with the transactions that the node shows in it.
func (n *node) shown(b *block) *block {
	if !n.fault().early {
		return b
	}
	early := &block{Head: b.Head, moved: map[chain.TxHash][]move{}, failed: map[chain.TxHash]bool{}}
	add := func(from *block, lied bool) {
		for _, t := range from.txs {
			if n.lies(t.hash) == lied {
				early.txs = append(early.txs, t)
				early.moved[t.hash], early.failed[t.hash] = from.moved[t.hash], from.failed[t.hash]
			}
		}
	}
	add(b, false)
	if blocks, next := n.blocks(), int(b.Number)+1; next < len(blocks) {
		add(blocks[next], true)
	}
	return early
}

// tagged is where the node sees a tag whose true block is given.
func (n *node) tagged(truth, height int) int {
	switch {
	case n.fault().eager:
		return height - 1
	case n.fault().stalled > 0:
		return min(truth, n.fault().stalled)
	}
	return max(0, truth-n.fault().behind)
}

func (n *node) block(b *block) string {
	if b == nil {
		return "null"
	}
	var txs []string
	for _, t := range n.shown(b).txs {
		txs = append(txs, `"`+string(t.hash)+`"`)
	}
	return fmt.Sprintf(`{"number":%s,"hash":%q,"timestamp":%s,"transactions":[%s]}`,
		quantity(b.Number), b.Hash, quantity(uint64(n.timeOf(b))), strings.Join(txs, ","))
}

func (n *node) timeOf(b *block) int64 { return b.Time.Add(n.faults.shifts).Unix() }

// entry is a log with its place.
type entry struct {
	move
	tx    chain.TxHash
	block *block
	index int
}

// entries lists the logs of a block as the node shows them.
func (n *node) entries(b *block) []entry {
	var list []entry
	index := 0
	b = n.shown(b)
	for _, t := range b.txs {
		for _, m := range b.moved[t.hash] {
			if n.fault().inflate && n.lies(t.hash) {
				m.units += 1_000_000
			}
			if !n.denies(t.hash) {
				list = append(list, entry{m, t.hash, b, index})
			}
			index++
		}
	}
	if f := n.fault(); f.invents > 0 && f.victim != "" && b.Number == uint64(f.invents) {
		asset := n.chain.profile.Assets[0].Contract
		list = append(list, entry{move{asset, payer, f.victim, f.units}, n.inventedTx(), b, index})
		if f.beside != "" {
			list = append(list, entry{move{asset, payer, f.beside, 1_000_000_000}, n.inventedTx(), b, index + 1})
		}
	}
	return list
}

// inventedTx is the transaction that the node invents, which is no other's.
func (n *node) inventedTx() chain.TxHash {
	return chain.TxHash(fmt.Sprintf("0xee%062x", slices.Index(n.in.w.hosts, n.host)))
}

func (e entry) String() string {
	return fmt.Sprintf(`{"address":%q,"topics":[%q,%q,%q],"data":"0x%064x","blockNumber":%s,"blockHash":%q,`+
		`"transactionHash":%q,"transactionIndex":"0x0","logIndex":%s,"removed":false}`,
		e.contract, transferTopic, padded(e.from), padded(e.to), e.units, quantity(e.block.Number), e.block.Hash,
		e.tx, quantity(uint64(e.index)))
}

// transferTopic is the hash of the signature of ERC-20's event Transfer.
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

func padded(a chain.Address) string {
	return "0x000000000000000000000000" + strings.ToLower(strings.TrimPrefix(string(a), "0x"))
}

// receipt shows a transaction of the node's chain.
func (n *node) receipt(h chain.TxHash) (result, fail string, err error) {
	broken := n.broken(h)
	switch broken {
	case breaksError:
		return "", "missing trie node", nil
	case breaksNull:
		return "null", "", nil
	case breaksNone, breaksEmpty:
	}
	for _, b := range n.blocks() {
		var logs []string
		status := "0x1"
		within := n.shown(b)
		known := slices.ContainsFunc(within.txs, func(t *tx) bool {
			if t.hash == h && within.failed[h] {
				status = "0x0"
			}
			return t.hash == h
		}) && !n.denies(h)
		if !known && h != n.inventedTx() {
			continue
		}
		for _, e := range n.entries(b) {
			if e.tx == h && broken != breaksEmpty {
				logs = append(logs, e.String())
			}
		}
		if known || len(logs) > 0 {
			return fmt.Sprintf(`{"transactionHash":%q,"blockNumber":%s,"blockHash":%q,"status":%q,"logs":[%s]}`,
				h, quantity(b.Number), b.Hash, status, strings.Join(logs, ",")), "", nil
		}
	}
	return "null", "", nil
}

// call answers balanceOf.
func (n *node) call(raw json.RawMessage) string {
	var q struct{ To, Data string }
	const selector = len("0x70a08231") + 24
	if json.Unmarshal(raw, &q) != nil || len(q.Data) != selector+40 {
		return `"0x"`
	}
	blocks := n.blocks()
	units := uint64(0)
	for at, held := range blocks[len(blocks)-1].state {
		if strings.EqualFold(string(at.contract), q.To) &&
			strings.EqualFold(string(at.address), "0x"+q.Data[selector:]) {
			units = held - min(held, n.denied(at))
		}
	}
	return fmt.Sprintf(`"0x%064x"`, units)
}

// logs answers eth_getLogs. While it does, the call may fail, or something else may happen.
func (n *node) logs(raw json.RawMessage) (result, fail string, err error) {
	var q struct {
		FromBlock, ToBlock, BlockHash string
		Topics                        []json.RawMessage
	}
	if err := json.Unmarshal(raw, &q); err != nil {
		return "", "", err
	}
	var list []string
	add := func(b *block) {
		for _, e := range n.entries(b) {
			if len(q.Topics) > 2 && !strings.Contains(string(q.Topics[2]), padded(e.to)) || n.omits(e.tx) {
				continue
			}
			list = append(list, e.String())
			if n.fault().repeats {
				list = append(list, e.String())
			}
		}
	}
	if q.BlockHash != "" {
		for _, b := range n.blocks() {
			if b.Hash == q.BlockHash {
				add(b)
			}
		}
		return "[" + strings.Join(list, ",") + "]", "", nil
	}
	if err := n.in.call(); err != nil {
		return "", "", err
	}
	from, to := n.byTag(q.FromBlock), n.byTag(q.ToBlock)
	if from == nil || to == nil {
		return "", "block range extends beyond current head block", nil
	}
	blocks := n.blocks()
	for _, b := range blocks {
		if b.Number >= from.Number && b.Number <= to.Number {
			add(b)
		}
	}
	return "[" + strings.Join(list, ",") + "]", "", nil
}
