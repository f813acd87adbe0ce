package sender

import (
	"math/big"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// takenNonces are the nonces of the gas wallet that sweeps in flight have, with the most that each may cost.
type takenNonces map[uint64]*big.Int

// takenBy returns the nonces of today's gas wallet among the attempts.
func (s *Sweeps) takenBy(attempts []chain.Attempt) (takenNonces, error) {
	list, err := s.groups(attempts)
	if err != nil {
		return nil, err
	}
	taken := make(takenNonces)
	for _, g := range list {
		if !s.signedNow(g) {
			continue
		}
		most := new(big.Int)
		for _, a := range g.attempts {
			most = larger(most, a.Fee.Ceiling.Big())
		}
		taken[g.nonce] = most
	}
	return taken, nil
}

// next returns the nonce of the next attempt of a sweep, and the attempts that it replaces: the previous ones, unless a
// nonce below theirs is free and nothing that is pending has it.
func (t takenNonces) next(acc rpc.Account, previous []chain.Attempt) (nonce uint64, replaced []chain.Attempt) {
	lowest := t.free(acc.Nonce)
	if len(previous) == 0 || lowest < previous[0].Nonce && acc.Pending <= lowest {
		return lowest, nil
	}
	return previous[0].Nonce, previous
}

// free returns the lowest nonce from the one given on that is not taken.
func (t takenNonces) free(nonce uint64) uint64 {
	for {
		if _, is := t[nonce]; !is {
			return nonce
		}
		nonce++
	}
}

// cost is the most that the transactions with nonces from the one given on may take together.
func (t takenNonces) cost(from uint64) *big.Int {
	sum := new(big.Int)
	for nonce, most := range t {
		if nonce >= from {
			sum.Add(sum, most)
		}
	}
	return sum
}
