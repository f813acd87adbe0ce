package solana

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/mr-tron/base58"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/effect"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// maxVersion is the newest transaction version that is requested. Nodes refuse to return a block or a
// transaction of a newer version than the requested one.
const maxVersion = 1

// status is what a node knows of a signature.
type status struct {
	Slot         uint64          `json:"slot"`
	Err          json.RawMessage `json:"err"`
	Confirmation string          `json:"confirmationStatus"`
}

func (s *status) failed() bool { return s != nil && len(s.Err) > 0 && string(s.Err) != "null" }

func (s *status) final() bool { return s != nil && s.Confirmation == finalized }

// included reports whether the transaction is in a block that the cluster confirmed.
func (s *status) included() bool {
	return s != nil && (s.Confirmation == finalized || s.Confirmation == confirmed)
}

// statuses returns the status of each signature, however old; that of an unknown one is nil. Finality is
// always taken from here: nothing verifies the commitment at which a node claims to have read other answers.
func (e *endpoint) statuses(ctx context.Context, signatures []string) (map[string]*status, error) {
	bySignature, _, err := e.statusesAt(ctx, signatures)
	return bySignature, err
}

// statusesAt is statuses with the node's slot at the time of the answer: the oldest one, where that took
// several calls.
func (e *endpoint) statusesAt(
	ctx context.Context, signatures []string,
) (bySignature map[string]*status, slot uint64, err error) {
	all := make([]*status, len(signatures))
	slots := make([]uint64, (len(signatures)+statusesPerCall-1)/statusesPerCall)
	err = each(ctx, signatures, statusesPerCall, func(ctx context.Context, part []string, at int) error {
		var answer struct {
			Context struct {
				Slot uint64 `json:"slot"`
			} `json:"context"`
			Value []*status `json:"value"`
		}
		if err := e.ask(
			ctx, &answer, "getSignatureStatuses", part, options{"searchTransactionHistory": true},
		); err != nil {
			return err
		}
		if len(answer.Value) != len(part) {
			return rpc.Malformed("%d statuses instead of %d", len(answer.Value), len(part))
		}
		copy(all[at:], answer.Value)
		slots[at/statusesPerCall] = answer.Context.Slot
		return nil
	})
	if err != nil || len(slots) == 0 {
		return nil, 0, err
	}
	bySignature = make(map[string]*status, len(signatures))
	for i, s := range signatures {
		bySignature[s] = all[i]
	}
	return bySignature, slices.Min(slots), nil
}

// transaction reads a transaction; it is nil where the node has none. That the node cannot return it, or not in a form
// that can be read, is no failure of the node.
func (e *endpoint) transaction(ctx context.Context, signature string) (*effect.Transaction, error) {
	var t *effect.Transaction
	err := e.ask(ctx, &t, "getTransaction", signature, options{
		"encoding": "json", "commitment": confirmed, "maxSupportedTransactionVersion": maxVersion,
	})
	if err != nil || t == nil {
		return nil, notTheNodes(err)
	}
	if !t.Valid(signature) {
		return nil, notTheNodes(rpc.Malformed("transaction %s", signature))
	}
	return t, nil
}

// parseSignature checks the base58 text of a signature.
func parseSignature(tx chain.TxHash) (string, bool) {
	const size = 64
	if len(tx) > 88 {
		return "", false
	}
	b, err := base58.Decode(string(tx))
	return string(tx), err == nil && len(b) == size
}
