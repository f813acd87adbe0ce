package evm_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
)

// conform runs all there is for a chain that can be reorganised.
func conform(t *testing.T, start func(t *testing.T) chaintest.Forker) {
	t.Helper()
	chaintest.RunReader(t, func(t *testing.T) chaintest.Harness { return start(t) })
	chaintest.RunForks(t, start)
}

func TestReader_Script(t *testing.T) {
	t.Parallel()
	conform(t, func(t *testing.T) chaintest.Forker { return newScript(t, 1) })
}

func TestReader_ScriptTwoEndpoints(t *testing.T) {
	t.Parallel()
	conform(t, func(t *testing.T) chaintest.Forker { return newScript(t, 2) })
}

func TestReader_ScriptDepth(t *testing.T) {
	t.Parallel()
	conform(t, func(t *testing.T) chaintest.Forker {
		return &scriptDeep{newScript(t, 1, func(p *chain.Profile) {
			p.Finality = chain.Finality{Depth: 12 * time.Second}
		})}
	})
}

func TestReader_Geth(t *testing.T) {
	t.Parallel()
	conform(t, func(t *testing.T) chaintest.Forker { return newGeth(t, chain.BEP20) })
}
