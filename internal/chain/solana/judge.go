package solana

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// Judge asks one endpoint after the other, other than the transfers' source, which are in the slot that they name, at
// or before `at`. The source itself is asked only if it is the only endpoint, or decides alone (chain.Alone).
func (a *Adapter) Judge(ctx context.Context, transfers []chain.Transfer, at chain.Head) ([]chain.Verdict, error) {
	if !chain.SameInclusion(transfers) {
		return nil, errors.New("judge: not the transfers of one transaction")
	}
	t := transfers[0]
	signature, ok := rpc.ParseSignature(t.Tx)
	if !ok {
		return nil, fmt.Errorf("judge: %q is no signature", t.Tx)
	}
	endpoints, size, alone := a.pool.voices(), a.pool.size(), a.oneWord(transfers)
	switch {
	case alone:
		size = 1
		if a.pool.size() > 1 { // the one that stands still may answer, and is not the one that is left
			endpoints = slices.DeleteFunc(endpoints, func(e *endpoint) bool { return !a.pool.moves(e.Voice()) })
		}
	case t.Source != "":
		endpoints = a.pool.without(t.Source)
	}
	denied := false
	ask := func(e *endpoint) (said []chain.Verdict, err error) {
		err = a.pool.try(ctx, e, func(ctx context.Context, e *endpoint) (err error) {
			said, err = a.judge(ctx, e, transfers, signature, at, alone)
			return err
		})
		denied = denied || slices.Contains(said, chain.Missing)
		if errors.Is(err, rpc.ErrLagging) { // it does not have the block yet
			return make([]chain.Verdict, len(transfers)), nil
		}
		return said, e.named(err)
	}
	verdicts, err := chain.Judged(endpoints, size, transfers, t.Source != "", ask)
	if denied {
		a.refute(ctx, t.Source, signature)
	}
	return verdicts, err
}

// oneWord reports whether one endpoint decides about the transfers of a transaction: the only voice there is, or the
// one that has been left for long enough.
func (a *Adapter) oneWord(transfers []chain.Transfer) bool {
	_, lone := a.aged.Old(a.pool.now())
	return a.pool.size() == 1 || lone && a.pool.lone() && a.pool.alone.Allows(transfers)
}

// Quorum is how many voices must say the same.
func (a *Adapter) Quorum() int { return chain.Quorum(a.pool.size()) }

// refute forgets what the source reported of the transaction.
func (a *Adapter) refute(ctx context.Context, source, signature string) {
	for e, known := range a.known {
		if e.Name == source {
			known.refute(ctx, signature)
		}
	}
}

// judge looks for the transfers through one endpoint, which must know `at`. One that decides alone must show another
// block in place of theirs before they are missing: the hash of a block commits to its transactions, so until then its
// answers contradict each other.
func (a *Adapter) judge(
	ctx context.Context, e *endpoint, transfers []chain.Transfer, signature string, at chain.Head, alone bool,
) ([]chain.Verdict, error) {
	if err := e.hasBlock(ctx, at); err != nil {
		return nil, err
	}
	verdict, tx, err := a.judgeAt(ctx, e, transfers[0].Block, signature, at)
	if err != nil {
		return nil, err
	}
	verdicts := verdict.Each(transfers, func(t chain.Transfer) bool { return a.includes(tx, t) })
	for i, t := range transfers {
		if acc, known := a.accountOf(t); known && tx != nil && tx.Lacks(acc.key) {
			verdicts[i] = chain.Undecided // of an answer without the balances, which denies nothing
		}
	}
	if alone && slices.Contains(verdicts, chain.Missing) {
		here, ok, err := e.Head(ctx, transfers[0].Block.Number)
		if err != nil || !ok || here.Hash == transfers[0].Block.Hash {
			return chain.Unproven(verdicts), err
		}
	}
	return verdicts, nil
}

// judgeAt looks for a transaction in the slot that its source names, and returns it if it stands.
func (a *Adapter) judgeAt(
	ctx context.Context, e *endpoint, source chain.Head, signature string, at chain.Head,
) (chain.Verdict, *rpc.Transaction, error) {
	statuses, err := e.Statuses(ctx, []string{signature})
	if err != nil {
		return chain.Undecided, nil, err
	}
	st := statuses[signature]
	switch {
	case st == nil:
		verdict, err := e.judgeBlock(ctx, signature, source, at, a.heads.finalNumber())
		return verdict, nil, err
	case st.Failed(), st.Slot > at.Number, st.Slot != source.Number:
		return chain.Missing, nil, nil
	case at.Number <= a.heads.finalNumber() && !st.Final():
		return chain.Undecided, nil, nil
	}
	short, cancel := e.briefly(ctx)
	defer cancel()
	tx, err := e.Transaction(short, signature)
	if err != nil && ofOne(err) && !gaveUp(ctx) || err == nil && tx == nil {
		return chain.Undecided, nil, nil // of one transaction, which is no failure of the endpoint
	}
	if err != nil {
		return chain.Undecided, nil, err
	}
	if tx.Slot != st.Slot {
		return chain.Missing, nil, nil
	}
	verdict, err := e.sameTime(ctx, tx, source)
	return verdict, tx, err
}

// sameTime reports whether the block of a transaction was made when the source says: Stands or Missing. The transaction
// names the time, too, in most answers.
func (e *endpoint) sameTime(ctx context.Context, tx *rpc.Transaction, source chain.Head) (chain.Verdict, error) {
	if source.Time.IsZero() || tx.BlockTime != nil && *tx.BlockTime == source.Time.Unix() {
		return chain.Stands, nil
	}
	h, ok, err := e.Head(ctx, tx.Slot)
	if err != nil || !ok {
		return chain.Undecided, err
	}
	if !h.Time.Equal(source.Time) {
		e.pool.blocks.Drop(tx.Slot) // the time there may be this endpoint's own of before
		return chain.Missing, nil
	}
	return chain.Stands, nil
}

// judgeBlock looks for a transaction that the node does not know in the block that should contain it: it is
// missing only if the node has that block and the block does not list it, or the slot was skipped, as a block after it
// shows.
func (e *endpoint) judgeBlock(
	ctx context.Context, signature string, claimed, at chain.Head, final uint64,
) (chain.Verdict, error) {
	if claimed.Number > at.Number {
		return chain.Missing, nil
	}
	b, ok, err := e.Block(ctx, claimed.Number, "signatures")
	if err != nil {
		return chain.Undecided, err
	}
	if !ok {
		skipped, err := e.Skipped(ctx, claimed.Number, max(at.Number, final))
		if err == nil && !skipped {
			err = rpc.Lagging("block of slot %d is not there", claimed.Number)
		}
		return chain.Missing, err
	}
	if slices.Contains(b.Signatures, signature) {
		return chain.Undecided, rpc.Lagging("transaction %s is not there", signature)
	}
	return chain.Missing, nil
}

// accountOf returns the account that a transfer credits, if it can be one of ours.
func (a *Adapter) accountOf(t chain.Transfer) (acc account, ok bool) {
	owner, err := parseKey(string(t.To))
	if err != nil {
		return acc, false
	}
	if m, known := a.mint(t.Asset.Contract); t.Account == "" && known {
		return account{key: a.addresses.Of(owner, m.key), owner: owner, mint: m}, true
	}
	acc.key, err = parseKey(string(t.Account))
	acc.under = under(a.addresses, owner, a.mints)
	return acc, err == nil
}

// includes reports whether the transaction made the transfer: same account index, mint, recipient and amount.
func (a *Adapter) includes(tx *rpc.Transaction, t chain.Transfer) bool {
	acc, ok := a.accountOf(t)
	if !ok {
		return false
	}
	c, credited := acc.credit(tx)
	return credited && c.Index == t.Ordinal && c.Mint == string(t.Asset.Contract) && c.Units().Cmp(t.Units) == 0
}
