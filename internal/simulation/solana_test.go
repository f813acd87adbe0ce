package simulation

import (
	"slices"
	"sync"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/wallet"
)

// Wallets of the simulation on Solana.
const (
	solanaWallet   = chain.Address("HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk")
	solanaTreasury = chain.Address("Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb")
)

// solanaDeep is by how many slots the finalized one trails the newest.
const solanaDeep = 7

// solanaLife is for how many blocks a transaction can be included.
const solanaLife = 30

// solanaSeed is the fixed seed from which deposit addresses derive. Reading it is slow by design.
var solanaSeed = sync.OnceValues(func() (*wallet.Seed, error) {
	return wallet.ParseSeed(secret.New("legal winner thank year wave sausage worth useful legal winner thank yellow"))
})

func (w *world) solanaDepositor() chain.Depositor {
	seed, err := solanaSeed()
	w.must(err)
	return solana.NewDepositor(seed)
}

// limit gives the transaction the last block that may include it, on the network where transactions expire. There,
// a new attempt is signed only when no earlier one can be included any more: both would be.
func (s *sender) limit(t *sweepTx, previous []chain.Attempt) {
	if s.Network() != chain.Solana {
		return
	}
	for _, a := range previous {
		if b, _ := s.chain.find(a.Tx, len(s.chain.blocks)); b != nil || a.Until > s.chain.head().Number {
			s.w.failf("another attempt of a sweep is signed while %s can be included", a.Tx)
		}
	}
	t.Nonce, t.Until = 0, s.chain.blocks[s.height()-1].Number+solanaLife
}

// expired reports whether no attempt can be included any more: the final block is past the last that may include one.
func (s *sender) expired(attempts []chain.Attempt, final uint64) bool {
	return !slices.ContainsFunc(attempts, func(a chain.Attempt) bool { return a.Until == 0 || a.Until >= final })
}
