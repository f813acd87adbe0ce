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

// Page lists at most limit transactions that named the address, newest first, starting before the given signature if
// there is one. last says that nothing follows. A page that is shorter than was asked for may be cut by the node: then
// another one must be asked for.
func (w *Client) Page(ctx context.Context, address, before string, limit int) (page []Signature, last bool, err error) {
	restore := w.known(&w.limits.signatures)
	asked := w.size(&w.limits.signatures, limit)
	page, err = w.page(ctx, address, before, asked)
	for err != nil && w.refuse(&w.limits.signatures, asked, err) {
		asked = w.size(&w.limits.signatures, limit)
		page, err = w.page(ctx, address, before, asked)
	}
	switch {
	case err != nil:
		restore() // fewer do not help
		return nil, false, err
	case len(page) > 0 && before != "":
		w.continued(before, asked)
	}
	if len(page) == asked && asked > 1 {
		w.accept(&w.limits.signatures, asked)
	}
	if len(page) >= smallestCap && len(page) < asked {
		w.cut(page[len(page)-1].Signature, len(page))
	}
	return page, len(page) < min(asked, smallestCap), nil
}

// page is Page in one call.
func (w *Client) page(ctx context.Context, address, before string, limit int) ([]Signature, error) {
	o := Options{"limit": limit, "commitment": Confirmed}
	if before != "" {
		o["before"] = before
	}
	var page []Signature
	if err := w.Ask(ctx, &page, "getSignaturesForAddress", address, o); err != nil {
		return nil, err
	}
	for i, s := range page {
		_, ok := ParseSignature(chain.TxHash(s.Signature))
		if !ok || s.Slot > maxHeight || i > 0 && s.Slot > page[i-1].Slot {
			return nil, Malformed("signatures of %s", address)
		}
	}
	return page, nil
}

// NewestSigned returns the newest transaction that named the address; its signature is empty if there is
// none.
func (w *Client) NewestSigned(ctx context.Context, address string) (Signature, error) {
	page, err := w.page(ctx, address, "", 1)
	if err != nil || len(page) == 0 {
		return Signature{}, err
	}
	return page[0], nil
}
