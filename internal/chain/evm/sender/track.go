package sender

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// tracker reads the status of signed transactions. It is safe for concurrent
// use.
type tracker struct {
	client

	mu sync.Mutex
	// used remembers, for each nonce whose transactions no endpoint has, the
	// block at which the account's count was first past it.
	used map[accountNonce]rpc.Header
}

func newTracker(a *evm.Adapter) *tracker {
	return &tracker{client: newClient(a), used: make(map[accountNonce]rpc.Header)}
}

type accountNonce struct {
	account rpc.Address
	nonce   uint64
}

// maxRemembered bounds the memory of used nonces. What is forgotten is noticed
// again at the next call.
const maxRemembered = 1024

// tracked are transactions of one account with one nonce: at most one of them
// can be included.
type tracked struct {
	accountNonce
	txs []rpc.Hash
}

// txReport is what one endpoint knows of tracked transactions. Receipt and
// transaction are set when one of them is in a block.
type txReport struct {
	status      chain.TxStatus
	endpoint    *rpc.Endpoint
	tx          rpc.Hash
	block       chain.Head
	receipt     []byte // as JSON
	transaction []byte // as JSON
	// displaced: none of them is known, and their nonce is used in a block.
	displaced bool
	effect    any // what the receipt says that matters
}

// track returns what became of the transactions, as a quorum of endpoints report it
// (chain.Tracking): one alone may have lost its index, lag, or lie.
// effect is what a receipt says that matters; endpoints must agree on it too.
func (t *tracker) track(
	ctx context.Context, txs tracked, final chain.Head, effect func(txReport) (any, error),
) (txReport, error) {
	if len(txs.txs) == 0 {
		return txReport{}, errors.New("track: no transactions")
	}
	report, ended, err := chain.Tracking[*rpc.Endpoint, txReport]{
		Read: func(e *rpc.Endpoint) (report txReport, err error) {
			err = t.pool.Try(ctx, e, func(ctx context.Context, e *rpc.Endpoint) (err error) {
				if report, err = t.read(ctx, e, txs, final); err == nil {
					report.effect, err = effect(report)
				}
				return err
			})
			if err != nil {
				err = fmt.Errorf("%s %w", e.Name(), err)
			}
			return report, err
		},
		Status: func(r txReport) chain.TxStatus { return r.status },
		Same: func(a, b txReport) bool {
			return a.tx == b.tx && a.block.Hash == b.block.Hash && a.displaced == b.displaced &&
				reflect.DeepEqual(a.effect, b.effect)
		},
		Support: func(dropped, included txReport) chain.Support { return t.support(ctx, dropped.endpoint, included) },
	}.Track(t.pool.Voices(), t.pool.Size())
	if ctx.Err() != nil {
		return txReport{}, ctx.Err()
	}
	if err != nil {
		return txReport{}, fmt.Errorf("track %s on %s: %w", txs.txs[len(txs.txs)-1], t.profile.Network, err)
	}
	if !ended {
		report.status = chain.Downgraded(report.status)
	}
	return report, nil
}

// support asks an endpoint that does not find a transaction for the block that should
// hold it: nodes drop old transactions from their index and keep the blocks.
func (t *tracker) support(ctx context.Context, e *rpc.Endpoint, included txReport) chain.Support {
	claimed, _, err := rpc.ParseReceipt(included.receipt, included.tx)
	if err != nil {
		return chain.Unsure
	}
	var rebuilt rpc.Receipt
	var found bool
	err = t.pool.Try(ctx, e, func(ctx context.Context, e *rpc.Endpoint) (err error) {
		rebuilt, found, err = rpc.RebuildReceipt(ctx, e, included.tx, rpc.Header{
			Number: claimed.Block, Hash: claimed.BlockHash,
		})
		return err
	})
	switch {
	case err != nil:
		return chain.Unsure
	case found && reflect.DeepEqual(rebuilt.Unnumbered().Logs, claimed.Unnumbered().Logs):
		return chain.Backs
	case !found && !claimed.Failed:
		return chain.Refutes
	}
	return chain.Unsure // it had another effect there, or failed: then it has no logs to be found by
}

// read asks one endpoint, which must have the final block.
func (t *tracker) read(ctx context.Context, e *rpc.Endpoint, txs tracked, final chain.Head) (txReport, error) {
	calls := []rpc.Call{rpc.BlockByNumber(final.Number), rpc.BlockByTag("latest")}
	for _, tx := range txs.txs {
		calls = append(calls, rpc.ReceiptCall(tx), rpc.TransactionCall(tx))
	}
	results, err := e.Results(ctx, calls...)
	if err != nil {
		return txReport{}, err
	}
	if err := rpc.RequireHead(results[0], final); err != nil {
		return txReport{}, err
	}
	latest, ok, err := rpc.ParseHeader(results[1])
	if err != nil || !ok {
		return txReport{}, errors.Join(err, rpc.Malformed("no block latest"))
	}
	report := txReport{status: chain.TxUnknown, endpoint: e}
	for i, tx := range txs.txs {
		receipt, transaction := results[2+2*i], results[3+2*i]
		r, included, err := rpc.ParseReceipt(receipt, tx)
		if err != nil {
			return txReport{}, err
		}
		if included {
			report.tx, report.receipt, report.transaction = tx, receipt, transaction
			return report.included(ctx, r, final)
		}
		if !rpc.IsNull(transaction) {
			report.status = chain.TxPending
		}
	}
	used, forGood, err := t.nonceUsed(ctx, e, txs.accountNonce, latest, final)
	report.displaced = used && report.status == chain.TxUnknown
	if forGood {
		report.status = chain.TxDropped
	}
	return report, err
}

// included completes the report of a transaction that is in a block.
func (r txReport) included(ctx context.Context, receipt rpc.Receipt, final chain.Head) (txReport, error) {
	var err error
	if r.block, err = rpc.BlockOf(ctx, r.endpoint, receipt); err != nil {
		return txReport{}, err
	}
	switch {
	case r.block.Number > final.Number:
		r.status = chain.TxIncluded
	case receipt.Failed:
		r.status = chain.TxReverted
	default:
		r.status = chain.TxFinal
	}
	return r, nil
}

// nonceUsed reports whether a transaction that is none of the tracked ones used
// their nonce, and whether it did in a final block. Full nodes keep the counts of
// recent blocks only, so the block at which the count was first past the nonce is
// remembered: when that block is final and still in the chain, the count is final
// too.
func (t *tracker) nonceUsed(
	ctx context.Context, e *rpc.Endpoint, of accountNonce, latest rpc.Header, final chain.Head,
) (used, forGood bool, err error) {
	first, known := t.remembered(of)
	calls := []rpc.Call{rpc.NewCall("eth_getTransactionCount", of.account.String(), rpc.Quantity(latest.Number))}
	if known {
		calls = append(calls, rpc.BlockByNumber(first.Number))
	}
	results, err := e.Results(ctx, calls...)
	if err != nil {
		return false, false, err
	}
	count, ok := rpc.ParseNumber(results[0])
	if !ok {
		return false, false, rpc.Malformed("eth_getTransactionCount")
	}
	if count <= of.nonce {
		t.forget(of)
		return false, false, nil
	}
	if known {
		h, ok, err := rpc.ParseNumberedHeader(results[1], first.Number)
		if err != nil {
			return false, false, err
		}
		if ok && h.Hash == first.Hash {
			return true, first.Number <= final.Number, nil
		}
	}
	t.remember(of, latest)
	return true, false, nil
}

func (t *tracker) remembered(of accountNonce) (rpc.Header, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	h, ok := t.used[of]
	return h, ok
}

func (t *tracker) remember(of accountNonce, at rpc.Header) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.used) >= maxRemembered {
		clear(t.used)
	}
	t.used[of] = at
}

func (t *tracker) forget(of accountNonce) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.used, of)
}
