package rpc

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/mr-tron/base58"
)

// maxVersion is the newest transaction version that is requested. Nodes refuse to return a block or a
// transaction of a newer version than the requested one.
const maxVersion = 1

// TxStatus is what a node knows of a signature.
type TxStatus struct {
	Slot         uint64          `json:"slot"`
	Err          json.RawMessage `json:"err"`
	Confirmation string          `json:"confirmationStatus"`
}

// Failed reports whether the transaction was included without effect.
func (s *TxStatus) Failed() bool { return s != nil && len(s.Err) > 0 && string(s.Err) != "null" }

// Final reports whether its block is final.
func (s *TxStatus) Final() bool { return s != nil && s.Confirmation == Finalized }

// Included reports whether the transaction is in a block that the cluster confirmed.
func (s *TxStatus) Included() bool {
	return s != nil && (s.Confirmation == Finalized || s.Confirmation == Confirmed)
}

// Statuses returns the status of each signature, however old; that of an unknown one is nil. Finality is
// always taken from here: nothing verifies the commitment at which a node claims to have read other answers.
func (w *Client) Statuses(ctx context.Context, signatures []string) (map[string]*TxStatus, error) {
	bySignature, _, err := w.StatusesAt(ctx, signatures)
	return bySignature, err
}

// StatusesAt is Statuses with the node's slot at the time of the answer: the oldest one, where that took
// several calls.
func (w *Client) StatusesAt(
	ctx context.Context, signatures []string,
) (bySignature map[string]*TxStatus, slot uint64, err error) {
	all := make([]*TxStatus, len(signatures))
	slots := make([]uint64, (len(signatures)+StatusesPerCall-1)/StatusesPerCall)
	err = Each(ctx, signatures, StatusesPerCall, func(ctx context.Context, part []string, at int) error {
		var answer struct {
			Context struct {
				Slot uint64 `json:"slot"`
			} `json:"context"`
			Value []*TxStatus `json:"value"`
		}
		if err := w.Ask(
			ctx, &answer, "getSignatureStatuses", part, Options{"searchTransactionHistory": true},
		); err != nil {
			return err
		}
		if len(answer.Value) != len(part) {
			return endpoint.OfItem(Malformed("%d statuses instead of %d", len(answer.Value), len(part)), true)
		}
		copy(all[at:], answer.Value)
		slots[at/StatusesPerCall] = answer.Context.Slot
		return nil
	})
	if err != nil || len(slots) == 0 {
		return nil, 0, err
	}
	bySignature = make(map[string]*TxStatus, len(signatures))
	for i, s := range signatures {
		bySignature[s] = all[i]
	}
	return bySignature, slices.Min(slots), nil
}

// Transaction reads a transaction; it is nil where the node has none. That the node cannot return it, or not in a form
// that can be read, is no failure of the node.
func (w *Client) Transaction(ctx context.Context, signature string) (*Transaction, error) {
	var t *Transaction
	err := w.Ask(ctx, &t, "getTransaction", signature, Options{
		"encoding": "json", "commitment": Confirmed, "maxSupportedTransactionVersion": maxVersion,
	})
	if err != nil || t == nil {
		return nil, NotTheNodes(err)
	}
	if !t.Valid(signature) {
		return nil, NotTheNodes(Malformed("transaction %s", signature))
	}
	return t, nil
}

// ParseSignature checks the base58 text of a signature.
func ParseSignature(tx chain.TxHash) (string, bool) {
	const size = 64
	if len(tx) > 88 {
		return "", false
	}
	b, err := base58.Decode(string(tx))
	return string(tx), err == nil && len(b) == size
}
