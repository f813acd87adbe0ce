package simulation

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// mainnet is the hash of mainnet's first block: the mints are mainnet's.
const mainnet = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"

// Error codes of Solana's JSON-RPC.
const (
	codeNoBlock    = -32004
	codeSkipped    = -32007
	codeMinContext = -32016
	codeBroken     = -32603
)

// indexLag is how late an index may be.
const indexLag = time.Minute

// serveSolana answers a call to an endpoint of Solana with a result, or with the code of an error.
func (n *node) serveSolana(c rpcCall) (result string, code int) {
	switch c.Method {
	case "getGenesisHash":
		return `"` + mainnet + `"`, 0
	case "getSlot":
		final := strings.Contains(string(c.Params[0]), "finalized") && n.fault().claims == 0
		return strconv.Itoa(n.slot(final) + n.fault().claims), 0
	case "getFirstAvailableBlock":
		return strconv.Itoa(n.fault().forgets), 0
	case "getBlock":
		var slot uint64
		n.in.w.must(json.Unmarshal(c.Params[0], &slot))
		return n.solanaBlock(slot)
	case "getBlocks":
		var first, last uint64
		n.in.w.must(json.Unmarshal(c.Params[0], &first))
		n.in.w.must(json.Unmarshal(c.Params[1], &last))
		return n.slots(first, last), 0
	case "getMultipleAccounts":
		return n.accounts(c)
	case "getSignaturesForAddress":
		return n.signatures(c), 0
	case "getSignatureStatuses":
		return n.statuses(c), 0
	case "getTransaction":
		h := chain.TxHash(text(c.Params[0]))
		switch n.broken(h) {
		case breaksError:
			return "", codeBroken
		case breaksNull:
			return "null", 0
		case breaksNone, breaksEmpty:
		}
		return n.transaction(h), 0
	}
	return "", -32601
}

// slot is the newest slot of the node, or the newest one that it calls finalized.
func (n *node) slot(final bool) int {
	height := len(n.blocks())
	if final {
		return n.tagged(n.chain.finalized(height), height)
	}
	return height - 1
}

// skipped reports whether the cluster made no block in the slot: what is a block of the chain here, and an empty one.
func (b *block) skipped() bool {
	const oneIn = 5
	return len(b.txs) == 0 && b.salt%oneIn == 0 && b.Number > 0
}

func (n *node) solanaBlock(slot uint64) (result string, code int) {
	blocks := n.blocks()
	b := n.claimed(slot)
	if slot < uint64(len(blocks)) {
		b = blocks[slot]
	}
	switch {
	case b == nil:
		return "", codeNoBlock
	case b.skipped():
		return "", codeSkipped
	}
	parent := max(slot, 1) - 1
	for parent > 0 && parent < uint64(len(blocks)) && blocks[parent].skipped() {
		parent--
	}
	var txs []string
	for _, t := range n.included(b) {
		txs = append(txs, `"`+string(t.hash)+`"`)
	}
	return fmt.Sprintf(`{"blockhash":%q,"parentSlot":%d,"blockTime":%d,"signatures":[%s]}`,
		b.Hash, parent, n.timeOf(b), strings.Join(txs, ",")), 0
}

func (n *node) slots(first, last uint64) string {
	var list []string
	for _, b := range n.blocks() {
		if b.Number >= first && b.Number <= last && !b.skipped() {
			list = append(list, strconv.FormatUint(b.Number, 10))
		}
	}
	return "[" + strings.Join(list, ",") + "]"
}

// included lists the transactions of a block that the node shows. What it leaves out of lists only is in its balances.
func (n *node) included(b *block) []*tx {
	list := slices.DeleteFunc(slices.Clone(b.txs), func(t *tx) bool { return n.denies(t.hash) })
	if n.fault().invents > 0 && n.fault().victim != "" && b.Number == uint64(n.fault().invents) {
		list = append(list, &tx{hash: n.inventedSignature(), moves: []move{
			{n.chain.profile.Assets[0].Contract, payer, n.fault().victim, n.fault().units},
		}})
	}
	return list
}

// inventedSignature is that of the transaction that the node invents, which is no other's.
func (n *node) inventedSignature() chain.TxHash {
	raw := slices.Repeat([]byte{0xee}, solanago.SignatureLength)
	raw[0] -= byte(slices.Index(n.in.w.hosts, n.host)) //nolint:gosec // below 3
	return chain.TxHash(solanago.SignatureFromBytes(raw).String())
}

// moved lists what a transaction moved, as the node shows it.
func (n *node) moved(b *block, t *tx) []move {
	if t.hash == n.inventedSignature() {
		return t.moves
	}
	return b.moved[t.hash]
}

// tokens are the token accounts that a transaction names, in the order of its accounts: those that may gain first.
func (t *tx) tokens() []holding {
	moves := slices.Concat(t.forks...)
	if len(t.forks) == 0 {
		moves = slices.Clone(t.moves)
	}
	for _, l := range t.flush {
		moves = append(moves, move{contract: l.Contract, from: l.Address, to: l.Settlement})
	}
	var list []holding
	for _, m := range moves {
		list = append(list, holding{m.to, m.contract})
	}
	for _, m := range moves {
		list = append(list, holding{m.from, m.contract})
	}
	var once []holding
	for _, h := range list {
		if !slices.Contains(once, h) {
			once = append(once, h)
		}
	}
	return once
}

// ownerKey is the key of an owner. A name that is none on Solana stands for a key.
func ownerKey(a chain.Address) solanago.PublicKey {
	if key, err := solanago.PublicKeyFromBase58(string(a)); err == nil {
		return key
	}
	return sha256.Sum256([]byte(a))
}

// account is the token account of an owner for a mint.
func (l *testChain) account(h holding) string {
	if l.accounts == nil {
		l.accounts = make(map[holding]string)
	}
	key, known := l.accounts[h]
	if !known {
		key = rpc.AccountOf(ownerKey(h.address), solanago.MustPublicKeyFromBase58(string(h.contract))).String()
		l.accounts[h] = key
	}
	return key
}

// held is what the token accounts hold after a block and before one of its transactions; after all of them if it is
// nil. Accounts that do not exist are left out.
func (n *node) held(number uint64, before *tx) map[holding]uint64 {
	state := make(map[holding]uint64)
	for _, b := range n.blocks()[:number+1] {
		for _, t := range n.included(b) {
			if before != nil && t.hash == before.hash {
				return state
			}
			n.apply(state, b, t)
		}
	}
	return state
}

// apply lets a transaction take effect. A sweep closes every other account that it empties.
func (n *node) apply(state map[holding]uint64, b *block, t *tx) {
	for _, m := range n.moved(b, t) {
		units := m.units
		if n.fault().inflate && len(t.flush) == 0 && n.lies(t.hash) {
			units += 1_000_000
		}
		to, from := holding{m.to, m.contract}, holding{m.from, m.contract}
		state[to] += units
		if len(t.flush) == 0 {
			continue
		}
		if state[from] -= min(units, state[from]); state[from] == 0 && t.price%2 == n.in.w.seed%2 {
			delete(state, from)
		}
	}
}

// Offsets of a token account.
const (
	tokenSize = 165
	amountAt  = 64
	stateAt   = 108
)

func (n *node) accounts(c rpcCall) (result string, code int) {
	var keys []string
	n.in.w.must(json.Unmarshal(c.Params[0], &keys))
	var o struct{ MinContextSlot int }
	n.in.w.must(json.Unmarshal(c.Params[1], &o))
	newest := n.slot(false)
	if newest < o.MinContextSlot {
		return "", codeMinContext
	}
	values := make([]string, len(keys))
	for i := range values {
		values[i] = "null"
	}
	for h, units := range n.held(uint64(newest), nil) { //nolint:gosec // not negative
		i := slices.Index(keys, n.chain.account(h))
		if i < 0 {
			continue
		}
		data := make([]byte, tokenSize)
		copy(data, solanago.MustPublicKeyFromBase58(string(h.contract)).Bytes())
		copy(data[32:], ownerKey(h.address).Bytes())
		binary.LittleEndian.PutUint64(data[amountAt:], units)
		data[stateAt] = 1
		values[i] = fmt.Sprintf(`{"lamports":2039280,"owner":%q,"executable":false,"data":[%q,"base64"]}`,
			solanago.TokenProgramID, base64.StdEncoding.EncodeToString(data))
	}
	return fmt.Sprintf(`{"context":{"slot":%d},"value":[%s]}`, newest, strings.Join(values, ",")), 0
}

// signatures lists what named an account. The index may be behind the blocks, and may have forgotten old ones.
func (n *node) signatures(c rpcCall) string {
	var o struct {
		Limit  int
		Before string
	}
	n.in.w.must(json.Unmarshal(c.Params[1], &o))
	key, sweeps := text(c.Params[0]), string(n.in.w.sweepsAddress())
	var list []string
	skip := o.Before != ""
	blocks := n.blocks()
	for _, b := range slices.Backward(blocks) {
		if b.Number < uint64(n.fault().forgets) {
			break
		}
		if b.Number > uint64(len(blocks)-n.fault().late) && n.in.w.clock.Sub(b.Time) < indexLag { //nolint:gosec // not negative
			continue
		}
		for _, t := range slices.Backward(n.included(b)) {
			named := key == sweeps && len(t.flush) > 0 ||
				slices.ContainsFunc(t.tokens(), func(h holding) bool { return n.chain.account(h) == key })
			switch {
			case skip:
				skip = string(t.hash) != o.Before
			case named && len(list) < o.Limit && !(n.omits(t.hash) && n.omitsSweep(t)):
				list = append(list, fmt.Sprintf(`{"signature":%q,"slot":%d,"err":null}`, t.hash, b.Number))
				if n.fault().repeats && len(list) < o.Limit {
					list = append(list, list[len(list)-1])
				}
			}
		}
	}
	return "[" + strings.Join(list, ",") + "]"
}

// find returns the block in which the node shows the transaction.
func (n *node) find(h chain.TxHash) (*block, *tx) {
	for _, b := range n.blocks() {
		for _, t := range n.included(b) {
			if t.hash == h {
				return b, t
			}
		}
	}
	return nil, nil
}

func (n *node) statuses(c rpcCall) string {
	var signatures []chain.TxHash
	n.in.w.must(json.Unmarshal(c.Params[0], &signatures))
	values := make([]string, len(signatures))
	for i, s := range signatures {
		b, _ := n.find(s)
		if values[i] = "null"; b == nil {
			continue
		}
		status := "confirmed"
		if b.Number <= uint64(n.slot(true)) { //nolint:gosec // not negative
			status = "finalized"
		}
		values[i] = fmt.Sprintf(`{"slot":%d,"err":null,"confirmationStatus":%q}`, b.Number, status)
	}
	return fmt.Sprintf(`{"context":{"slot":%d},"value":[%s]}`, n.slot(false), strings.Join(values, ","))
}

// transaction shows what a transaction did to the token accounts that it names.
func (n *node) transaction(h chain.TxHash) string {
	b, t := n.find(h)
	if b == nil {
		return "null"
	}
	before := n.held(b.Number, t)
	after := maps.Clone(before)
	n.apply(after, b, t)
	for _, m := range n.moved(b, t) {
		// the payer's account, which the chain does not keep
		if from := (holding{m.from, m.contract}); len(t.flush) == 0 {
			const plenty = 1 << 50
			before[from], after[from] = plenty, plenty-m.units-1
		}
	}
	var keys, lamports, lamportsAfter, pre, post []string
	show := func(list []string, state map[holding]uint64, h holding, index int) ([]string, string) {
		units, exists := state[h]
		if !exists {
			return list, "0"
		}
		return append(list, fmt.Sprintf(
			`{"accountIndex":%d,"mint":%q,"owner":%q,"programId":%q,"uiTokenAmount":{"amount":"%d"}}`,
			index, h.contract, ownerKey(h.address), solanago.TokenProgramID, units)), "2039280"
	}
	for i, h := range t.tokens() {
		var was, is string
		pre, was = show(pre, before, h, i)
		post, is = show(post, after, h, i)
		keys = append(keys, `"`+n.chain.account(h)+`"`)
		lamports, lamportsAfter = append(lamports, was), append(lamportsAfter, is)
	}
	if len(t.flush) > 0 {
		keys = append(keys, `"`+string(n.in.w.sweepsAddress())+`"`)
		lamports, lamportsAfter = append(lamports, "0"), append(lamportsAfter, "0")
	}
	return fmt.Sprintf(`{"slot":%d,"blockTime":%d,"meta":{"err":null,"fee":5000,"preBalances":[%s],"postBalances":[%s],`+
		`"preTokenBalances":[%s],"postTokenBalances":[%s],"loadedAddresses":{"writable":[],"readonly":[]}},`+
		`"transaction":{"signatures":[%q],"message":{"accountKeys":[%s]}}}`,
		b.Number, n.timeOf(b), strings.Join(lamports, ","), strings.Join(lamportsAfter, ","), strings.Join(pre, ","),
		strings.Join(post, ","), h, strings.Join(keys, ","))
}

// signature is a new signature, which is no other's.
func (l *testChain) signature(kind string) string {
	raw := make([]byte, solanago.SignatureLength)
	raw[0] = kind[0]
	binary.BigEndian.PutUint64(raw[solanago.SignatureLength-8:], uint64(l.made)) //nolint:gosec // counts up from 0
	return solanago.SignatureFromBytes(raw).String()
}

// shown lists what a transaction moved in a block, by ordinal: transfer by transfer, or on Solana one sum for each
// token account that the transaction names.
func (l *testChain) shown(b *block, t *tx) []move {
	if l.profile.Network != chain.Solana {
		return b.moved[t.hash]
	}
	var list []move
	for _, h := range t.tokens() {
		sum := move{contract: h.contract, to: h.address}
		for _, m := range b.moved[t.hash] {
			if h == (holding{m.to, m.contract}) {
				sum.units += m.units
				sum.from = cmp.Or(sum.from, m.from)
			}
		}
		list = append(list, sum)
	}
	return list
}
