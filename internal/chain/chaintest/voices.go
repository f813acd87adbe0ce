package chaintest

import (
	"context"

	"github.com/florinpay/florin/internal/chain"
)

// ScanTwice scans through as many voices as must say the same, and returns what any of them reports, each transfer
// once.
func ScanTwice(
	ctx context.Context, r chain.Reader, from uint64, to chain.Head, watch *chain.WatchSet,
) ([]chain.Transfer, error) {
	var all []chain.Transfer
	known := make(map[chain.TransferID]bool)
	for heard := []string(nil); len(heard) < r.Quorum(); {
		found, by, err := r.Scan(ctx, from, to, watch, heard...)
		if err != nil {
			return nil, err
		}
		heard = append(heard, by)
		for _, t := range found {
			if !known[t.ID()] {
				known[t.ID()] = true
				all = append(all, t)
			}
		}
	}
	return all, nil
}

// Recorded returns the transfer as one that was recorded, and that nobody reports now.
func Recorded(t chain.Transfer) []chain.Transfer {
	t.Source = ""
	return []chain.Transfer{t}
}
