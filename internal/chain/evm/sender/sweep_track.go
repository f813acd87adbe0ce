package sender

import (
	"context"
	"errors"
	"fmt"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/money"
)

// Look tells what became of the attempts, which share one nonce: at most one
// of them lands.
func (s *Sweeps) Track(ctx context.Context, items []chain.SweepItem, attempts []chain.Attempt) (chain.SweepOutcome, error) {
	txs := make([]rpc.Hash, len(attempts))
	for i, a := range attempts {
		var ok bool
		if txs[i], ok = rpc.ParseHash(string(a.Tx)); !ok {
			return chain.SweepOutcome{}, fmt.Errorf("look: %q is no transaction hash", a.Tx)
		}
	}
	if len(txs) == 0 {
		return chain.SweepOutcome{}, errors.New("look: a sweep without attempts")
	}
	heads, err := s.reader.Heads(ctx)
	if err != nil {
		return chain.SweepOutcome{}, err
	}
	final := s.final(heads)
	look := func(ctx context.Context, e *rpc.Endpoint) (chain.SweepOutcome, error) {
		return s.look(ctx, e, final, items, attempts[0].Nonce, txs)
	}
	var seen chain.SweepOutcome
	var by *rpc.Endpoint
	err = s.pool.Do(ctx, func(ctx context.Context, e *rpc.Endpoint) (err error) {
		by = e
		seen, err = look(ctx, e)
		return err
	})
	if err != nil {
		return chain.SweepOutcome{}, fmt.Errorf("look for %s on %s: %w", txs[len(txs)-1], s.Network(), err)
	}
	if seen.Status == chain.TxDropped {
		seen = s.seconded(ctx, seen, by, look)
	}
	return seen, nil
}

// look asks one endpoint, which must know the final block.
func (s *Sweeps) look(
	ctx context.Context, e *rpc.Endpoint, final chain.Head, items []chain.SweepItem, nonce uint64, txs []rpc.Hash,
) (chain.SweepOutcome, error) {
	calls := []rpc.Call{rpc.BlockByNumber(final.Number), rpc.BlockByTag("latest")}
	for _, tx := range txs {
		calls = append(calls, rpc.ReceiptCall(tx))
	}
	for _, tx := range txs {
		calls = append(calls, rpc.NewCall("eth_getTransactionByHash", tx.String()))
	}
	results, err := e.Results(ctx, calls...)
	if err != nil {
		return chain.SweepOutcome{}, err
	}
	if err := rpc.RequireHead(results[0], final); err != nil {
		return chain.SweepOutcome{}, err
	}
	latest, ok, err := rpc.ParseHeader(results[1])
	if err != nil || !ok {
		return chain.SweepOutcome{}, errors.Join(err, rpc.Malformed("no block latest"))
	}
	receipts, pooled := results[2:2+len(txs)], results[2+len(txs):]
	for i, tx := range txs {
		r, ok, err := parseSweepReceipt(receipts[i], tx)
		if err != nil {
			return chain.SweepOutcome{}, err
		}
		if ok {
			return s.included(ctx, e, final, items, r)
		}
	}
	seen := chain.SweepOutcome{Status: chain.TxUnknown}
	for _, raw := range pooled {
		if !rpc.IsNull(raw) {
			seen.Status = chain.TxPending
		}
	}
	dead, err := s.dead(ctx, e, final, latest, nonce)
	if err != nil {
		return chain.SweepOutcome{}, err
	}
	if dead {
		seen = chain.SweepOutcome{Status: chain.TxDropped, Note: "another transaction of the gas wallet took its place"}
	}
	return seen, nil
}

// dead reports whether the nonce was used by a transaction that is none of
// ours, in a final block. Full nodes keep the count of recent blocks only, so
// the block at which it was first seen past is remembered: when that block is
// final and still in the chain, the count is final too.
func (s *Sweeps) dead(ctx context.Context, e *rpc.Endpoint, final chain.Head, latest rpc.Header, nonce uint64) (bool, error) {
	s.mu.Lock()
	first := s.passed
	s.mu.Unlock()
	calls := []rpc.Call{rpc.NewCall("eth_getTransactionCount", rpc.Address(s.signer.Address()).String(), rpc.Quantity(latest.Number))}
	known := first.nonce == nonce && first.at != rpc.Header{}
	if known {
		calls = append(calls, rpc.BlockByNumber(first.at.Number))
	}
	results, err := e.Results(ctx, calls...)
	if err != nil {
		return false, err
	}
	count, ok := rpc.ParseNumber(results[0])
	if !ok {
		return false, rpc.Malformed("eth_getTransactionCount")
	}
	if count <= nonce {
		s.remember(passing{})
		return false, nil
	}
	if known {
		h, ok, err := rpc.ParseNumberedHeader(results[1], first.at.Number)
		if err != nil {
			return false, err
		}
		if ok && h.Hash == first.at.Hash {
			return first.at.Number <= final.Number, nil
		}
	}
	s.remember(passing{nonce, latest})
	return false, nil
}

func (s *Sweeps) remember(p passing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.passed = p
}

// seconded is what the other endpoints tell of attempts that one says can land
// no more: one that has lost its index must not decide alone while there are
// others, so one of them must say the same, and none may know better.
func (s *Sweeps) seconded(
	ctx context.Context, told chain.SweepOutcome, by *rpc.Endpoint, look func(context.Context, *rpc.Endpoint) (chain.SweepOutcome, error),
) chain.SweepOutcome {
	agreed := s.pool.Single()
	for _, e := range s.pool.Without(by.Name()) {
		var seen chain.SweepOutcome
		err := s.pool.Try(ctx, e, func(ctx context.Context, e *rpc.Endpoint) (err error) {
			seen, err = look(ctx, e)
			return err
		})
		if err == nil && seen.Status != chain.TxDropped {
			return seen
		}
		agreed = agreed || err == nil
	}
	if !agreed {
		return chain.SweepOutcome{Status: chain.TxUnknown}
	}
	return told
}

// included tells what a transaction that is in a block did.
func (s *Sweeps) included(ctx context.Context, e *rpc.Endpoint, final chain.Head, items []chain.SweepItem, r sweepReceipt) (chain.SweepOutcome, error) {
	block, err := rpc.BlockOf(ctx, e, r.Receipt)
	if err != nil {
		return chain.SweepOutcome{}, err
	}
	seen := chain.SweepOutcome{Status: chain.TxIncluded, Tx: chain.TxHash(r.Tx.String()), Block: block, Paid: money.NewUnits(r.paid)}
	if block.Number > final.Number {
		return seen, nil
	}
	if r.Failed {
		seen.Status, seen.Note = chain.TxReverted, "the transaction failed as a whole"
		return seen, nil
	}
	seen.Status = chain.TxFinal
	o := sweepResult{sender: s, receipt: r, at: block}
	for _, i := range items {
		if err := o.judge(ctx, e, i); err != nil {
			return chain.SweepOutcome{}, err
		}
	}
	seen.Moved, seen.Unmoved = o.moved, o.unmoved
	return seen, nil
}

// outcome gathers what a sweep did with each item.
type sweepResult struct {
	sender  *Sweeps
	receipt sweepReceipt
	at      chain.Head
	moved   []chain.Moved
	unmoved []chain.Unmoved
}

// judge decides about one item.
func (o *sweepResult) judge(ctx context.Context, e *rpc.Endpoint, i chain.SweepItem) error {
	moved, reason, err := o.flushed(i)
	if err != nil {
		return err
	}
	if reason != "" {
		o.unmoved = append(o.unmoved, chain.Unmoved{Address: i.Address.Address, Contract: i.Asset.Contract, Reason: reason})
		return nil
	}
	if moved.Cmp(i.Expected) < 0 && !i.Rescue {
		// Anybody may flush a forwarder, and only to the settlement wallet:
		// what was expected and is not there has gone where it should.
		holds, err := o.sender.holds(ctx, e, i.Address.Address, i.Asset.Contract, o.at)
		if err != nil {
			return err
		}
		if missing := i.Expected.Sub(moved).Sub(holds); missing.Cmp(money.Units{}) > 0 {
			moved = moved.Add(missing)
		}
	}
	if !moved.IsZero() {
		o.moved = append(o.moved, chain.Moved{Address: i.Address.Address, Contract: i.Asset.Contract, Units: moved})
	}
	return nil
}

// flushed adds up what the factory and the token say of an item; reason is why
// it was not moved.
func (o *sweepResult) flushed(i chain.SweepItem) (moved money.Units, reason string, err error) {
	token, err := o.sender.token(i.Asset.Contract)
	if err != nil {
		return moved, "", err
	}
	settlement, err := chain.ParseAddress(o.sender.Network(), string(i.Settlement))
	if err != nil {
		return moved, "", err
	}
	holder, err := chain.ParseAddress(o.sender.Network(), string(i.Address.Address))
	if err != nil {
		return moved, "", err
	}
	forwarder := rpc.Address(holder.Raw)
	for _, f := range o.receipt.flushes {
		if f.forwarder != forwarder || f.token != rpc.Address(token) {
			continue
		}
		if f.failed {
			return money.Units{}, f.why(), nil
		}
		moved = moved.Add(money.NewUnits(f.units))
	}
	if i.Asset.Contract == "" || moved.IsZero() {
		return moved, "", nil
	}
	left, arrived := o.receipt.left(rpc.Address(token), forwarder, rpc.Address(settlement.Raw))
	if arrived.IsZero() {
		return money.Units{}, "the token reported a transfer that its log does not show", nil
	}
	if left.Cmp(moved) < 0 {
		moved = left
	}
	return moved, "", nil
}

// holds returns what an address holds of a contract's token, or of the native
// coin, in the newest block of an endpoint that has reached a block.
func (s *Sweeps) holds(ctx context.Context, e *rpc.Endpoint, of, contract chain.Address, at chain.Head) (money.Units, error) {
	holder, err := chain.ParseAddress(s.Network(), string(of))
	if err != nil {
		return money.Units{}, err
	}
	number := rpc.NewCall("eth_blockNumber")
	if contract == "" {
		results, err := e.Results(ctx, number, rpc.NewCall("eth_getBalance", rpc.Address(holder.Raw).String(), "latest"))
		if err != nil {
			return money.Units{}, err
		}
		if err := rpc.CheckHeight(results[0], at.Number); err != nil {
			return money.Units{}, err
		}
		return rpc.ParseBalance(results[1])
	}
	token, err := chain.ParseAddress(s.Network(), string(contract))
	if err != nil {
		return money.Units{}, err
	}
	data := rpc.BalanceOfData(holder.Raw)
	words, err := rpc.CallWords(ctx, e, []rpc.Call{number, rpc.ContractCall(rpc.Address(token.Raw), data)}, at.Number)
	if err != nil {
		return money.Units{}, err
	}
	return words[0], nil
}
