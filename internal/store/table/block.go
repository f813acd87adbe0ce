package table

import (
	"fmt"
	"math"

	"github.com/florinpay/florin/internal/chain"
)

// BlockNumber returns the number of a block as it is stored. Both databases hold numbers up to 2^63 - 1, a block
// number up to 2^64 - 1. No chain comes near either, but a faulty endpoint may report any number.
func BlockNumber(h chain.Head) (int64, error) {
	if h.Number > math.MaxInt64 {
		return 0, fmt.Errorf("block number %d is out of range", h.Number)
	}
	return int64(h.Number), nil
}
