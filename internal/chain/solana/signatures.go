package solana

import (
	"context"
	"encoding/json"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// signatureInfo is a transaction that named an address.
type signatureInfo struct {
	Signature string          `json:"signature"`
	Slot      uint64          `json:"slot"`
	Err       json.RawMessage `json:"err"`
}

func (s signatureInfo) failed() bool { return len(s.Err) > 0 && string(s.Err) != "null" }

// page lists at most limit transactions that named the address, newest first, starting before the given
// signature if there is one.
func (e *endpoint) page(ctx context.Context, address, before string, limit int) ([]signatureInfo, error) {
	o := options{"limit": limit, "commitment": confirmed}
	if before != "" {
		o["before"] = before
	}
	var page []signatureInfo
	if err := e.ask(ctx, &page, "getSignaturesForAddress", address, o); err != nil {
		return nil, err
	}
	for i, s := range page {
		if _, ok := parseSignature(chain.TxHash(s.Signature)); !ok || i > 0 && s.Slot > page[i-1].Slot {
			return nil, rpc.Malformed("signatures of %s", address)
		}
	}
	return page, nil
}

// newestSigned returns the newest transaction that named the address; its signature is empty if there is
// none.
func (e *endpoint) newestSigned(ctx context.Context, address string) (signatureInfo, error) {
	page, err := e.page(ctx, address, "", 1)
	if err != nil || len(page) == 0 {
		return signatureInfo{}, err
	}
	return page[0], nil
}
