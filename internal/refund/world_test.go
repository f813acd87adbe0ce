package refund_test

import (
	"context"
	"errors"
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
)

// memory is a store in memory, which may fail as a program that is killed does: before a write.
type memory struct {
	accounts []refund.Account
	failing  bool
	writes   int
}

var errKilled = errors.New("killed")

func (m *memory) clone() *memory {
	c := &memory{accounts: slices.Clone(m.accounts)}
	for i := range c.accounts {
		c.accounts[i].Refunds = slices.Clone(c.accounts[i].Refunds)
	}
	return c
}

func (m *memory) dies() bool {
	m.writes++
	return m.failing && m.writes%2 == 0
}

// UpdateRefunds is that of refund.Store.
func (m *memory) UpdateRefunds(
	_ context.Context, id payment.ID, decide func(refund.Account) (refund.Change, error),
) (refund.Refund, error) {
	if m.dies() {
		return refund.Refund{}, errKilled
	}
	for i := range m.accounts {
		a := &m.accounts[i]
		if a.Payment.ID != id {
			continue
		}
		c, err := decide(*a)
		if err != nil || c.None() {
			return c.Refund, err
		}
		if c.Refund.Status == refund.Final && m.taken(c.Refund) {
			return refund.Refund{}, refund.ErrTaken
		}
		at := slices.IndexFunc(a.Refunds, func(r refund.Refund) bool { return r.ID == c.Refund.ID })
		a.Payment = c.Payment.Payment
		if at < 0 {
			at, a.Refunds = len(a.Refunds), append(a.Refunds, refund.Refund{})
		}
		a.Refunds[at] = c.Refund
		return c.Refund, nil
	}
	return refund.Refund{}, payment.ErrUnknown
}

func (m *memory) all() (list []refund.Refund) {
	for _, a := range m.accounts {
		list = append(list, a.Refunds...)
	}
	return list
}

func (m *memory) taken(r refund.Refund) bool {
	return slices.ContainsFunc(m.all(), func(o refund.Refund) bool {
		return o.ID != r.ID && o.Status == refund.Final && o.Hash == r.Hash && o.Ordinal == r.Ordinal
	})
}

// Refund is that of refund.Store.
func (m *memory) Refund(_ context.Context, id refund.ID) (refund.Refund, error) {
	for _, r := range m.all() {
		if r.ID == id {
			return r, nil
		}
	}
	return refund.Refund{}, refund.ErrUnknown
}

// RefundsOf is that of refund.Store.
func (m *memory) RefundsOf(_ context.Context, id payment.ID) (list []refund.Refund, err error) {
	return slices.DeleteFunc(m.all(), func(r refund.Refund) bool { return r.PaymentID != id }), nil
}

// Payable is that of refund.Store.
func (m *memory) Payable(context.Context, []int64, chain.Network) ([]refund.Refund, error) {
	return m.all(), nil
}

// Awaited is that of refund.Store.
func (m *memory) Awaited(_ context.Context, n chain.Network) ([]refund.Refund, error) {
	all := m.all()
	return slices.DeleteFunc(slices.Clone(all), func(r refund.Refund) bool {
		return r.Asset.Network != n || !slices.ContainsFunc(all, func(o refund.Refund) bool {
			return o.Payable() && o.Address.Address == r.Address.Address
		})
	}), nil
}

// Read is that of refund.Store.
func (m *memory) Read(_ context.Context, read []refund.Refund, block uint64) error {
	if m.dies() {
		return errKilled
	}
	for i := range m.accounts {
		for j := range m.accounts[i].Refunds {
			r := &m.accounts[i].Refunds[j]
			if slices.ContainsFunc(read, func(o refund.Refund) bool {
				return o.ID == r.ID && o.Address.Address == r.Address.Address
			}) {
				r.Scanned = max(r.Scanned, block)
			}
		}
	}
	return nil
}

// IsDeposit is that of refund.Store.
func (*memory) IsDeposit(context.Context, chain.Address) (bool, error) { return false, nil }

// liar is a network with two endpoints, one of which leaves transfers out and invents some until it is honest.
type liar struct {
	chain.Reader

	w         *simulation
	blocks    []chain.Head
	transfers []chain.Transfer // what addresses gained, by transaction
	parts     []chain.Transfer // of which transfers that consists
	honest    bool
	asked     int
}

// include makes a block that holds the transfer, which consists of the parts; without any it is empty.
func (c *liar) include(t chain.Transfer, parts ...chain.Transfer) {
	n := uint64(len(c.blocks)) + 1
	t.Block = chain.Head{Number: n, Hash: string(t.Tx) + "b", Time: c.w.now}
	c.blocks = append(c.blocks, t.Block)
	t.Units = money.Units{}
	for _, p := range parts {
		p.Block = t.Block
		t.Units = t.Units.Add(p.Units)
		c.parts = append(c.parts, p)
	}
	if len(parts) > 0 {
		c.transfers = append(c.transfers, t)
	}
}

// Heads is that of chain.Reader: the last block is not final yet unless the network is honest.
func (c *liar) Heads(context.Context) (chain.Heads, error) {
	c.asked++
	top := len(c.blocks) - 1
	if !c.honest && top > 0 {
		top--
	}
	return chain.Heads{Latest: c.blocks[len(c.blocks)-1], Final: c.blocks[top], Finalized: c.blocks[top]}, nil
}

// BlockAt is that of chain.Reader.
func (c *liar) BlockAt(_ context.Context, n uint64) (chain.Head, bool, error) {
	if n == 0 || n > uint64(len(c.blocks)) {
		return chain.Head{}, false, nil
	}
	return c.blocks[n-1], true, nil
}

// Quorum is that of chain.Reader.
func (*liar) Quorum() int { return 2 }

// Scan is that of chain.Reader.
func (c *liar) Scan(
	_ context.Context, from uint64, to chain.Head, set *chain.WatchSet, not ...string,
) (found []chain.Transfer, by string, err error) {
	c.asked++
	by = "liar"
	if slices.Contains(not, by) {
		by = "other"
	}
	lies := by == "liar" && !c.honest
	for _, t := range c.transfers {
		_, watched := set.Lookup([]byte(t.To))
		if !watched || t.Block.Number < from || t.Block.Number > to.Number || lies && c.w.r.IntN(3) == 0 {
			continue
		}
		found = append(found, t)
		if lies && c.w.r.IntN(4) == 0 {
			t.Tx += "invented"
			found = append(found, t)
		}
	}
	return found, by, nil
}

// Find is that of chain.Reader: what the endpoints agree about.
func (c *liar) Find(_ context.Context, tx chain.TxHash) (chain.Found, error) {
	c.asked++
	if !c.honest && c.w.r.IntN(10) == 0 {
		return chain.Found{}, errors.New("the endpoints disagree")
	}
	for _, t := range c.transfers {
		if t.Tx == tx {
			found := chain.Found{Exists: true, Final: true, Block: t.Block, Transfers: []chain.Transfer{t}}
			for _, p := range c.parts {
				if p.Tx == tx {
					found.Parts = append(found.Parts, p)
				}
			}
			return found, nil
		}
	}
	return chain.Found{}, nil
}
