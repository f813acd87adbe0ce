package settlement

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// ReconciledNetwork is a network whose balances are compared with the records.
type ReconciledNetwork struct {
	Profile chain.Profile
	Reader  interface {
		Heads(ctx context.Context) (chain.Heads, error)
		Balances(
			ctx context.Context, asset chain.Asset, addresses []chain.Address, at chain.Head,
		) ([]money.Units, error)
		Judge(ctx context.Context, transfers []chain.Transfer, at chain.Head) ([]chain.Verdict, error)
		Find(ctx context.Context, tx chain.TxHash) (chain.Found, error)
	}
	// Coins returns the balances of the native coin; nil on a network where
	// deposit addresses hold some anyway.
	Coins func(ctx context.Context, addresses []chain.Address, at chain.Head) ([]money.Units, error)
}

// Reconciler compares the chains with the records.
type Reconciler struct {
	Records  RecordStore
	Networks []ReconciledNetwork
	// Since limits which deposits and sweeps are looked up one by one, since
	// nodes forget old transactions. Balances are compared whatever their age.
	Since time.Time
	// Listed reports whether an address is asked for all token accounts under its key; nil: only those that differ are.
	Listed func(DepositAddress) bool
	// Wait waits before an address that differs is read again.
	Wait func(context.Context) error
	// Progress receives the number of addresses compared so far.
	Progress func(done int)
	// From is where to go on; zero: from the first address.
	From ReconcilePlace
	// Compared receives the differences of each page of addresses and the place after it; an error ends Run. It may be
	// nil.
	Compared func(ctx context.Context, to ReconcilePlace, found []Difference) error
}

// ReconcilePlace is how far a comparison is. Addresses are compared in the order in which payments were made.
type ReconcilePlace struct {
	Last        DepositAddress // by payment and network
	Done, Found int            // addresses and differences
}

// Reconciliation is a comparison that was begun.
type Reconciliation struct {
	StartedAt time.Time
	Networks  string // separated by commas
	Place     ReconcilePlace
}

const (
	// addressesAtOnce is how many addresses are compared together.
	addressesAtOnce = 300
	// maxReads is how often a difference is read before it is reported: money may
	// arrive, or be swept, between reading the chain and the records.
	maxReads = 3
)

// Run compares every deposit address after From on every network it exists on, and then the sweeps, and returns
// the differences.
func (r Reconciler) Run(ctx context.Context) ([]Difference, error) {
	var all []Difference
	place := r.From
	for {
		page, err := r.Records.DepositAddressesAfter(ctx, place.Last, addressesAtOnce)
		if err != nil {
			return nil, err
		}
		if len(page) == 0 {
			break
		}
		found, err := r.page(ctx, page)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
		place = ReconcilePlace{page[len(page)-1], place.Done + len(page), place.Found + len(found)}
		if r.Compared != nil {
			if err := r.Compared(ctx, place, found); err != nil {
				return nil, err
			}
		}
		r.Progress(place.Done)
	}
	for _, n := range r.Networks {
		found, err := r.sweeps(ctx, n)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// page compares some addresses, and again those that differ.
func (r Reconciler) page(ctx context.Context, page []DepositAddress) ([]Difference, error) {
	var all []Difference
	for _, n := range r.Networks {
		open := On(n.Profile.Network, page)
		var found []Difference
		for read := 0; read < maxReads && len(open) > 0; read++ {
			if read > 0 {
				if err := r.Wait(ctx); err != nil {
					return nil, err
				}
			}
			var err error
			if found, err = r.compareAgreed(ctx, n, open); err != nil {
				return nil, err
			}
			open = differing(open, found)
		}
		all = append(all, found...)
	}
	return all, nil
}

// On lists the addresses that exist on the network, each once.
func On(n chain.Network, page []DepositAddress) []DepositAddress {
	var list []DepositAddress
	listed := make(map[chain.Address]bool)
	for _, a := range page {
		if n.SharesAddresses(a.Network) && !listed[a.Address.Address] {
			listed[a.Address.Address] = true
			list = append(list, a)
		}
	}
	return list
}

// differing lists the addresses that have a difference.
func differing(page []DepositAddress, found []Difference) []DepositAddress {
	differs := make(map[chain.Address]bool)
	for _, d := range found {
		differs[d.Address] = true
	}
	var list []DepositAddress
	for _, a := range page {
		if differs[a.Address.Address] {
			list = append(list, a)
		}
	}
	return list
}

// compareAgreed is compare, except that an address that cannot be read, or about which the endpoints disagree,
// is itself the difference, and keeps none of the others from being compared.
func (r Reconciler) compareAgreed(
	ctx context.Context, n ReconciledNetwork, page []DepositAddress,
) ([]Difference, error) {
	found, err := r.compare(ctx, n, page)
	unread, some := errors.AsType[*chain.UnreadError](err)
	switch {
	case some:
		return r.withoutUnread(ctx, n, page, unread)
	case !errors.Is(err, chain.ErrDisagree):
		return found, err
	case len(page) == 1:
		return []Difference{page[0].unclear(n, disagree)}, nil
	}
	half := len(page) / 2
	first, err := r.compareAgreed(ctx, n, page[:half])
	if err != nil {
		return nil, err
	}
	second, err := r.compareAgreed(ctx, n, page[half:])
	return append(first, second...), err
}

// withoutUnread compares the addresses that can be read.
func (r Reconciler) withoutUnread(
	ctx context.Context, n ReconciledNetwork, page []DepositAddress, unread *chain.UnreadError,
) (found []Difference, err error) {
	var rest []DepositAddress
	for _, a := range page {
		if slices.Contains(unread.Addresses, a.Address.Address) {
			found = append(found, a.unclear(n, unreadable))
		} else {
			rest = append(rest, a)
		}
	}
	switch len(rest) {
	case 0:
		return found, nil
	case len(page):
		return nil, unread
	}
	more, err := r.compareAgreed(ctx, n, rest)
	return append(found, more...), err
}

// compare reads the chain before the records: money that arrives in between is
// then in the records first, and in the chain's balance at the next read.
func (r Reconciler) compare(ctx context.Context, n ReconciledNetwork, page []DepositAddress) ([]Difference, error) {
	heads, err := n.Reader.Heads(ctx)
	if err != nil {
		return nil, err
	}
	addresses := make([]chain.Address, len(page))
	for i, a := range page {
		addresses[i] = a.Address.Address
	}
	holdings, err := n.holdings(ctx, addresses, heads.Latest)
	if err != nil {
		return nil, err
	}
	list, err := r.Records.Records(ctx, n.Profile.Network, addresses)
	if err != nil {
		return nil, err
	}
	records := make(map[recordKey]Record, len(list))
	for _, x := range list {
		records[recordKey{x.Network, x.Address, x.Contract}] = x
	}
	others, err := r.addAccounts(ctx, n, page, holdings, records)
	if err != nil {
		return nil, err
	}
	var found []Difference
	for asset, balances := range holdings {
		for i, a := range page {
			record := records[recordKey{n.Profile.Network, a.Address.Address, asset.Contract}]
			for _, d := range record.differences(asset, balances[i]) {
				d.Network, d.Address, d.Contract = n.Profile.Network, a.Address.Address, asset.Contract
				d.PaymentID = a.PaymentID
				if d.Accounts = others[a.Address.Address]; len(d.Accounts) > 0 && d.Unrecorded {
					d.Advice = "; `florin sweep --txnid " + a.PaymentID + "` shows where it lies, and sends it on"
				}
				if asset.Listed() || d.Unrecorded { // others may take back a token of their own
					found = append(found, d)
				}
			}
		}
	}
	missing, err := r.deposits(ctx, n, heads, list)
	return append(found, missing...), err
}

// holdings returns the balances of the addresses in every asset of the network.
func (n ReconciledNetwork) holdings(
	ctx context.Context, addresses []chain.Address, at chain.Head,
) (map[chain.Asset][]money.Units, error) {
	balances := make(map[chain.Asset][]money.Units)
	var err error
	for _, a := range n.Profile.Assets {
		if balances[a], err = n.Reader.Balances(ctx, a, addresses, at); err != nil {
			return nil, err
		}
	}
	if n.Coins != nil {
		if balances[n.Profile.CoinAsset()], err = n.Coins(ctx, addresses, at); err != nil {
			return nil, err
		}
	}
	return balances, nil
}

type recordKey struct {
	network           chain.Network
	address, contract chain.Address
}

// differences compares a record with what the address holds. An address
// without a record has the zero Record.
func (r Record) differences(a chain.Asset, holds money.Units) []Difference {
	show := func(u money.Units) string { return u.Format(a.Decimals) + " " + a.Symbol }
	var found []Difference
	rest, surplus := r.Early.Sub(r.Moved), r.Moved.Sub(r.Early)
	if rest.Cmp(money.Units{}) < 0 {
		rest = money.Units{}
	}
	if surplus.Cmp(r.Found) > 0 {
		found = append(found, Difference{
			Text:   fmt.Sprintf("sweeps moved %s, and deposits are recorded of %s only", show(r.Moved), show(r.Early)),
			Advice: "; run `florin rescan` from before they came", Unrecorded: true,
		})
	}
	if r.Marked.Cmp(r.Moved) > 0 {
		found = append(found, Difference{
			Text: fmt.Sprintf("deposits of %s are marked as swept, and only %s were moved", show(r.Marked), show(r.Moved)),
		})
	}
	want := rest.Add(r.Late)
	text := fmt.Sprintf("it holds %s, and %s are recorded", show(holds), show(want))
	switch holds.Cmp(want) {
	case 1:
		found = append(found, Difference{
			Text: text, Advice: "; run `florin rescan`, or sweep it with `florin sweep --address`", Unrecorded: true,
		})
	case -1:
		found = append(found, Difference{
			Text: text, Advice: "; if another account swept it, the next sweep records that",
		})
	}
	return found
}

// deposits looks up every recorded deposit that is not too old.
func (r Reconciler) deposits(
	ctx context.Context, n ReconciledNetwork, heads chain.Heads, records []Record,
) ([]Difference, error) {
	var found []Difference
	for _, record := range records {
		if record.Network != n.Profile.Network {
			continue
		}
		for _, t := range record.Deposits {
			if t.Block.Time.Before(r.Since) || t.Block.Number > heads.Final.Number {
				continue
			}
			verdict, err := chain.JudgeAll(ctx, n.Reader, []chain.Transfer{t}, heads.Final)
			if err != nil {
				return nil, fmt.Errorf("deposit %s: %w", t.Tx, err)
			}
			what, differs := map[chain.Verdict]string{
				chain.Missing: "is not on the chain", chain.Undecided: "is not what most of the endpoints show now",
			}[verdict]
			if differs {
				text := fmt.Sprintf("the deposit of %s %s in %s %s",
					t.Units.Format(t.Asset.Decimals), t.Asset.Symbol, t.Tx, what)
				found = append(found, Difference{
					Network: n.Profile.Network, Address: record.Address, PaymentID: record.PaymentID, Text: text,
				})
			}
		}
	}
	return found, nil
}

// sweeps looks up every confirmed sweep that is not too old.
func (r Reconciler) sweeps(ctx context.Context, n ReconciledNetwork) ([]Difference, error) {
	list, err := r.Records.ConfirmedSince(ctx, n.Profile.Network, r.Since)
	if err != nil {
		return nil, err
	}
	var all []Difference
	for _, w := range list {
		found, err := n.Reader.Find(ctx, w.Tx)
		if errors.Is(err, chain.ErrDisagree) {
			all = append(all, Difference{
				Network: n.Profile.Network, Text: fmt.Sprintf("sweep %s: %s", w.ID, disagree), Advice: disagreeAdvice,
			})
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("sweep %s: %w", w.ID, err)
		}
		for _, text := range w.differences(found) {
			all = append(all, Difference{Network: n.Profile.Network, Text: text})
		}
	}
	return all, nil
}

// differences compares a confirmed sweep with its transaction. The record may
// show more than the transaction, when another account had flushed an address
// before, but never less.
func (w Sweep) differences(f chain.Found) []string {
	if !f.Exists || f.Failed || !f.Final {
		return []string{fmt.Sprintf("sweep %s is recorded as confirmed, and its transaction %s is not on the chain",
			w.ID, w.Tx)}
	}
	var texts []string
	for _, i := range w.Items {
		moved, _ := w.moved(i)
		var onChain money.Units
		for _, t := range f.Transfers {
			if t.From == i.Address.Address && t.Asset.Contract == i.Asset.Contract {
				onChain = onChain.Add(t.Units)
			}
		}
		if onChain.Cmp(moved) > 0 {
			texts = append(texts, fmt.Sprintf("sweep %s moved %s %s from %s, and %s are recorded", w.ID,
				onChain.Format(i.Asset.Decimals), i.Asset.Symbol, i.Address.Address, moved.Format(i.Asset.Decimals)))
		}
	}
	return texts
}
