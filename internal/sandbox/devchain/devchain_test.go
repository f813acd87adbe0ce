package devchain_test

import (
	"testing"

	"github.com/florinpay/florin/internal/sandbox/devchain"
)

func start(t *testing.T, config devchain.Config) *devchain.Chain {
	t.Helper()
	chain, err := devchain.Start(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := chain.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := chain.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	return chain
}

func TestChain_Setup(t *testing.T) {
	t.Parallel()
	chain := start(t, devchain.Config{ChainID: 56, Decimals: 18})
	before, err := chain.Client().BlockNumber(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := chain.Setup(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after, err := chain.Client().BlockNumber(t.Context()); err != nil || after != before {
		t.Errorf("setup again made blocks: %d, then %d (%v)", before, after, err)
	}
}
