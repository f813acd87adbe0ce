package settlement

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// Ledger is a network whose balances are compared with the books.
type Ledger struct {
	Profile chain.Profile
	Reader  interface {
		Heads(ctx context.Context) (chain.Heads, error)
		Balances(ctx context.Context, asset chain.Asset, addresses []chain.Address, at chain.Head) ([]money.Units, error)
		Confirm(ctx context.Context, transfers []chain.Transfer, at chain.Head) (chain.Verdict, error)
		Find(ctx context.Context, tx chain.TxHash) (chain.Found, error)
	}
	// Coins returns what addresses hold of the native coin; nil where that
	// says nothing.
	Coins func(ctx context.Context, addresses []chain.Address, at chain.Head) ([]money.Units, error)
}

// Difference is one thing that chain and books tell differently.
type Difference struct {
	Network   chain.Network
	Address   chain.Address // empty for a transaction
	PaymentID string
	Text      string // what differs, and what to do
}

func (d Difference) String() string {
	text := string(d.Network)
	if d.PaymentID != "" {
		text += " payment " + d.PaymentID
	}
	if d.Address != "" {
		text += " address " + string(d.Address)
	}
	return text + ": " + d.Text
}

// Reconciler compares the chains with the books.
type Reconciler struct {
	Books   BookStore
	Ledgers []Ledger
	// Since bounds which deposits and sweeps are looked up one by one; nodes
	// forget old transactions. Balances are compared whatever their age.
	Since time.Time
	// Wait lets what is on its way arrive before a difference is believed.
	Wait func(context.Context) error
	// Progress is told after each address.
	Progress func(done int)
}

const (
	// addressesAtOnce is how many addresses are compared together.
	addressesAtOnce = 100
	// looks is how often a difference is looked at before it is told: money
	// may arrive, or be swept, while chain and books are read.
	looks = 3
)

// Run compares every address that was ever shown, on every network it exists
// on, and returns what differs.
func (r Reconciler) Run(ctx context.Context) ([]Difference, error) {
	var all []Difference
	done, row := 0, int64(0)
	for {
		page, err := r.Books.ShownAfter(ctx, row, addressesAtOnce)
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
		row = page[len(page)-1].Row
		done += len(page)
		r.Progress(done)
	}
	for _, l := range r.Ledgers {
		found, err := r.sweeps(ctx, l)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// page compares some addresses, and those that differ again.
func (r Reconciler) page(ctx context.Context, page []Shown) ([]Difference, error) {
	var all []Difference
	for _, l := range r.Ledgers {
		mine := On(l.Profile.Network, page)
		var found []Difference
		for look := 0; look < looks && len(mine) > 0; look++ {
			if look > 0 {
				if err := r.Wait(ctx); err != nil {
					return nil, err
				}
			}
			var err error
			if found, err = r.compare(ctx, l, mine); err != nil {
				return nil, err
			}
			mine = of(mine, found)
		}
		all = append(all, found...)
	}
	return all, nil
}

// On lists the addresses that exist on the network, each once.
func On(n chain.Network, page []Shown) []Shown {
	var list []Shown
	seen := make(map[chain.Address]bool)
	for _, s := range page {
		if (s.Network == n || s.Network.EVM() && n.EVM()) && !seen[s.Address.Address] {
			seen[s.Address.Address] = true
			list = append(list, s)
		}
	}
	return list
}

// of lists the addresses that differences are about.
func of(page []Shown, found []Difference) []Shown {
	differs := make(map[chain.Address]bool)
	for _, d := range found {
		differs[d.Address] = true
	}
	var list []Shown
	for _, s := range page {
		if differs[s.Address.Address] {
			list = append(list, s)
		}
	}
	return list
}

// compare reads the chain first, so that money that arrives meanwhile is in
// the books at worst, and in the chain's balance at the next look.
func (r Reconciler) compare(ctx context.Context, l Ledger, page []Shown) ([]Difference, error) {
	heads, err := l.Reader.Heads(ctx)
	if err != nil {
		return nil, err
	}
	addresses := make([]chain.Address, len(page))
	for i, s := range page {
		addresses[i] = s.Address.Address
	}
	coin := chain.Asset{Network: l.Profile.Network, Symbol: l.Profile.Coin, Decimals: l.Profile.Network.CoinDecimals()}
	holdings := make(map[chain.Asset][]money.Units)
	for _, a := range l.Profile.Assets {
		if holdings[a], err = l.Reader.Balances(ctx, a, addresses, heads.Latest); err != nil {
			return nil, err
		}
	}
	if l.Coins != nil {
		if holdings[coin], err = l.Coins(ctx, addresses, heads.Latest); err != nil {
			return nil, err
		}
	}
	list, err := r.Books.Books(ctx, addresses)
	if err != nil {
		return nil, err
	}
	books := make(map[bookKey]Book, len(list))
	for _, b := range list {
		books[bookKey{b.Network, b.Address, b.Contract}] = b
	}
	var found []Difference
	for asset, balances := range holdings {
		for i, s := range page {
			b := books[bookKey{l.Profile.Network, s.Address.Address, asset.Contract}]
			for _, text := range b.differences(asset, balances[i]) {
				found = append(found, Difference{l.Profile.Network, s.Address.Address, s.PaymentID, text})
			}
		}
	}
	lost, err := r.deposits(ctx, l, heads, list)
	return append(found, lost...), err
}

type bookKey struct {
	network           chain.Network
	address, contract chain.Address
}

// differences compares a book with what the address holds. A book without
// entries is the zero Book.
func (b Book) differences(a chain.Asset, holds money.Units) []string {
	show := func(u money.Units) string { return u.Format(a.Decimals) + " " + a.Symbol }
	var texts []string
	rest, surplus := b.Early.Sub(b.Moved), b.Moved.Sub(b.Early)
	if rest.Cmp(money.Units{}) < 0 {
		rest = money.Units{}
	}
	if surplus.Cmp(b.Found) > 0 {
		texts = append(texts, fmt.Sprintf("sweeps moved %s, and deposits are recorded of %s only; run `florin rescan` from before they came",
			show(b.Moved), show(b.Early)))
	}
	if b.Marked.Cmp(b.Moved) > 0 {
		texts = append(texts, fmt.Sprintf("deposits of %s are marked as swept, and only %s were moved", show(b.Marked), show(b.Moved)))
	}
	switch want := rest.Add(b.Late); holds.Cmp(want) {
	case 1:
		texts = append(texts, fmt.Sprintf("it holds %s, and %s are recorded; run `florin rescan`, or bring it home with `florin sweep --address`",
			show(holds), show(want)))
	case -1:
		texts = append(texts, fmt.Sprintf("it holds %s, and %s are recorded; somebody else may have swept it, which the next sweep finds out",
			show(holds), show(want)))
	}
	return texts
}

// deposits asks the chain for every recorded deposit that is not too old.
func (r Reconciler) deposits(ctx context.Context, l Ledger, heads chain.Heads, books []Book) ([]Difference, error) {
	var found []Difference
	for _, b := range books {
		if b.Network != l.Profile.Network {
			continue
		}
		for _, t := range b.Deposits {
			if t.Block.Time.Before(r.Since) || t.Block.Number > heads.Final.Number {
				continue
			}
			verdict, err := l.Reader.Confirm(ctx, []chain.Transfer{t}, heads.Final)
			if err != nil {
				return nil, fmt.Errorf("deposit %s: %w", t.Tx, err)
			}
			if verdict == chain.Missing {
				text := fmt.Sprintf("the deposit of %s %s in %s is not on the chain", t.Units.Format(t.Asset.Decimals), t.Asset.Symbol, t.Tx)
				found = append(found, Difference{l.Profile.Network, b.Address, b.PaymentID, text})
			}
		}
	}
	return found, nil
}

// sweeps looks every confirmed sweep up that is not too old.
func (r Reconciler) sweeps(ctx context.Context, l Ledger) ([]Difference, error) {
	list, err := r.Books.ConfirmedSince(ctx, l.Profile.Network, r.Since)
	if err != nil {
		return nil, err
	}
	var all []Difference
	for _, w := range list {
		found, err := l.Reader.Find(ctx, w.Tx)
		if err != nil {
			return nil, fmt.Errorf("sweep %s: %w", w.ID, err)
		}
		for _, text := range w.differences(found) {
			all = append(all, Difference{Network: l.Profile.Network, Text: text})
		}
	}
	return all, nil
}

// differences compares a confirmed sweep with its transaction. What it moved
// may be more than the transaction shows, when somebody else had flushed an
// address before; never less.
func (w Sweep) differences(f chain.Found) []string {
	if !f.Exists || f.Failed || !f.Final {
		return []string{fmt.Sprintf("sweep %s is recorded as confirmed, and its transaction %s is not on the chain", w.ID, w.Tx)}
	}
	var texts []string
	for _, i := range w.Items {
		moved, _ := w.moved(i)
		var shown money.Units
		for _, t := range f.Transfers {
			if t.From == i.Address.Address && t.Asset.Contract == i.Asset.Contract {
				shown = shown.Add(t.Units)
			}
		}
		if shown.Cmp(moved) > 0 {
			texts = append(texts, fmt.Sprintf("sweep %s moved %s %s from %s, and %s are recorded", w.ID,
				shown.Format(i.Asset.Decimals), i.Asset.Symbol, i.Address.Address, moved.Format(i.Asset.Decimals)))
		}
	}
	return texts
}
