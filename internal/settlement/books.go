package settlement

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// Shown is an address that was shown to a payer.
type Shown struct {
	Row        int64 // its place among all, for paging
	PaymentID  string
	Number     int64
	Network    chain.Network // it was shown for; on EVM networks it exists on all of them
	Address    chain.Watched
	Settlement chain.Address
}

// Item returns what a sweep takes along to bring an asset of the address home.
func (s Shown) Item(a chain.Asset, units money.Units) chain.SweepItem {
	return chain.SweepItem{
		PaymentID: s.PaymentID, Number: s.Number, Address: s.Address, Settlement: s.Settlement, Asset: a, Expected: units, Rescue: true,
	}
}

// Book is what is written about one address in one asset.
type Book struct {
	Network   chain.Network
	Address   chain.Address
	Contract  chain.Address
	PaymentID string
	// Early is what was deposited up to the block of the last sweep, Late what
	// came afterwards; vanished deposits are in neither.
	Early, Late money.Units
	// Moved is what sweeps moved, Marked what of the deposits is marked as
	// swept, Found what a rescue moved beyond all deposits.
	Moved, Marked, Found money.Units
	Deposits             []chain.Transfer // the final ones
}

// BookStore reads the books.
type BookStore interface {
	// ShownAfter lists addresses by row after the one given, at most limit.
	ShownAfter(ctx context.Context, row int64, limit int) ([]Shown, error)
	// Books returns what is written about the addresses, on every network.
	Books(ctx context.Context, addresses []chain.Address) ([]Book, error)
	// ConfirmedSince lists the network's sweeps that were confirmed since then.
	ConfirmedSince(ctx context.Context, n chain.Network, since time.Time) ([]Sweep, error)
}
