package watch

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

// ErrDisagree: the endpoints of the network do not say the same of a transaction. Nothing is credited of it, or taken
// back, until a quorum of them does.
var ErrDisagree = fault.New(fault.Unavailable, "the endpoints of the network disagree about a transaction")

// judgeAtOnce bounds how many transactions are asked about in parallel.
const judgeAtOnce = 8

// judgement is what a quorum of endpoints says of transactions: why one does not stand; nil if it does.
type judgement map[confirmation]error

// confirmation identifies a transfer in a block by everything that decides what is credited.
type confirmation struct {
	id     chain.TransferID
	number uint64
	block  string
	at     int64
	units  string
}

func confirmationOf(t chain.Transfer) confirmation {
	b := t.Block
	return confirmation{id: t.ID(), number: b.Number, block: b.Hash, at: b.Time.Unix(), units: t.Units.String()}
}

// distinct returns the transfers of the blocks from..to, each once.
func distinct(list []chain.Transfer, from, to uint64) []chain.Transfer {
	known := make(map[confirmation]bool, len(list))
	return slices.DeleteFunc(list, func(t chain.Transfer) bool {
		c := confirmationOf(t)
		again := known[c] || t.Block.Number < from || t.Block.Number > to
		known[c] = true
		return again
	})
}

// judge asks about the transfers that it does not know yet, those of one transaction together.
func (j judgement) judge(ctx context.Context, r chain.Reader, transfers []chain.Transfer, at chain.Head) {
	open := slices.DeleteFunc(slices.Clone(transfers), func(t chain.Transfer) bool {
		_, known := j[confirmationOf(t)]
		return known
	})
	groups := chain.ByTransaction(open)
	verdicts := make([][]chain.Verdict, len(groups))
	failed := make([]error, len(groups))
	var g errgroup.Group
	g.SetLimit(judgeAtOnce)
	for i, group := range groups {
		g.Go(func() error {
			if failed[i] = ctx.Err(); failed[i] == nil {
				verdicts[i], failed[i] = r.Judge(ctx, group, at)
			}
			return nil
		})
	}
	_ = g.Wait()
	for i, group := range groups {
		for k, t := range group {
			why := failed[i]
			if why == nil {
				why = standing[verdicts[i][k]]
			}
			if why != nil {
				by := ""
				if t.Source != "" {
					by = ", reported by " + t.Source
				}
				why = fmt.Errorf("transaction %s, block %d%s: %w", t.Tx, t.Block.Number, by, why)
			}
			j[confirmationOf(t)] = why
		}
	}
}

// errDenied: a quorum of endpoints denies the transaction. It is left out, and nothing waits for it.
var errDenied = fault.New(fault.Unavailable, "the other endpoints of the network deny the transaction")

// standing is why what the endpoints say so of does not stand.
var standing = map[chain.Verdict]error{chain.Missing: errDenied, chain.Undecided: ErrDisagree}
