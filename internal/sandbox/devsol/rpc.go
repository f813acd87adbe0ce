package devsol

import solana "github.com/gagliardetto/solana-go"

// methods are the supported calls. They run one at a time.
var methods = map[string]func(*Ledger, *params) any{
	"getAccountInfo": getAccountInfo,
	"getBalance":     getBalance,
	"getBlock":       getBlock,
	"getBlockHeight": func(l *Ledger, p *params) any {
		return l.withSlot(p, 0, l.height)
	},
	"getBlockTime":           getBlockTime,
	"getBlocks":              getBlocks,
	"getEpochInfo":           getEpochInfo,
	"getFeeForMessage":       getFeeForMessage,
	"getFirstAvailableBlock": func(*Ledger, *params) any { return 0 },
	"getGenesisHash": func(l *Ledger, _ *params) any {
		return l.keys.genesis.String()
	},
	"getLatestBlockhash":                getLatestBlockhash,
	"getMinimumBalanceForRentExemption": getRent,
	"getMultipleAccounts":               getMultipleAccounts,
	"getRecentPrioritizationFees":       getPriorityFees,
	"getSignatureStatuses":              getSignatureStatuses,
	"getSignaturesForAddress":           getSignaturesForAddress,
	"getSlot": func(l *Ledger, p *params) any {
		return l.withSlot(p, 0, func(s uint64) uint64 { return s })
	},
	"getTokenAccountBalance":  getTokenAccountBalance,
	"getTokenAccountsByOwner": getTokenAccountsByOwner,
	"getTransaction":          getTransaction,
	"getVersion": func(*Ledger, *params) any {
		return map[string]any{"solana-core": "devsol", "feature-set": 0}
	},
	"sendTransaction":     sendTransaction,
	"simulateTransaction": simulateTransaction,
}

// options are the named parameters that several calls share.
type options struct {
	Commitment     string  `json:"commitment"`
	Encoding       string  `json:"encoding"`
	MinContextSlot *uint64 `json:"minContextSlot"`
	Limit          *int    `json:"limit"`
	Before, Until  string
	Details        string `json:"transactionDetails"`
	Version        *int   `json:"maxSupportedTransactionVersion"`
	SkipPreflight  bool   `json:"skipPreflight"`
	ReplaceHash    bool   `json:"replaceRecentBlockhash"`
	SigVerify      bool   `json:"sigVerify"`
	Search         bool   `json:"searchTransactionHistory"`
}

// at returns the slot that a commitment stands for.
func (p *params) at(l *Ledger, o options) uint64 {
	slot := l.head
	switch o.Commitment {
	case "", "finalized":
		slot = l.finalSlot()
	case "confirmed", "processed":
	default:
		p.badParams("Invalid params: unknown variant `%s`", o.Commitment)
	}
	if o.MinContextSlot != nil && slot < *o.MinContextSlot {
		p.fail(rpcFailure{
			Code: codeMinContextSlot, Message: "Minimum context slot has not been reached",
			Data: map[string]uint64{"contextSlot": slot},
		})
	}
	return slot
}

func (l *Ledger) withSlot(p *params, n int, f func(uint64) uint64) any {
	var o options
	p.into(n, &o)
	return f(p.at(l, o))
}

// inContext is an answer with the slot it belongs to.
func inContext(slot uint64, value any) any {
	return map[string]any{"context": map[string]any{"slot": slot, "apiVersion": "devsol"}, "value": value}
}

// key reads the address that a call begins with.
func (p *params) key() solana.PublicKey {
	var text string
	p.into(0, &text)
	return p.parseKey(text)
}

func (p *params) parseKey(text string) solana.PublicKey {
	key, err := solana.PublicKeyFromBase58(text)
	if err != nil {
		p.badParams("Invalid param: Invalid")
	}
	return key
}

// reading answers with a value of the slot that the n-th parameter names.
func (l *Ledger) reading(p *params, n int, f func(slot uint64) any) any {
	var o options
	p.into(n, &o)
	slot := p.at(l, o)
	return inContext(slot, f(slot))
}
