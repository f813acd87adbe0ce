package rpc

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"

	solanago "github.com/gagliardetto/solana-go"
)

// Blockhash returns a recent blockhash and the last block height at which a transaction with it can be
// included.
func (w *Client) Blockhash(ctx context.Context) (solanago.Hash, uint64, error) {
	var answer struct {
		Value struct {
			Blockhash solanago.Hash `json:"blockhash"`
			Until     uint64        `json:"lastValidBlockHeight"`
		} `json:"value"`
	}
	err := w.Ask(ctx, &answer, "getLatestBlockhash", Options{"commitment": Confirmed})
	if err == nil && (answer.Value.Until == 0 || answer.Value.Until > maxHeight || answer.Value.Blockhash.IsZero()) {
		err = Malformed("getLatestBlockhash")
	}
	return answer.Value.Blockhash, answer.Value.Until, err
}

// Price returns the recent priority fee in micro-lamports a compute unit, at pricePercentile.
func (w *Client) Price(ctx context.Context, writable []string) (uint64, error) {
	var slots []struct {
		Fee uint64 `json:"prioritizationFee"`
	}
	const most = 128 // limit of the call
	if err := w.Ask(ctx, &slots, "getRecentPrioritizationFees", writable[:min(len(writable), most)]); err != nil {
		return 0, err
	}
	fees := make([]uint64, len(slots))
	for i, s := range slots {
		fees[i] = s.Fee
	}
	if len(fees) == 0 {
		return 0, nil
	}
	slices.Sort(fees)
	return fees[min(len(fees)*pricePercentile/100, len(fees)-1)], nil
}

// Simulate has the node run signed bytes; why is the reason of a failure.
func (w *Client) Simulate(ctx context.Context, bytes []byte) (units uint64, why string, err error) {
	var answer struct {
		Value struct {
			Err   json.RawMessage `json:"err"`
			Units uint64          `json:"unitsConsumed"`
		} `json:"value"`
	}
	err = w.Ask(ctx, &answer, "simulateTransaction", base64.StdEncoding.EncodeToString(bytes),
		Options{"encoding": "base64", "commitment": Confirmed, "sigVerify": true})
	if err != nil {
		return 0, "", err
	}
	if text := string(answer.Value.Err); text != "" && text != "null" {
		return 0, w.Redact(text), nil
	}
	return answer.Value.Units, "", nil
}

// Rent returns the minimum balance of an account of the size, in lamports.
func (w *Client) Rent(ctx context.Context, size int) (lamports uint64, err error) {
	err = w.Ask(ctx, &lamports, "getMinimumBalanceForRentExemption", size)
	return lamports, err
}

// BlockHeight returns the height of the newest block that the node knows.
func (w *Client) BlockHeight(ctx context.Context) (height uint64, err error) {
	err = w.Ask(ctx, &height, "getBlockHeight", Options{"commitment": Confirmed})
	return height, err
}

// Progress is a finalized slot and the height of its block, of one answer: height and slot from two answers may
// be of two nodes.
type Progress struct {
	Slot   uint64 `json:"absoluteSlot"`
	Height uint64 `json:"blockHeight"`
}

// Progress reads how far the chain is final.
func (w *Client) Progress(ctx context.Context) (p Progress, err error) {
	err = w.Ask(ctx, &p, "getEpochInfo", Options{"commitment": Finalized})
	if err == nil && (p.Height == 0 || p.Height > p.Slot) {
		err = Malformed("getEpochInfo")
	}
	return p, err
}

// pricePercentile: the price offered exceeds that of so many per cent of the recent slots.
const pricePercentile = 75
