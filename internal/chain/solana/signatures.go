package solana

import (
	"context"
	"encoding/json"
)

// signed is a transaction that named an address.
type signed struct {
	Signature string          `json:"signature"`
	Slot      uint64          `json:"slot"`
	Err       json.RawMessage `json:"err"`
}

func (s signed) failed() bool { return len(s.Err) > 0 && string(s.Err) != "null" }

// maxPages bounds the history of one address: three million transactions.
const maxPages = 3_000

// signatures lists the transactions that named the address in the slot or
// after it, the newest first, with at most one page of older ones.
func (e *endpoint) signatures(ctx context.Context, address string, slot uint64) ([]signed, error) {
	return e.page(ctx, address, slot, signaturesPerPage)
}

// page is signatures with so many in one answer.
func (e *endpoint) page(ctx context.Context, address string, slot uint64, limit int) ([]signed, error) {
	var all []signed
	before := ""
	for range maxPages {
		o := options{"limit": limit, "commitment": confirmed}
		if before != "" {
			o["before"] = before
		}
		var page []signed
		if err := e.ask(ctx, &page, "getSignaturesForAddress", address, o); err != nil {
			return nil, err
		}
		for i, s := range page {
			if s.Signature == "" || i > 0 && s.Slot > page[i-1].Slot {
				return nil, malformed("signatures of %s", address)
			}
		}
		all = append(all, page...)
		if len(page) < limit || page[len(page)-1].Slot < slot {
			return all, nil
		}
		before = page[len(page)-1].Signature
	}
	return nil, malformed("a history of %s without an end", address)
}

// newestSignature returns the newest transaction that named the address; empty
// if none did.
func (e *endpoint) newestSignature(ctx context.Context, address string) (string, error) {
	var page []signed
	err := e.ask(ctx, &page, "getSignaturesForAddress", address, options{"limit": 1, "commitment": confirmed})
	if err != nil || len(page) == 0 {
		return "", err
	}
	return page[0].Signature, nil
}
