package settlement

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

var _ = db.NewTable[settlement.DepositAddress]("routes", `
	read: payment_id=Payment public_id=PaymentID scheme network address=Address.Address/bytes raw=Address.Raw settlement/bytes`)

const (
	selectShown = "SELECT r.payment_id, p.public_id, r.scheme, r.network, r.address, r.raw, r.settlement FROM "
	anyShown    = "routes AS r JOIN payments AS p ON p.id = r.payment_id WHERE "
)

// DepositAddressesAfter lists addresses after the one given, which is zero for the first, at most limit.
func (s *Store) DepositAddressesAfter(
	ctx context.Context, last settlement.DepositAddress, limit int,
) ([]settlement.DepositAddress, error) {
	// The page is taken before it is joined: a planner may otherwise walk all payments before it beside it.
	return s.shownIn(ctx, `(SELECT * FROM routes WHERE (payment_id, network) > (?, ?) ORDER BY payment_id, network
		LIMIT ?) AS r JOIN payments AS p ON p.id = r.payment_id ORDER BY r.payment_id, r.network`,
		last.Payment, last.Network, limit)
}

// DepositAddressesAt lists what was shown with the address, on every network.
func (s *Store) DepositAddressesAt(ctx context.Context, a chain.Address) ([]settlement.DepositAddress, error) {
	return s.shownIn(ctx, anyShown+"r.address = ? ORDER BY r.id", db.Packed(a))
}

// DepositAddressesOf lists the addresses that were shown for a payment.
func (s *Store) DepositAddressesOf(ctx context.Context, paymentID string) ([]settlement.DepositAddress, error) {
	return s.shownIn(ctx, anyShown+"p.public_id = ? ORDER BY r.id", paymentID)
}

// CountDepositAddresses returns how many addresses were ever shown.
func (s *Store) CountDepositAddresses(ctx context.Context) (int, error) {
	n, err := db.First[int](ctx, s.db.Reader(), nil, "SELECT count(*) FROM routes")
	return n, db.Wrap(err, "count addresses")
}

func (s *Store) shownIn(ctx context.Context, from string, args ...any) ([]settlement.DepositAddress, error) {
	list, err := db.All[settlement.DepositAddress](ctx, s.db.Reader(), selectShown+from, args...)
	return list, db.Wrap(err, "addresses that were shown")
}

// Records returns what is recorded of the addresses on the network.
func (s *Store) Records(
	ctx context.Context, n chain.Network, addresses []chain.Address,
) ([]settlement.Record, error) {
	texts := db.PackedList(addresses)
	if len(texts) == 0 {
		return nil, nil
	}
	var balances []balanceOfRow
	var deposits []depositOfRow
	err := s.db.Snapshot(ctx, func(ctx context.Context, t db.Tx) (err error) {
		balances, err = db.All[balanceOfRow](ctx, t, `SELECT balance.*, p.public_id FROM deposit_balances AS balance
			JOIN payments AS p ON p.id = balance.payment_id WHERE balance.network = ? AND balance.address IN (?)`, n, bun.List(texts))
		if err != nil {
			return err
		}
		deposits, err = db.All[depositOfRow](ctx, t, `SELECT d.*, p.public_id FROM deposits AS d JOIN payments AS p ON p.id = d.payment_id
			WHERE d.payment_id IN (SELECT payment_id FROM routes WHERE address IN (?0)) AND d.to_address IN (?0)
			AND d.network = ?1 AND d.state <> 'VANISHED' ORDER BY d.id`, bun.List(texts), n)
		return err
	})
	return recordsOf(balances, deposits), db.Wrap(err, "records of %d addresses", len(texts))
}

// balanceOfRow is a balance with its payment's id, depositOfRow a deposit with it.
type balanceOfRow struct {
	balanceRow

	PublicID string
}

type depositOfRow struct {
	table.DepositRow

	PublicID string
}

type recordKey struct {
	network           chain.Network
	address, contract chain.Address
}

func recordsOf(balances []balanceOfRow, deposits []depositOfRow) []settlement.Record {
	var records []settlement.Record
	index := make(map[recordKey]int)
	through := make(map[recordKey]uint64)
	open := func(p recordKey, paymentID string) *settlement.Record {
		i, known := index[p]
		if !known {
			i = len(records)
			index[p] = i
			records = append(records, settlement.Record{
				Network: p.network, Address: p.address, Contract: p.contract, PaymentID: paymentID,
			})
		}
		return &records[i]
	}
	for _, r := range balances {
		p := recordKey{r.Network, r.Address, r.Contract}
		b := open(p, r.PublicID)
		b.Moved, b.Found, through[p] = r.Moved, r.Found, r.Through
	}
	for _, r := range deposits {
		p := recordKey{r.Transfer.Network, r.Transfer.To, r.Transfer.Asset.Contract}
		enter(open(p, r.PublicID), r.Whole(), through[p])
	}
	return records
}

// enter adds a deposit to the record of its balance.
func enter(b *settlement.Record, d payment.Deposit, through uint64) {
	place := &b.Late
	if d.Transfer.Block.Number <= through {
		place = &b.Early
	}
	*place = place.Add(d.Transfer.Units)
	if d.Swept {
		b.Marked = b.Marked.Add(d.Transfer.Units)
	}
	if d.State == payment.DepositFinal && d.Count == 0 { // a folded one is in many transactions
		b.Deposits = append(b.Deposits, d.Transfer)
	}
}

// ConfirmedSince lists the network's sweeps that were confirmed since then.
func (s *Store) ConfirmedSince(ctx context.Context, n chain.Network, since time.Time) ([]settlement.Sweep, error) {
	ids, err := db.All[settlement.ID](ctx, s.db.Reader(), `SELECT public_id FROM sweeps WHERE network = ? AND ended_at >= ?
		AND state = ? ORDER BY ended_at, id`, n, db.From(since), settlement.Confirmed)
	if err != nil {
		return nil, fmt.Errorf("confirmed sweeps of %s: %w", n, err)
	}
	list := make([]settlement.Sweep, len(ids))
	for i, id := range ids {
		if list[i], err = s.Sweep(ctx, id); err != nil {
			return nil, err
		}
	}
	return list, nil
}
