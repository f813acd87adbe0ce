package solana_test

import (
	"testing"

	"github.com/florinpay/florin/internal/chain/chaintest"
)

func TestReader_Devsol(t *testing.T) {
	t.Parallel()
	chaintest.RunReader(t, func(t *testing.T) chaintest.Harness { return newLedger(t) })
	chaintest.RunForks(t, func(t *testing.T) chaintest.Forker { return newLedger(t) })
}
