package settlement

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// shownRow is an address that was shown to a payer.
type shownRow struct {
	PaymentID  int64
	PublicID   string
	Scheme     int64
	Network    string
	Address    db.Packed
	Raw        []byte
	Settlement db.Packed
}

const (
	selectShown = "SELECT r.payment_id, p.public_id, r.scheme, r.network, r.address, r.raw, r.settlement FROM "
	anyShown    = "routes AS r JOIN payments AS p ON p.id = r.payment_id WHERE "
)

// DepositAddressesAfter lists addresses after the one given, which is zero for the first, at most limit.
func (s *Store) DepositAddressesAfter(
	ctx context.Context, last settlement.DepositAddress, limit int,
) ([]settlement.DepositAddress, error) {
	// The page is taken before it is joined: a planner may otherwise walk all payments before it beside it.
	return s.shownIn(ctx, "(SELECT * FROM routes WHERE (payment_id, network) > (?, ?) ORDER BY payment_id, network "+
		"LIMIT ?) AS r JOIN payments AS p ON p.id = r.payment_id ORDER BY r.payment_id, r.network",
		last.Payment, string(last.Network), limit)
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
	var n int64
	if err := s.db.Reader().NewRaw("SELECT count(*) FROM routes").Scan(ctx, &n); err != nil {
		return 0, fmt.Errorf("count addresses: %w", err)
	}
	return int(n), nil
}

func (s *Store) shownIn(ctx context.Context, from string, args ...any) ([]settlement.DepositAddress, error) {
	var rows []shownRow
	if err := s.db.Reader().NewRaw(selectShown+from, args...).Scan(ctx, &rows); err != nil {
		return nil, fmt.Errorf("addresses that were shown: %w", err)
	}
	list := make([]settlement.DepositAddress, len(rows))
	for i, r := range rows {
		list[i] = settlement.DepositAddress{
			Payment: r.PaymentID, PaymentID: r.PublicID,
			Scheme: chain.AddressScheme(r.Scheme), Network: chain.Network(r.Network),
			Address: chain.Watched{
				Address: chain.Address(r.Address), Raw: r.Raw,
			}, Settlement: chain.Address(r.Settlement),
		}
	}
	return list, nil
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
	err := s.db.Snapshot(ctx, func(ctx context.Context, t db.Tx) error {
		err := t.NewRaw("SELECT balance.*, p.public_id FROM deposit_balances AS balance JOIN payments AS p ON p.id = balance.payment_id WHERE balance.network = ? AND balance.address IN (?)",
			string(n), bun.List(texts)).Scan(ctx, &balances)
		if err != nil {
			return err
		}
		return t.NewRaw("SELECT d.*, p.public_id FROM deposits AS d JOIN payments AS p ON p.id = d.payment_id "+
			"WHERE d.payment_id IN (SELECT payment_id FROM routes WHERE address IN (?0)) AND d.to_address IN (?0) "+
			"AND d.network = ?1 AND d.state <> 'VANISHED' ORDER BY d.id",
			bun.List(texts), string(n)).Scan(ctx, &deposits)
	})
	if err != nil {
		return nil, fmt.Errorf("records of %d addresses: %w", len(texts), err)
	}
	records, err := recordsOf(balances, deposits)
	if err != nil {
		return nil, fmt.Errorf("records of %d addresses: %w", len(texts), err)
	}
	return records, nil
}

// balanceOfRow is a balance with its payment's id, depositOfRow a deposit with it.
type balanceOfRow struct {
	balanceRow `bun:",extend"`
	PublicID   string
}

type depositOfRow struct {
	table.DepositRow `bun:",extend"`
	ID               int64
	KeyID            int64
	PublicID         string
}

type recordKey struct {
	network           string
	address, contract db.Packed
}

func recordsOf(balances []balanceOfRow, deposits []depositOfRow) ([]settlement.Record, error) {
	var records []settlement.Record
	index := make(map[recordKey]int)
	through := make(map[recordKey]int64)
	open := func(p recordKey, paymentID string) *settlement.Record {
		i, known := index[p]
		if !known {
			i = len(records)
			index[p] = i
			records = append(records, settlement.Record{
				Network: chain.Network(
					p.network,
				), Address: chain.Address(p.address), Contract: chain.Address(p.contract),
				PaymentID: paymentID,
			})
		}
		return &records[i]
	}
	for _, r := range balances {
		amounts, err := parseAll(r.Moved, r.Found)
		if err != nil {
			return nil, fmt.Errorf("balance %s: %w", r.Address, err)
		}
		p := recordKey{r.Network, r.Address, r.Contract}
		b := open(p, r.PublicID)
		b.Moved, b.Found, through[p] = amounts[0], amounts[1], r.Through
	}
	for _, r := range deposits {
		p := recordKey{r.Network, r.ToAddress, r.Contract}
		if err := enter(open(p, r.PublicID), r.DepositRow, through[p]); err != nil {
			return nil, err
		}
	}
	return records, nil
}

// enter adds a deposit to the record of its balance.
func enter(b *settlement.Record, r table.DepositRow, through int64) error {
	d, err := r.Deposit()
	if err != nil {
		return err
	}
	place := &b.Late
	if r.BlockNumber <= through {
		place = &b.Early
	}
	*place = place.Add(d.Transfer.Units)
	if d.Swept {
		b.Marked = b.Marked.Add(d.Transfer.Units)
	}
	if r.State == "FINAL" && r.Folded == 0 { // a folded one is in many transactions
		b.Deposits = append(b.Deposits, d.Transfer)
	}
	return nil
}

// ConfirmedSince lists the network's sweeps that were confirmed since then.
func (s *Store) ConfirmedSince(ctx context.Context, n chain.Network, since time.Time) ([]settlement.Sweep, error) {
	var ids []string
	err := s.db.Reader().NewRaw("SELECT public_id FROM sweeps WHERE network = ? AND ended_at >= ? AND state = ? ORDER BY ended_at, id",
		string(n), db.From(since), string(settlement.Confirmed)).Scan(ctx, &ids)
	if err != nil {
		return nil, fmt.Errorf("confirmed sweeps of %s: %w", n, err)
	}
	list := make([]settlement.Sweep, len(ids))
	for i, id := range ids {
		if list[i], err = s.Sweep(ctx, settlement.ID(id)); err != nil {
			return nil, err
		}
	}
	return list, nil
}
