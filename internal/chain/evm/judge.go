package evm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// Judge asks one endpoint after the other, other than the transfers' source, which are in the block that they name, at
// or below `at`. The source itself is asked only if it is the only endpoint, or decides alone (chain.Alone).
func (a *Adapter) Judge(ctx context.Context, transfers []chain.Transfer, at chain.Head) ([]chain.Verdict, error) {
	if !chain.SameInclusion(transfers) {
		return nil, errors.New("judge: not the transfers of one transaction")
	}
	t := transfers[0]
	if !a.pool.Single() && a.heads.byOne(t.Block.Number) && !a.alone.Allows(transfers) {
		return make([]chain.Verdict, len(transfers)), nil
	}
	tx, ok := rpc.ParseHash(string(t.Tx))
	if !ok {
		return nil, fmt.Errorf("judge: %q is no transaction hash", t.Tx)
	}
	endpoints, size, alone := a.pool.Voices(), a.pool.Size(), a.oneWord(transfers)
	switch {
	case alone:
		size = 1
		if !a.pool.Single() { // the one that stands still may answer, and is not the one that is left
			endpoints = slices.DeleteFunc(endpoints, func(e *rpc.Endpoint) bool { return !a.pool.Moves(e.Voice()) })
		}
	case t.Source != "":
		endpoints = a.pool.Without(t.Source)
	}
	reported := t.Source != ""
	return chain.Judged(endpoints, size, transfers, reported, func(e *rpc.Endpoint) (said []chain.Verdict, err error) {
		err = a.pool.Try(ctx, e, func(ctx context.Context, e *rpc.Endpoint) (err error) {
			said, err = a.judgeThrough(ctx, e, transfers, tx, at, alone)
			return err
		})
		if errors.Is(err, rpc.ErrLagging) { // it does not have the block yet
			return make([]chain.Verdict, len(transfers)), nil
		}
		return said, fromEndpoint(e, err)
	})
}

// oneWord reports whether one endpoint decides about the transfers of a transaction: the only voice there is, or the
// one that has been left for long enough.
func (a *Adapter) oneWord(transfers []chain.Transfer) bool {
	_, lone := a.aged.Old(a.pool.Now())
	return a.pool.Single() || lone && a.pool.Lone(a.alone) && a.alone.Allows(transfers)
}

// Quorum is how many voices must say the same.
func (a *Adapter) Quorum() int { return chain.Quorum(a.pool.Size()) }

// judgeThrough looks for the transfers through one endpoint, which must have
// `at`. One that decides alone must show another block in place of theirs before they are missing: the hash of a block
// commits to its transactions, so until then its answers contradict each other.
func (a *Adapter) judgeThrough(
	ctx context.Context, e *rpc.Endpoint, transfers []chain.Transfer, tx rpc.Hash, at chain.Head, alone bool,
) ([]chain.Verdict, error) {
	source := transfers[0].Block
	block, ok := rpc.ParseHash(source.Hash)
	if !ok {
		return nil, fmt.Errorf("judge: %q is no block hash", source.Hash)
	}
	reply, err := a.receiptWithHead(ctx, e, tx, at)
	if err != nil {
		return nil, err
	}
	r, err := parseReceipt(reply, tx)
	if rpc.Limited(err) {
		return nil, err
	}
	verdict := chain.Missing
	switch {
	case err == nil && (r.Block > at.Number || r.Failed || !sameBlock(r, source)):
	case err != nil, !a.hasAll(r, transfers):
		// It may have dropped the transaction from its index, or fail for its receipt alone, and still have the block.
		verdict, r, err = a.judgeInBlock(ctx, e, tx, source, block, at)
	case r.Block == at.Number: // whose header was asked for beside the receipt
		if sameAt(at, source) {
			verdict = chain.Stands
		}
	default:
		verdict, err = included(ctx, e, source)
	}
	if err != nil {
		return nil, err
	}
	verdicts := verdict.Each(transfers, func(t chain.Transfer) bool { return a.has(r, t) })
	if alone && slices.Contains(verdicts, chain.Missing) {
		source.Time = time.Time{}
		if there, err := included(ctx, e, source); err != nil || there == chain.Stands {
			return chain.Unproven(verdicts), err
		}
	}
	return verdicts, nil
}

// sameBlock reports whether the receipt is of the block that the source named: when a transfer came must not be one
// endpoint's word either.
func sameBlock(r rpc.Receipt, source chain.Head) bool {
	return r.Block == source.Number && r.BlockHash.String() == source.Hash
}

// receiptWithHead asks for a receipt and, in the same request, for block `at`. A receipt that takes too long, or breaks
// the request, is no failure of the endpoint if it shows the block without it.
func (a *Adapter) receiptWithHead(
	ctx context.Context, e *rpc.Endpoint, tx rpc.Hash, at chain.Head,
) (reply rpc.Reply, err error) {
	ask := func(ctx context.Context, calls ...rpc.Call) error {
		return e.Patiently(ctx, at.Number, func() error {
			replies, err := e.Ask(ctx, append([]rpc.Call{rpc.BlockByNumber(at.Number)}, calls...)...)
			if err != nil {
				return err
			}
			if replies[0].Err != nil {
				return rpc.CallError(replies[0].Err)
			}
			reply = replies[len(calls)]
			return rpc.RequireHead(replies[0].Result, at)
		})
	}
	err = errSlow
	if !a.slow.lately(e, tx) {
		short, cancel := context.WithTimeout(ctx, receiptLimit)
		defer cancel()
		err = ask(short, rpc.ReceiptCall(tx))
		late := short.Err() != nil || rpc.TimedOut(err)
		if err == nil || ctx.Err() != nil || !late && !endpoint.IsItem(err) {
			return reply, err
		}
		a.slow.record(e, tx, late && !errors.Is(err, endpoint.ErrBusy))
	}
	if err := ask(ctx); err != nil {
		return rpc.Reply{}, err
	}
	return rpc.Reply{Err: &rpc.Error{Message: err.Error()}}, nil
}

// judgeInBlock looks for the transaction in the logs of its block, and returns its receipt by these if it stands. What
// the endpoint cannot show of one block, or of one transaction, is no failure of the endpoint.
func (a *Adapter) judgeInBlock(
	ctx context.Context, e *rpc.Endpoint, tx rpc.Hash, source chain.Head, block rpc.Hash, at chain.Head,
) (chain.Verdict, rpc.Receipt, error) {
	if source.Number > at.Number {
		return chain.Missing, rpc.Receipt{}, nil
	}
	verdict, err := included(ctx, e, source)
	if err != nil || verdict != chain.Stands {
		return verdict, rpc.Receipt{}, err
	}
	r, found, err := rpc.RebuildReceipt(ctx, e, tx, rpc.Header{Number: source.Number, Hash: block})
	switch {
	case rpc.Limited(err):
		return chain.Undecided, r, err
	case err != nil:
		return chain.Undecided, r, nil //nolint:nilerr // see above
	case !found:
		return chain.Missing, r, nil
	}
	return chain.Stands, r, nil
}

// included reports whether the node's chain has the block: Stands or Missing.
func included(ctx context.Context, e *rpc.Endpoint, block chain.Head) (verdict chain.Verdict, err error) {
	err = e.Patiently(ctx, block.Number, func() error {
		results, err := e.Results(ctx, rpc.BlockByNumber(block.Number))
		if err != nil {
			return err
		}
		h, ok, err := rpc.ParseNumberedHeader(results[0], block.Number)
		switch {
		case err != nil:
			return err
		case !ok:
			return fmt.Errorf("%w: block %d is not there", rpc.ErrLagging, block.Number)
		case sameAt(h.Head(), block):
			verdict = chain.Stands
		default:
			verdict = chain.Missing
		}
		return nil
	})
	return verdict, err
}

// sameAt is chain.Head.Same for a source that may name no time.
func sameAt(h, source chain.Head) bool {
	if source.Time.IsZero() {
		h.Time = source.Time
	}
	return h.Same(source)
}

// hasAll reports whether the receipt has every one of the transfers.
func (a *Adapter) hasAll(r rpc.Receipt, transfers []chain.Transfer) bool {
	return !slices.ContainsFunc(transfers, func(t chain.Transfer) bool { return !a.has(r, t) })
}

// has reports whether the receipt has the transfer: the same ordinal, contract,
// recipient and amount.
func (a *Adapter) has(r rpc.Receipt, t chain.Transfer) bool {
	if t.Ordinal < 0 || t.Ordinal >= len(r.Logs) {
		return false
	}
	l := r.Logs[t.Ordinal]
	asset, known := a.assets[l.Transfer.Contract]
	return l.IsTransfer && known && asset.Contract == t.Asset.Contract &&
		a.text(l.Transfer.To) == t.To && l.Transfer.Units.Cmp(t.Units) == 0
}
