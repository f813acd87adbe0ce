package sender

import (
	"context"
	"fmt"
	"slices"

	"github.com/ethereum/go-ethereum/core/types"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/fault"
)

// attemptGroup is the attempts of a sweep that one account signed with one nonce: at most one of them is included. A
// sweep has several groups if the gas wallet was changed while it was in flight. Then one of each may be included; all
// but the first find nothing to move.
type attemptGroup struct {
	tracked
	attempts []chain.Attempt
}

// groups sorts attempts by the account that signed them, which their bytes show, and by nonce. The account's group with
// the newest attempt comes last.
func (s *Sweeps) groups(attempts []chain.Attempt) (list []attemptGroup, err error) {
	for _, a := range attempts {
		of, tx, err := s.signerOf(a)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(list, func(g attemptGroup) bool { return g.accountNonce == of })
		var g attemptGroup
		if at >= 0 {
			g = list[at]
			list = slices.Delete(list, at, at+1)
		}
		g.accountNonce = of
		g.txs, g.attempts = append(g.txs, tx), append(g.attempts, a)
		list = append(list, g)
	}
	return list, nil
}

// signerOf reads from the bytes of an attempt which account signed it, and with which nonce.
func (s *Sweeps) signerOf(a chain.Attempt) (accountNonce, rpc.Hash, error) {
	var tx types.Transaction
	if err := tx.UnmarshalBinary(a.Raw); err != nil {
		return accountNonce{}, rpc.Hash{}, fmt.Errorf("attempt %s: its bytes are no transaction: %w", a.Tx, err)
	}
	if txHash(&tx) != a.Tx || tx.Nonce() != a.Nonce {
		return accountNonce{}, rpc.Hash{}, fmt.Errorf("attempt %s: its bytes are those of %s with nonce %d, want nonce %d",
			a.Tx, txHash(&tx), tx.Nonce(), a.Nonce)
	}
	by, err := types.Sender(types.LatestSignerForChainID(s.chainID()), &tx)
	if err != nil {
		return accountNonce{}, rpc.Hash{}, fmt.Errorf("attempt %s: who signed it: %w", a.Tx, err)
	}
	return accountNonce{rpc.Address(by), a.Nonce}, rpc.Hash(tx.Hash()), nil
}

// signedNow reports whether the gas wallet of today signed the group.
func (s *Sweeps) signedNow(g attemptGroup) bool { return g.account == rpc.Address(s.signer.Address()) }

// replaceable returns the attempts that a new one of the gas wallet replaces, by taking their nonce. There are none
// before its first attempt, and none once another transaction used the nonce or the attempt failed: only a sweep that
// another gas wallet began goes on then.
func (s *Sweeps) replaceable(ctx context.Context, previous []chain.Attempt) ([]chain.Attempt, error) {
	list, err := s.groups(previous)
	if err != nil {
		return nil, err
	}
	mixed := len(list) > 1
	list = slices.DeleteFunc(list, func(g attemptGroup) bool { return !s.signedNow(g) })
	if len(list) == 0 {
		return nil, nil
	}
	newest := list[len(list)-1]
	if !mixed {
		return newest.attempts, nil
	}
	heads, err := s.reader.Heads(ctx)
	if err != nil {
		return nil, err
	}
	report, err := s.track(ctx, newest.tracked, s.final(heads), sweepEffect)
	if err != nil {
		return nil, err
	}
	switch report.status {
	case chain.TxDropped, chain.TxReverted:
		return nil, nil
	case chain.TxIncluded, chain.TxFinal:
		return nil, fault.New(fault.Unavailable, "the sweep's last transaction is in a block; wait for it")
	case chain.TxUnknown, chain.TxPending:
	}
	return newest.attempts, nil
}

// groupReport is the status of a group.
type groupReport struct {
	txReport
	now bool // the gas wallet of today signed it
}

// rank orders reports of groups by what they mean for the sweep. A final transaction moved the money, and one in a
// block will. While the gas wallet of today can get its own included, it does not give up. A sweep that failed is
// planned again in smaller parts, even if the attempt of another wallet can still be included. The sweep is dropped
// when none can.
func (r groupReport) rank() int {
	switch r.status {
	case chain.TxFinal:
		return 6
	case chain.TxIncluded:
		return 5
	case chain.TxReverted:
		return 3
	case chain.TxDropped:
		return 0
	case chain.TxUnknown, chain.TxPending:
	}
	switch {
	case r.now:
		return 4
	case !r.displaced:
		return 2
	}
	return 1
}

// prevails returns the report that decides about the sweep. Of two transactions in blocks the first moved the money.
func prevails(reports []groupReport) txReport {
	return slices.MaxFunc(reports, func(a, b groupReport) int {
		if by := a.rank() - b.rank(); by != 0 || a.receipt == nil || b.receipt == nil {
			return by
		}
		return int(int64(b.block.Number) - int64(a.block.Number)) //nolint:gosec // block numbers
	}).txReport
}
