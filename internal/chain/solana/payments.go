package solana

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// paymentLeg is an item of a sweep with its token account and that of its settlement wallet.
type paymentLeg struct {
	chain.SweepItem
	From, To solanago.PublicKey
}

// movedPayment is a transaction that moved tokens from the first account of a leg to the second.
type movedPayment struct {
	Tx    chain.TxHash
	Slot  uint64
	Paid  money.Units // what it cost, in lamports
	Moved []chain.Moved
}

// Limits of one account's history: anyone can name an account in transactions of their own.
const (
	maxPages        = 10
	maxTransactions = 500
)

// paymentsOf returns the transactions of the slots from..to, both included, the oldest first. It fails if a history is
// too long to be read. A node that has forgotten a part of it reports less.
func paymentsOf(ctx context.Context, c *rpc.Client, legs []paymentLeg, from, to uint64) ([]movedPayment, error) {
	var found []movedPayment
	read := make(map[string]bool)
	for _, l := range legs {
		list, err := signaturesOf(ctx, c, l, from, to)
		if err != nil {
			return nil, err
		}
		for _, signature := range list {
			if read[signature] {
				continue
			}
			read[signature] = true
			t, err := c.Transaction(ctx, signature)
			if err != nil {
				return nil, fmt.Errorf("history of %s: %w", l.From, err)
			}
			if t == nil {
				return nil, rpc.Lagging("transaction %s is not there", signature)
			}
			if moved := movedBy(t, legs); len(moved) > 0 && t.Slot >= from && t.Slot <= to {
				found = append(found, movedPayment{
					Tx: chain.TxHash(signature), Slot: t.Slot, Paid: t.Paid(), Moved: moved,
				})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b movedPayment) int { return cmp.Compare(a.Slot, b.Slot) })
	return found, nil
}

// signaturesOf lists the transactions that named the leg's account and did not fail.
func signaturesOf(ctx context.Context, c *rpc.Client, l paymentLeg, from, to uint64) ([]string, error) {
	var list []string
	before := ""
	for range maxPages {
		page, last, err := c.Page(ctx, l.From.String(), before, rpc.SignaturesPerPage)
		if err != nil {
			return nil, fmt.Errorf("history of %s: %w", l.From, err)
		}
		for _, s := range page {
			if s.Slot < from {
				return list, nil
			}
			if s.Slot <= to && !s.Failed() {
				list = append(list, s.Signature)
			}
		}
		if len(list) > maxTransactions {
			break
		}
		if last {
			return list, nil
		}
		before = page[len(page)-1].Signature
	}
	return nil, fault.New(fault.TooLarge, "the history of %s is too long to look for sweeps in it", l.From)
}

// movedBy returns what a transaction moved of the legs: what left the account, as far as it arrived at the settlement
// account. Legs may share that one.
func movedBy(t *rpc.Transaction, legs []paymentLeg) []chain.Moved {
	if t.Failed() {
		return nil
	}
	arrived := make(map[solanago.PublicKey]uint64)
	for _, l := range legs {
		if c, ok := t.Change(l.To); ok && c.Owner == string(l.Settlement) {
			arrived[l.To], _ = c.Gained()
			if c.After < c.Before {
				arrived[l.To] = 0
			}
		}
	}
	var moved []chain.Moved
	for _, l := range legs {
		c, ok := t.Change(l.From)
		if !ok || c.Before <= c.After || c.Before-c.After > arrived[l.To] {
			continue
		}
		arrived[l.To] -= c.Before - c.After
		units := money.UnitsFromUint64(c.Before - c.After)
		at := slices.IndexFunc(moved, func(m chain.Moved) bool {
			return m.Address == l.Address.Address && m.Contract == l.Asset.Contract
		})
		if at >= 0 { // from another account of the same owner
			moved[at].Units = moved[at].Units.Add(units)
			continue
		}
		moved = append(moved, chain.Moved{Address: l.Address.Address, Contract: l.Asset.Contract, Units: units})
	}
	return moved
}
