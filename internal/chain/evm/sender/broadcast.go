package sender

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// broadcast sends signed bytes to the first available endpoint. It fails with
// rejected if the node refuses them.
func (c client) broadcast(ctx context.Context, tx rpc.Hash, raw []byte) error {
	var refused error
	err := c.pool.Do(ctx, func(ctx context.Context, e *rpc.Endpoint) (err error) {
		refused, err = offer(ctx, e, tx, raw)
		return err
	})
	c.learnTip(mostDemanded, refused)
	return errors.Join(err, refused)
}

// broadcastToAll sends signed bytes to every available endpoint: some nodes do
// not forward transactions. One that accepts them is enough.
func (c client) broadcastToAll(ctx context.Context, id chain.TxHash, raw []byte) error {
	tx, ok := rpc.ParseHash(string(id))
	if !ok {
		return fmt.Errorf("broadcast: %q is no transaction hash", id)
	}
	var failed, refusals []error
	taken := false
	for _, e := range c.pool.Ready() {
		var refused error
		err := c.pool.Try(ctx, e, func(ctx context.Context, e *rpc.Endpoint) (err error) {
			refused, err = offer(ctx, e, tx, raw)
			return err
		})
		refusals = append(refusals, refused)
		if err = errors.Join(err, refused); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", e.Name(), err))
		} else {
			taken = true
		}
	}
	if taken { // perhaps by an endpoint that takes anything
		c.learnTip(1, refusals...)
		return nil
	}
	c.learnTip(mostDemanded, refusals...)
	if len(failed) == 0 {
		return chain.ErrNoEndpoint
	}
	return fmt.Errorf("broadcast %s on %s: %w", tx, c.profile.Network, errors.Join(failed...))
}

// leastTip finds the tip that a refusal demands, in wei unless it says gwei: "gas tip cap 50000000, minimum needed
// 1000000000". Other numbers of a refusal, such as a limit of gas, are shorter.
var leastTip = regexp.MustCompile(
	`(?i)(?:tip needed|minimum(?: needed| required| of)?|at least)\D{0,20}(?:(\d{6,15})\b|(\d{1,6}(?:\.\d{1,9})?) ?gwei)`)

// demanded returns the tip that a refusal demands, in wei; nil: none.
func demanded(message string) *big.Int {
	found := leastTip.FindStringSubmatch(message)
	if found == nil {
		return nil
	}
	tip, _ := new(big.Rat).SetString(found[1] + found[2])
	if found[2] != "" {
		tip.Mul(tip, new(big.Rat).SetInt64(gwei))
	}
	return new(big.Int).Quo(tip.Num(), tip.Denom())
}

// mostDemanded is how many times the most of the network's usual tips is paid where all endpoints demand it: one of
// them may demand anything.
const mostDemanded = 10

// learnTip keeps the least tip that refusals demand, at most so many times the most of the usual ones: the next
// transaction pays it.
func (c client) learnTip(times int64, refused ...error) {
	var least *big.Int
	for _, err := range refused {
		r, ok := errors.AsType[rejected](err)
		if !ok {
			continue
		}
		if tip := demanded(r.err.Message); tip != nil && (least == nil || tip.Cmp(least) < 0) {
			least = tip
		}
	}
	if least != nil {
		_, most := tipRange(c.profile.Network)
		c.pool.RequireTip(smaller(least, big.NewInt(times*most)))
	}
}

// offer sends signed bytes to one node. A node that has them already answers
// with an error, which is not a refusal: the status of the transaction decides,
// not the text of the error.
func offer(ctx context.Context, e *rpc.Endpoint, tx rpc.Hash, raw []byte) (refused, err error) {
	replies, err := e.Ask(ctx, rpc.NewCall("eth_sendRawTransaction", rpc.Hex(raw)))
	if err != nil || replies[0].Err == nil {
		return nil, err
	}
	results, err := e.Results(ctx, rpc.TransactionCall(tx))
	if err != nil || !rpc.IsNull(results[0]) {
		return nil, err
	}
	return rejected{replies[0].Err}, nil
}

// receiptPoll is how often a receipt is requested: about the block time of the
// networks.
const receiptPoll = 500 * time.Millisecond

// await waits until the transaction is in a block and returns its receipt. It
// stops only when ctx ends, not when endpoints fail.
func (c client) await(ctx context.Context, tx rpc.Hash) (rpc.Receipt, error) {
	for {
		var r rpc.Receipt
		err := c.pool.Do(ctx, func(ctx context.Context, e *rpc.Endpoint) error {
			results, err := e.Results(ctx, rpc.ReceiptCall(tx))
			if err != nil {
				return err
			}
			got, ok, err := rpc.ParseReceipt(results[0], tx)
			if err == nil && !ok {
				return rpc.ErrNotFound
			}
			r = got
			return err
		})
		if err == nil {
			return r, nil
		}
		if chain.Sleep(ctx, receiptPoll) != nil {
			return rpc.Receipt{}, errors.Join(fmt.Errorf("transaction %s is in no block yet", tx), ctx.Err())
		}
	}
}
