package devsol

import (
	"encoding/base64"
	"fmt"
	"slices"

	solana "github.com/gagliardetto/solana-go"
	"github.com/mr-tron/base58"
)

// methods are the calls that are answered; each runs alone.
var methods = map[string]func(*Ledger, params) (any, *rpcFailure){
	"getAccountInfo":                    getAccountInfo,
	"getBalance":                        getBalance,
	"getBlock":                          getBlock,
	"getBlockHeight":                    func(l *Ledger, p params) (any, *rpcFailure) { return l.withSlot(p, 0, l.height) },
	"getBlockTime":                      getBlockTime,
	"getBlocks":                         getBlocks,
	"getFeeForMessage":                  getFeeForMessage,
	"getFirstAvailableBlock":            func(*Ledger, params) (any, *rpcFailure) { return 0, nil },
	"getGenesisHash":                    func(l *Ledger, _ params) (any, *rpcFailure) { return l.keys.genesis.String(), nil },
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
	"getTransaction": getTransaction,
	"getVersion": func(*Ledger, params) (any, *rpcFailure) {
		return map[string]any{"solana-core": "devsol", "feature-set": 0}, nil
	},
	"isBlockhashValid":    isBlockhashValid,
	"requestAirdrop":      requestAirdrop,
	"sendTransaction":     sendTransaction,
	"simulateTransaction": simulateTransaction,
}

// options are the named parameters that calls have in common.
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

// at returns the slot that a commitment names.
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

// inContext is an answer that tells the slot it is of.
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

func getBalance(l *Ledger, p params) (any, *rpcFailure) {
	key, failed := p.key()
	if failed != nil {
		return nil, failed
	}
	return l.reading(p, func(slot uint64, _ options) (any, *rpcFailure) { return l.accountAt(key, slot).Lamports, nil })
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

// shown is an account as calls tell it; nil where there is none.
func (a Account) shown() any {
	if !a.exists() {
		return nil
	}
	return map[string]any{
		"lamports": a.Lamports, "owner": a.Owner.String(), "executable": a.Executable, "space": len(a.Data),
		"rentEpoch": uint64(1<<64 - 1), "data": []string{base64.StdEncoding.EncodeToString(a.Data), "base64"},
	}
}

func getAccountInfo(l *Ledger, p params) (any, *rpcFailure) {
	key, failed := p.key()
	if failed != nil {
		return nil, failed
	}
	return l.reading(p, func(slot uint64, _ options) (any, *rpcFailure) { return l.accountAt(key, slot).shown(), nil })
}

// maxAccounts is what getMultipleAccounts takes, as real nodes do.
const maxAccounts = 100

func getMultipleAccounts(l *Ledger, p params) (any, *rpcFailure) {
	var texts []string
	if failed := p.into(0, &texts); failed != nil {
		return nil, failed
	}
	if len(texts) > maxAccounts {
		return nil, badParams("Too many inputs provided; max %d", maxAccounts)
	}
	return l.reading(p, func(slot uint64, _ options) (any, *rpcFailure) {
		list := make([]any, len(texts))
		for i, text := range texts {
			key, failed := parseKey(text)
			if failed != nil {
				return nil, failed
			}
			list[i] = l.accountAt(key, slot).shown()
		}
		return list, nil
	})
}

func getRent(l *Ledger, p params) (any, *rpcFailure) {
	var size int
	if failed := p.into(0, &size); failed != nil {
		return nil, failed
	}
	return l.config.rentExempt(size), nil
}

func getLatestBlockhash(l *Ledger, p params) (any, *rpcFailure) {
	var o options
	if failed := p.into(0, &o); failed != nil {
		return nil, failed
	}
	slot, failed := l.at(o)
	if failed != nil {
		return nil, failed
	}
	return inContext(slot, map[string]any{"blockhash": l.blockhash(slot).String(), "lastValidBlockHeight": l.height(slot) + blockhashAge}), nil
}

func isBlockhashValid(l *Ledger, p params) (any, *rpcFailure) {
	var text string
	if failed := p.into(0, &text); failed != nil {
		return nil, failed
	}
	hash, err := solana.HashFromBase58(text)
	if err != nil {
		return nil, badParams("Invalid param: Invalid")
	}
	return l.reading(p, func(uint64, options) (any, *rpcFailure) { return l.recent(hash), nil })
}

func getFeeForMessage(l *Ledger, p params) (any, *rpcFailure) {
	var text string
	if failed := p.into(0, &text); failed != nil {
		return nil, failed
	}
	var m solana.Message
	if err := m.UnmarshalBase64(text); err != nil {
		return nil, badParams("failed to deserialize message: %s", err)
	}
	return l.reading(p, func(uint64, options) (any, *rpcFailure) {
		price, limit, failed := computeBudget(&m)
		if failed != nil || !l.recent(m.RecentBlockhash) {
			return nil, nil
		}
		return fee(int(m.Header.NumRequiredSignatures), price, limit), nil
	})
}

// getPriorityFees tells that nobody pays for priority here.
func getPriorityFees(l *Ledger, _ params) (any, *rpcFailure) {
	return []any{map[string]uint64{"slot": l.head, "prioritizationFee": 0}}, nil
}

func (l *Ledger) noBlock(slot uint64) *rpcFailure {
	switch {
	case slot > l.head:
		return &rpcFailure{Code: codeNotAvailable, Message: fmt.Sprintf("Block not available for slot %d", slot)}
	case l.isSkipped(slot):
		return &rpcFailure{Code: codeSkippedSlot, Message: fmt.Sprintf("Slot %d was skipped, or missing due to ledger jump to recent snapshot", slot)}
	}
	return nil
}

func getBlockTime(l *Ledger, p params) (any, *rpcFailure) {
	var slot uint64
	if failed := p.into(0, &slot); failed != nil {
		return nil, failed
	}
	if failed := l.noBlock(slot); failed != nil {
		return nil, failed
	}
	return l.timeOf(slot).Unix(), nil
}

// maxBlocks is how many slots getBlocks spans, as on real nodes.
const maxBlocks = 500_000

func getBlocks(l *Ledger, p params) (any, *rpcFailure) {
	var first uint64
	last := l.head
	if failed := p.into(0, &first); failed != nil {
		return nil, failed
	}
	if failed := p.into(1, &last); failed != nil {
		return nil, failed
	}
	if last < first || last-first > maxBlocks {
		return nil, badParams("Slot range too large; max %d", maxBlocks)
	}
	list := []uint64{}
	for slot := first; slot <= min(last, l.head); slot++ {
		if !l.isSkipped(slot) {
			list = append(list, slot)
		}
	}
	return list, nil
}

func getBlock(l *Ledger, p params) (any, *rpcFailure) {
	var slot uint64
	var o options
	if failed := p.into(0, &slot); failed != nil {
		return nil, failed
	}
	if failed := p.into(1, &o); failed != nil {
		return nil, failed
	}
	if failed := l.noBlock(slot); failed != nil {
		return nil, failed
	}
	parent := slot - 1
	for l.isSkipped(parent) {
		parent--
	}
	b := map[string]any{
		"blockhash": l.blockhash(slot).String(), "previousBlockhash": l.blockhash(parent).String(), "parentSlot": parent,
		"blockHeight": l.height(slot), "blockTime": l.timeOf(slot).Unix(),
	}
	var results []*result
	if s, ok := l.slots[slot]; ok {
		results = s.results
	}
	switch o.Details {
	case "none":
	case "signatures":
		list := []string{}
		for _, r := range results {
			list = append(list, r.signature.String())
		}
		b["signatures"] = list
	default:
		list := []any{}
		for _, r := range results {
			list = append(list, l.shownTransaction(r))
		}
		b["transactions"] = list
	}
	return b, nil
}

func getSignaturesForAddress(l *Ledger, p params) (any, *rpcFailure) {
	const most = 1_000
	key, failed := p.key()
	if failed != nil {
		return nil, failed
	}
	var o options
	if failed := p.into(1, &o); failed != nil {
		return nil, failed
	}
	slot, failed := l.at(o)
	if failed != nil {
		return nil, failed
	}
	limit := most
	if o.Limit != nil {
		limit = *o.Limit
	}
	if limit < 1 || limit > most {
		return nil, badParams("Invalid limit; max %d", most)
	}
	list := []any{}
	passed := o.Before == ""
	for _, r := range slices.Backward(l.history[key]) {
		text := r.signature.String()
		if text == o.Until || len(list) == limit {
			break
		}
		if !passed || r.slot > slot {
			passed = passed || text == o.Before
			continue
		}
		list = append(list, map[string]any{
			"signature": text, "slot": r.slot, "err": r.failed, "memo": nil,
			"blockTime": l.timeOf(r.slot).Unix(), "confirmationStatus": l.status(r),
		})
	}
	return list, nil
}

// status is how sure a transaction is.
func (l *Ledger) status(r *result) string {
	switch {
	case r.slot == 0:
		return "processed"
	case r.slot <= l.finalSlot():
		return "finalized"
	}
	return "confirmed"
}

func getSignatureStatuses(l *Ledger, p params) (any, *rpcFailure) {
	const most = 256
	var texts []string
	if failed := p.into(0, &texts); failed != nil {
		return nil, failed
	}
	if len(texts) > most {
		return nil, badParams("Too many inputs provided; max %d", most)
	}
	list := make([]any, len(texts))
	for i, text := range texts {
		signature, err := solana.SignatureFromBase58(text)
		if err != nil {
			return nil, badParams("Invalid param: Invalid")
		}
		r, ok := l.results[signature]
		if !ok {
			continue
		}
		slot := r.slot
		if slot == 0 {
			slot = l.next()
		}
		var confirmations any
		if s := l.status(r); s != "finalized" {
			confirmations = l.head - min(l.head, slot)
		}
		status := map[string]any{"Ok": nil}
		if r.failed != nil {
			status = map[string]any{"Err": r.failed}
		}
		list[i] = map[string]any{"slot": slot, "confirmations": confirmations, "err": r.failed, "status": status, "confirmationStatus": l.status(r)}
	}
	return inContext(l.head, list), nil
}

func getTransaction(l *Ledger, p params) (any, *rpcFailure) {
	var text string
	if failed := p.into(0, &text); failed != nil {
		return nil, failed
	}
	signature, err := solana.SignatureFromBase58(text)
	if err != nil {
		return nil, badParams("Invalid param: Invalid")
	}
	var o options
	if failed := p.into(1, &o); failed != nil {
		return nil, failed
	}
	slot, failed := l.at(o)
	if failed != nil {
		return nil, failed
	}
	r, ok := l.results[signature]
	if !ok || r.slot == 0 || r.slot > slot {
		return nil, nil
	}
	shown := l.shownTransaction(r)
	shown["slot"], shown["blockTime"] = r.slot, l.timeOf(r.slot).Unix()
	return shown, nil
}

func requestAirdrop(l *Ledger, p params) (any, *rpcFailure) {
	key, failed := p.key()
	if failed != nil {
		return nil, failed
	}
	var lamports uint64
	if failed := p.into(1, &lamports); failed != nil {
		return nil, failed
	}
	l.mu.Unlock() // FundSOL takes its turn
	signature, err := l.FundSOL(key, lamports)
	l.mu.Lock()
	if err != nil {
		return nil, &rpcFailure{Code: codePreflight, Message: err.Error()}
	}
	return signature.String(), nil
}

// rawParam reads an encoded transaction.
func (p params) raw(o options) ([]byte, *rpcFailure) {
	var text string
	if failed := p.into(0, &text); failed != nil {
		return nil, failed
	}
	raw, err := base58.Decode(text)
	if o.Encoding == "base64" {
		raw, err = base64.StdEncoding.DecodeString(text)
	}
	if err != nil {
		return nil, badParams("invalid %s encoding: %s", o.Encoding, err)
	}
	return raw, nil
}

func sendTransaction(l *Ledger, p params) (any, *rpcFailure) {
	var o options
	if failed := p.into(1, &o); failed != nil {
		return nil, failed
	}
	raw, failed := p.raw(o)
	if failed != nil {
		return nil, failed
	}
	tx, err := decode(raw)
	if err != nil {
		return nil, badParams("failed to deserialize transaction: %s", err)
	}
	if err := tx.VerifySignatures(); err != nil {
		return nil, &rpcFailure{Code: codeSignature, Message: "Transaction signature verification failure"}
	}
	signature := tx.Signatures[0].String()
	if !o.SkipPreflight {
		if why, logs := l.tries(tx); why != nil {
			return nil, &rpcFailure{
				Code: codePreflight, Message: "Transaction simulation failed: " + why.Error(),
				Data: map[string]any{"err": why, "logs": logs},
			}
		}
	}
	// What cannot be included is dropped without a word, as on the cluster.
	_, _ = l.take(tx, raw, false)
	return signature, nil
}

// tries carries a transaction out without keeping what it did.
func (l *Ledger) tries(tx *solana.Transaction) (*failure, []string) {
	if _, twice := l.results[tx.Signatures[0]]; twice {
		return failProcessed, nil
	}
	if !l.recent(tx.Message.RecentBlockhash) {
		return failBlockhash, nil
	}
	r, _, failed := l.config.execute(tx, l.working)
	if failed != nil {
		return failed, nil
	}
	return r.failed, r.logs
}

func simulateTransaction(l *Ledger, p params) (any, *rpcFailure) {
	var o options
	if failed := p.into(1, &o); failed != nil {
		return nil, failed
	}
	raw, failed := p.raw(o)
	if failed != nil {
		return nil, failed
	}
	tx, err := decode(raw)
	if err != nil {
		return nil, badParams("failed to deserialize transaction: %s", err)
	}
	if o.ReplaceHash {
		tx.Message.RecentBlockhash = l.blockhash(l.head)
	}
	if o.SigVerify && tx.VerifySignatures() != nil {
		return nil, &rpcFailure{Code: codeSignature, Message: "Transaction signature verification failure"}
	}
	why, logs := l.tries(tx)
	return inContext(l.head, map[string]any{"err": why, "logs": logs, "accounts": nil, "unitsConsumed": unitsUsed(tx)}), nil
}

// unitsUsed is a guess at the compute a transaction takes: the ledger measures
// none.
func unitsUsed(tx *solana.Transaction) uint64 {
	const each = 5_000
	return uint64(len(tx.Message.Instructions)) * each
}
