package settlement

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// DepositAddress is an address that was shown to a payer.
type DepositAddress struct {
	Payment    int64 // the number of the payment; for paging
	PaymentID  string
	Scheme     chain.AddressScheme
	Network    chain.Network // it was shown for; an EVM address exists on every EVM network
	Address    chain.Watched
	Settlement chain.Address
}

// Item returns the item of a rescue that moves an asset from the address.
func (a DepositAddress) Item(asset chain.Asset, units money.Units) chain.SweepItem {
	return chain.SweepItem{
		PaymentID: a.PaymentID, Scheme: a.Scheme, Address: a.Address, Settlement: a.Settlement,
		Asset: asset, Expected: units, Rescue: true,
	}
}

// Record is what the database holds on one address in one asset.
type Record struct {
	Network   chain.Network
	Address   chain.Address
	Contract  chain.Address
	PaymentID string
	// Early is the sum of deposits up to the block of the last sweep, Late of
	// those after it; vanished deposits are in neither.
	Early, Late money.Units
	// Moved is what sweeps moved, Marked the sum of deposits marked as swept,
	// Found what a rescue moved beyond all deposits.
	Moved, Marked, Found money.Units
	Deposits             []chain.Transfer // the final ones
}

// RecordStore reads what is compared with the chains, and keeps what the daily comparison finds.
type RecordStore interface {
	// DepositAddressesAfter lists addresses after the last of the page before, at most limit; zero: from the first.
	DepositAddressesAfter(ctx context.Context, last DepositAddress, limit int) ([]DepositAddress, error)
	// Records returns the records of the addresses on the network.
	Records(ctx context.Context, n chain.Network, addresses []chain.Address) ([]Record, error)
	// ConfirmedSince lists the network's sweeps confirmed since then.
	ConfirmedSince(ctx context.Context, n chain.Network, since time.Time) ([]Sweep, error)
	// ReceivingAfter lists the addresses of payments after the one given that have not ended, or ended after
	// endedAfter, by payment: those of so many payments.
	ReceivingAfter(ctx context.Context, payment int64, endedAfter time.Time, payments int) ([]DepositAddress, error)
	// Comparison returns the last daily comparison of the network; ok is false before the first.
	Comparison(ctx context.Context, n chain.Network) (c Comparison, ok bool, err error)
	// SaveComparison stores how far it is, with the differences that are not stored yet.
	SaveComparison(ctx context.Context, c Comparison, found []OpenDifference) error
	// OpenDifferences lists those of the network that are due, the longest due first.
	OpenDifferences(ctx context.Context, n chain.Network, due time.Time, limit int) ([]OpenDifference, error)
	// SaveDifference stores what has become of one. Without a text it is gone.
	SaveDifference(ctx context.Context, d OpenDifference) error
}
