package evm_test

import (
	"testing"

	"github.com/florinpay/florin/internal/chain"
)

func TestSubscriptions_Anvil(t *testing.T) {
	t.Parallel()
	a := newAnvil(t, chain.Base)
	pushes(t, a, a.reader, a.url)
}
