package rpc

import (
	"context"
	"encoding/json"

	"github.com/florinpay/florin/internal/chain"
)

// Signature is a transaction that named an address.
type Signature struct {
	Signature string          `json:"signature"`
	Slot      uint64          `json:"slot"`
	Err       json.RawMessage `json:"err"`
}

// Failed reports whether the transaction was included without effect.
func (s Signature) Failed() bool { return len(s.Err) > 0 && string(s.Err) != "null" }

// Page lists at most limit transactions that named the address, newest first, starting before the given
// signature if there is one.
func (w *Client) Page(ctx context.Context, address, before string, limit int) ([]Signature, error) {
	o := Options{"limit": limit, "commitment": Confirmed}
	if before != "" {
		o["before"] = before
	}
	var page []Signature
	if err := w.Ask(ctx, &page, "getSignaturesForAddress", address, o); err != nil {
		return nil, err
	}
	for i, s := range page {
		if _, ok := ParseSignature(chain.TxHash(s.Signature)); !ok || i > 0 && s.Slot > page[i-1].Slot {
			return nil, Malformed("signatures of %s", address)
		}
	}
	return page, nil
}

// NewestSigned returns the newest transaction that named the address; its signature is empty if there is
// none.
func (w *Client) NewestSigned(ctx context.Context, address string) (Signature, error) {
	page, err := w.Page(ctx, address, "", 1)
	if err != nil || len(page) == 0 {
		return Signature{}, err
	}
	return page[0], nil
}
