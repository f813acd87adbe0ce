package solana_test

import (
	"testing"

	"github.com/florinpay/florin/internal/chain/chaintest"
)

// TestReader_Surfpool runs the suite on the real runtime. It cannot be made to
// fork.
func TestReader_Surfpool(t *testing.T) {
	t.Parallel()
	chaintest.RunReader(t, func(t *testing.T) chaintest.Harness { return newSurfpool(t) })
}
