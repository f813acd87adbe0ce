package devsol

import (
	"encoding/base64"
	"slices"

	solana "github.com/gagliardetto/solana-go"
	"github.com/mr-tron/base58"
)

func getFeeForMessage(l *Ledger, p *params) any {
	var text string
	p.into(0, &text)
	var m solana.Message
	if err := m.UnmarshalBase64(text); err != nil {
		return p.badParams("failed to deserialize message: %s", err)
	}
	return l.reading(p, 1, func(uint64) any {
		price, limit, failed := computeBudget(&m)
		if failed != nil || !l.recent(m.RecentBlockhash) {
			return nil
		}
		return fee(int(m.Header.NumRequiredSignatures), price, limit)
	})
}

func getSignaturesForAddress(l *Ledger, p *params) any {
	const most = 1_000
	key := p.key()
	var o options
	p.into(1, &o)
	slot := p.at(l, o)
	limit := most
	if o.Limit != nil {
		limit = *o.Limit
	}
	if limit < 1 || limit > most {
		return p.badParams("Invalid limit; max %d", most)
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
	return list
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

func getSignatureStatuses(l *Ledger, p *params) any {
	const most = 256
	var texts []string
	p.into(0, &texts)
	if len(texts) > most {
		return p.badParams("Too many inputs provided; max %d", most)
	}
	list := make([]any, len(texts))
	for i, text := range texts {
		signature, err := solana.SignatureFromBase58(text)
		if err != nil {
			return p.badParams("Invalid param: Invalid")
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
		list[i] = map[string]any{
			"slot": slot, "confirmations": confirmations, "err": r.failed, "status": r.status(),
			"confirmationStatus": l.status(r),
		}
	}
	return inContext(l.head, list)
}

func getTransaction(l *Ledger, p *params) any {
	var text string
	p.into(0, &text)
	signature, err := solana.SignatureFromBase58(text)
	if err != nil {
		return p.badParams("Invalid param: Invalid")
	}
	var o options
	p.into(1, &o)
	slot := p.at(l, o)
	r, ok := l.results[signature]
	if !ok || r.slot == 0 || r.slot > slot {
		return nil
	}
	shown := l.shownTransaction(r)
	shown["slot"], shown["blockTime"] = r.slot, l.timeOf(r.slot).Unix()
	return shown
}

// raw reads an encoded transaction.
func (p *params) raw(o options) []byte {
	var text string
	p.into(0, &text)
	raw, err := base58.Decode(text)
	if o.Encoding == "base64" {
		raw, err = base64.StdEncoding.DecodeString(text)
	}
	if err != nil {
		p.badParams("invalid %s encoding: %s", o.Encoding, err)
	}
	return raw
}

func sendTransaction(l *Ledger, p *params) any {
	var o options
	p.into(1, &o)
	raw := p.raw(o)
	tx, err := decode(raw)
	if err != nil {
		return p.badParams("failed to deserialize transaction: %s", err)
	}
	if err := tx.VerifySignatures(); err != nil {
		return p.fail(rpcFailure{Code: codeSignature, Message: "Transaction signature verification failure"})
	}
	signature := tx.Signatures[0].String()
	if !o.SkipPreflight {
		if why, logs := l.tries(tx); why != nil {
			return p.fail(rpcFailure{
				Code: codePreflight, Message: "Transaction simulation failed: " + why.Error(),
				Data: map[string]any{"err": why, "logs": logs},
			})
		}
	}
	if p.failed == nil {
		_, _ = l.take(tx, raw, false) // what cannot be included is dropped without a word, as on the cluster
	}
	return signature
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

func simulateTransaction(l *Ledger, p *params) any {
	var o options
	p.into(1, &o)
	raw := p.raw(o)
	tx, err := decode(raw)
	if err != nil {
		return p.badParams("failed to deserialize transaction: %s", err)
	}
	if o.ReplaceHash {
		tx.Message.RecentBlockhash = l.blockhash(l.head)
	}
	if o.SigVerify && tx.VerifySignatures() != nil {
		return p.fail(rpcFailure{Code: codeSignature, Message: "Transaction signature verification failure"})
	}
	why, logs := l.tries(tx)
	tried := map[string]any{"err": why, "logs": logs, "accounts": nil, "unitsConsumed": unitsUsed(tx)}
	return inContext(l.head, tried)
}

// unitsUsed is a guess at the compute a transaction takes: the ledger measures
// none.
func unitsUsed(tx *solana.Transaction) uint64 {
	const each = 5_000
	return uint64(len(tx.Message.Instructions)) * each
}
