package devchain

import (
	"cmp"
	"errors"
	"maps"
	"math/big"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/state"
	"github.com/ethereum/go-ethereum/core/txpool"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/params"
)

// pool holds the transactions that wait for a block, by sender and nonce. Its rules are those of geth's pool
// without a limit to its size.
type pool struct {
	rules    *params.ChainConfig
	signer   types.Signer
	known    map[common.Hash]*types.Transaction
	of       map[common.Address]map[uint64]pooled
	arrivals uint64
}

type pooled struct {
	*types.Transaction
	arrival uint64
}

func newPool(rules *params.ChainConfig, signer types.Signer) *pool {
	p := &pool{rules: rules, signer: signer}
	p.clear()
	return p
}

func (p *pool) clear() {
	p.known = make(map[common.Hash]*types.Transaction)
	p.of = make(map[common.Address]map[uint64]pooled)
}

// Limits of a transaction that the pool takes, as in geth.
const (
	maxTxSize    = 128 << 10 // bytes
	minTip       = 1         // wei per gas
	replaceBump  = 10        // per cent that a replacement must pay more
	acceptedType = 1<<types.LegacyTxType | 1<<types.AccessListTxType | 1<<types.DynamicFeeTxType |
		1<<types.SetCodeTxType
)

// add takes a transaction that is valid on the head, with any nonce that is not used yet.
func (p *pool) add(tx *types.Transaction, head *types.Header, on *state.StateDB) error {
	if p.known[tx.Hash()] != nil {
		return txpool.ErrAlreadyKnown
	}
	err := txpool.ValidateTransaction(tx, head, p.signer, &txpool.ValidationOptions{
		Config: p.rules, Accept: acceptedType, MaxSize: maxTxSize, MinTip: big.NewInt(minTip),
	})
	if err != nil {
		return err
	}
	err = txpool.ValidateTransactionWithState(tx, p.signer, &txpool.ValidationOptionsWithState{
		State: on, ExistingExpenditure: p.cost, ExistingCost: func(from common.Address, nonce uint64) *big.Int {
			if old, ok := p.of[from][nonce]; ok {
				return old.Cost()
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	from, err := types.Sender(p.signer, tx)
	if err != nil {
		return errors.Join(txpool.ErrInvalidSender, err)
	}
	if old, ok := p.of[from][tx.Nonce()]; ok {
		if !pays(tx.GasFeeCap(), old.GasFeeCap()) || !pays(tx.GasTipCap(), old.GasTipCap()) {
			return txpool.ErrReplaceUnderpriced
		}
		delete(p.known, old.Hash())
	}
	if p.of[from] == nil {
		p.of[from] = make(map[uint64]pooled)
	}
	p.arrivals++
	p.of[from][tx.Nonce()] = pooled{tx, p.arrivals}
	p.known[tx.Hash()] = tx
	return nil
}

// pays reports whether a price is enough to replace the old one.
func pays(price, old *big.Int) bool {
	least := new(big.Int).Mul(old, big.NewInt(100+replaceBump))
	return price.Cmp(old) > 0 && price.Cmp(least.Div(least, big.NewInt(100))) >= 0
}

// cost is the most that an account's transactions can cost together, in wei.
func (p *pool) cost(of common.Address) *big.Int {
	sum := new(big.Int)
	for _, tx := range p.of[of] {
		sum.Add(sum, tx.Cost())
	}
	return sum
}

// nonce is the account's next: the state's, and after it those that wait without a gap.
func (p *pool) nonce(of common.Address, on *state.StateDB) uint64 {
	next := on.GetNonce(of)
	for _, ok := p.of[of][next]; ok; _, ok = p.of[of][next] {
		next++
	}
	return next
}

// settle forgets what cannot be executed on a new head: used nonces and what the sender can no longer pay.
func (p *pool) settle(on *state.StateDB) {
	for from, txs := range p.of {
		next, balance := on.GetNonce(from), on.GetBalance(from).ToBig()
		maps.DeleteFunc(txs, func(nonce uint64, tx pooled) bool {
			ended := nonce < next || tx.Cost().Cmp(balance) > 0
			if ended {
				delete(p.known, tx.Hash())
			}
			return ended
		})
		if len(txs) == 0 {
			delete(p.of, from)
		}
	}
}

// ordered lists the transactions as a block takes them at a base fee: of every sender by nonce, and among the
// senders the best paid first, then the first come.
func (p *pool) ordered(baseFee *big.Int) []*types.Transaction {
	var queues [][]pooled
	for _, txs := range p.of {
		queue := slices.SortedFunc(maps.Values(txs), func(a, b pooled) int { return cmp.Compare(a.Nonce(), b.Nonce()) })
		poor := func(tx pooled) bool { return tx.GasFeeCapIntCmp(baseFee) < 0 }
		if end := slices.IndexFunc(queue, poor); end >= 0 {
			queue = queue[:end]
		}
		if len(queue) > 0 {
			queues = append(queues, queue)
		}
	}
	var all []*types.Transaction
	for len(queues) > 0 {
		best := 0
		for i := range queues {
			if before(queues[i][0], queues[best][0], baseFee) {
				best = i
			}
		}
		all = append(all, queues[best][0].Transaction)
		if queues[best] = queues[best][1:]; len(queues[best]) == 0 {
			queues = slices.Delete(queues, best, best+1)
		}
	}
	return all
}

func before(a, b pooled, baseFee *big.Int) bool {
	if better := tipOf(a.Transaction, baseFee).Cmp(tipOf(b.Transaction, baseFee)); better != 0 {
		return better > 0
	}
	return a.arrival < b.arrival
}

// tipOf is what a transaction pays above the base fee, in wei per gas.
func tipOf(tx *types.Transaction, baseFee *big.Int) *big.Int {
	tip := new(big.Int).Sub(tx.GasFeeCap(), baseFee)
	if most := tx.GasTipCap(); tip.Cmp(most) > 0 {
		return most
	}
	return tip
}
