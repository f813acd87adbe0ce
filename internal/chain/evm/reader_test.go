package evm_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
)

func TestReader_Script(t *testing.T) {
	t.Parallel()
	chaintest.RunReader(t, func(t *testing.T) chaintest.Harness { return newScript(t, 1) })
}

func TestReader_ScriptTwoEndpoints(t *testing.T) {
	t.Parallel()
	chaintest.RunReader(t, func(t *testing.T) chaintest.Harness { return newScript(t, 2) })
}

func TestReader_ScriptDepth(t *testing.T) {
	t.Parallel()
	chaintest.RunReader(t, func(t *testing.T) chaintest.Harness {
		return &scriptDeep{newScript(t, 1, func(p *chain.Profile) {
			p.Finality = chain.Finality{Depth: 12 * time.Second}
		})}
	})
}

func TestReader_Geth(t *testing.T) {
	t.Parallel()
	chaintest.RunReader(t, func(t *testing.T) chaintest.Harness { return newGeth(t, chain.BEP20) })
}
