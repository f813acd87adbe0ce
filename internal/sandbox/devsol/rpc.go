package devsol

import solana "github.com/gagliardetto/solana-go"

// methods are the supported calls. They run one at a time.
var methods = map[string]func(*Ledger, params) (any, *rpcFailure){
	"getAccountInfo": getAccountInfo,
	"getBalance":     getBalance,
	"getBlock":       getBlock,
	"getBlockHeight": func(l *Ledger, p params) (any, *rpcFailure) {
		return l.withSlot(p, 0, l.height)
	},
	"getBlockTime":           getBlockTime,
	"getBlocks":              getBlocks,
	"getEpochInfo":           getEpochInfo,
	"getFeeForMessage":       getFeeForMessage,
	"getFirstAvailableBlock": func(*Ledger, params) (any, *rpcFailure) { return 0, nil },
	"getGenesisHash": func(l *Ledger, _ params) (any, *rpcFailure) {
		return l.keys.genesis.String(), nil
	},
	"getHealth":                         func(*Ledger, params) (any, *rpcFailure) { return "ok", nil },
	"getLatestBlockhash":                getLatestBlockhash,
	"getMinimumBalanceForRentExemption": getRent,
	"getMultipleAccounts":               getMultipleAccounts,
	"getRecentPrioritizationFees":       getPriorityFees,
	"getSignatureStatuses":              getSignatureStatuses,
	"getSignaturesForAddress":           getSignaturesForAddress,
	"getSlot": func(l *Ledger, p params) (any, *rpcFailure) {
		return l.withSlot(p, 0, func(s uint64) uint64 { return s })
	},
	"getTokenAccountBalance":  getTokenAccountBalance,
	"getTokenAccountsByOwner": getTokenAccountsByOwner,
	"getTransaction":          getTransaction,
	"getVersion": func(*Ledger, params) (any, *rpcFailure) {
		return map[string]any{"solana-core": "devsol", "feature-set": 0}, nil
	},
	"isBlockhashValid":    isBlockhashValid,
	"requestAirdrop":      requestAirdrop,
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
func (l *Ledger) at(o options) (uint64, *rpcFailure) {
	slot := l.head
	switch o.Commitment {
	case "", "finalized":
		slot = l.finalSlot()
	case "confirmed", "processed":
	default:
		return 0, badParams("Invalid params: unknown variant `%s`", o.Commitment)
	}
	if o.MinContextSlot != nil && slot < *o.MinContextSlot {
		return 0, &rpcFailure{Code: codeMinContextSlot, Message: "Minimum context slot has not been reached", Data: map[string]uint64{"contextSlot": slot}}
	}
	return slot, nil
}

func (l *Ledger) withSlot(p params, n int, f func(uint64) uint64) (any, *rpcFailure) {
	var o options
	if failed := p.into(n, &o); failed != nil {
		return nil, failed
	}
	slot, failed := l.at(o)
	if failed != nil {
		return nil, failed
	}
	return f(slot), nil
}

// inContext is an answer with the slot it belongs to.
func inContext(slot uint64, value any) any {
	return map[string]any{"context": map[string]any{"slot": slot, "apiVersion": "devsol"}, "value": value}
}

// key reads the address that a call begins with.
func (p params) key() (solana.PublicKey, *rpcFailure) {
	var text string
	if failed := p.into(0, &text); failed != nil {
		return solana.PublicKey{}, failed
	}
	return parseKey(text)
}

func parseKey(text string) (solana.PublicKey, *rpcFailure) {
	key, err := solana.PublicKeyFromBase58(text)
	if err != nil {
		return solana.PublicKey{}, badParams("Invalid param: Invalid")
	}
	return key, nil
}

// reading answers with a value of the slot that the second parameter names.
func (l *Ledger) reading(p params, f func(slot uint64, o options) (any, *rpcFailure)) (any, *rpcFailure) {
	var o options
	if failed := p.into(1, &o); failed != nil {
		return nil, failed
	}
	slot, failed := l.at(o)
	if failed != nil {
		return nil, failed
	}
	value, failed := f(slot, o)
	if failed != nil {
		return nil, failed
	}
	return inContext(slot, value), nil
}
