package chaintest

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

func invalidParams(format string, args ...any) *RPCError {
	return &RPCError{Code: -32602, Message: fmt.Sprintf(format, args...)}
}

// serve answers one call from the chain as shown.
func (p *Endpoint) serve(s shown, method string, params []json.RawMessage) (any, *RPCError) {
	switch method {
	case "eth_chainId":
		return hexQuantity(p.chainID()), nil
	case "eth_blockNumber":
		return hexQuantity(s.blocks[len(s.blocks)-1].number), nil
	case "eth_getBlockByNumber":
		return p.blockByNumber(s, params)
	case "eth_getTransactionByHash":
		return p.transaction(s, params)
	case "eth_getTransactionReceipt":
		return p.receipt(s, params)
	case "eth_getLogs":
		return p.logs(s, params)
	case "eth_getCode":
		address, fail := text(params, 0)
		if code, ok := s.code[strings.ToLower(address)]; ok {
			return code, fail
		}
		return "0x", fail
	case "eth_call":
		return p.ethCall(s, params)
	}
	return nil, &RPCError{Code: -32601, Message: "the method " + method + " does not exist/is not available"}
}

func text(params []json.RawMessage, i int) (string, *RPCError) {
	var v string
	if i >= len(params) || json.Unmarshal(params[i], &v) != nil {
		return "", invalidParams("missing value for required argument %d", i)
	}
	return v, nil
}

func (p *Endpoint) blockByNumber(s shown, params []json.RawMessage) (any, *RPCError) {
	tag, fail := text(params, 0)
	if fail != nil {
		return nil, fail
	}
	if p.fault().NoLabels && (tag == "safe" || tag == "finalized") {
		return nil, &RPCError{Code: -32000, Message: tag + " block not found"}
	}
	if replace := p.fault().Tag; replace != nil && (tag == "safe" || tag == "finalized") {
		tag = replace(tag)
	}
	b := s.byTag(tag)
	if b == nil {
		return nil, nil
	}
	shown := b.object()
	if alter := p.fault().AlterBlock; alter != nil {
		alter(shown)
	}
	return shown, nil
}

func (p *Endpoint) transaction(s shown, params []json.RawMessage) (any, *RPCError) {
	hash, fail := text(params, 0)
	if tx, b := s.find(hash); tx != nil && fail == nil {
		return tx.object(b), nil
	}
	return nil, fail
}

func (p *Endpoint) receipt(s shown, params []json.RawMessage) (any, *RPCError) {
	hash, fail := text(params, 0)
	if fail != nil {
		return nil, fail
	}
	if fake, ok := p.fault().PhantomReceipts[hash]; ok {
		return fake, nil
	}
	tx, b := s.find(hash)
	if tx == nil || b == nil || p.forgets(s, b) {
		return nil, nil
	}
	return b.receipt(tx), nil
}

// forgets reports whether the endpoint has dropped a block's transactions from
// its index.
func (p *Endpoint) forgets(s shown, b *block) bool {
	depth := p.fault().ForgetAfter
	return depth > 0 && s.blocks[len(s.blocks)-1].number-b.number >= uint64(depth)
}

// logQuery is the filter object of eth_getLogs.
type logQuery struct {
	FromBlock, ToBlock, BlockHash string
	Address                       oneOrMany
	Topics                        []oneOrMany
}

// oneOrMany is a value or a list of alternatives; empty matches everything.
type oneOrMany []string

func (o *oneOrMany) UnmarshalJSON(b []byte) error {
	var one *string
	if json.Unmarshal(b, &one) == nil {
		if one != nil {
			*o = []string{strings.ToLower(*one)}
		}
		return nil
	}
	var many []string
	if err := json.Unmarshal(b, &many); err != nil {
		return err
	}
	for _, v := range many {
		*o = append(*o, strings.ToLower(v))
	}
	return nil
}

func (o oneOrMany) matches(v string) bool { return len(o) == 0 || slices.Contains(o, v) }

func (q logQuery) matches(l object) bool {
	topics := l["topics"].([]string)
	if !q.Address.matches(l["address"].(string)) || len(q.Topics) > len(topics) {
		return false
	}
	for i, want := range q.Topics {
		if !want.matches(topics[i]) {
			return false
		}
	}
	return true
}

func (p *Endpoint) logs(s shown, params []json.RawMessage) (any, *RPCError) {
	var q logQuery
	if len(params) != 1 || json.Unmarshal(params[0], &q) != nil {
		return nil, invalidParams("invalid filter")
	}
	blocks, fail := q.blocks(s, p.fault().Clamp)
	if fail == nil {
		fail = p.fault().refuses(q, len(blocks))
	}
	if fail != nil {
		return nil, fail
	}
	time.Sleep(time.Duration(len(blocks)) * p.fault().SlowLogs)
	found := []object{}
	for _, b := range blocks {
		for _, l := range b.logs() {
			if q.matches(l) {
				found = append(found, l)
			}
		}
	}
	return p.distort(q, found)
}

// blocks lists the blocks a query covers. A range that reaches beyond the head
// is an error in all current clients; old versions end it silently at the head
// (clamp).
func (q logQuery) blocks(s shown, clamp bool) ([]*block, *RPCError) {
	if q.BlockHash != "" {
		b := s.byHash(q.BlockHash)
		if b == nil {
			return nil, &RPCError{Code: -32000, Message: "unknown block"}
		}
		return []*block{b}, nil
	}
	from, to := s.byTag(q.FromBlock), s.byTag(q.ToBlock)
	if !clamp && (from == nil || to == nil) {
		return nil, invalidParams("block range extends beyond current head block: head %d", len(s.blocks)-1)
	}
	if from == nil {
		return nil, nil
	}
	if to == nil {
		to = s.blocks[len(s.blocks)-1]
	}
	if from.number > to.number {
		return nil, invalidParams("invalid block range params")
	}
	return s.blocks[from.number : to.number+1], nil
}

// ethCall answers decimals() and balanceOf(address).
func (p *Endpoint) ethCall(s shown, params []json.RawMessage) (any, *RPCError) {
	var q struct{ To, Data, Input string }
	if len(params) == 0 || json.Unmarshal(params[0], &q) != nil {
		return nil, invalidParams("invalid call")
	}
	contract, data := strings.ToLower(q.To), q.Data+q.Input
	i := slices.IndexFunc(p.evm.config.Assets,
		func(a chain.Asset) bool { return strings.EqualFold(string(a.Contract), contract) })
	switch {
	case i >= 0 && data == "0x313ce567":
		return word(big.NewInt(int64(p.evm.config.Assets[i].Decimals))), nil
	case strings.HasPrefix(data, "0x70a08231") && len(data) == 10+64:
		return word(s.balance(contract, data[10+24:])), nil
	}
	return "0x", nil
}

func word(v *big.Int) string { return "0x" + hex.EncodeToString(v.FillBytes(make([]byte, 32))) }
