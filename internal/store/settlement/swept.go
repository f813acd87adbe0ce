package settlement

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/store/db"
)

// SweptFrom returns what sweeps have moved from each of the addresses in the asset, apart from what a rescue found that
// belongs to no deposit. It leaves out an address that is part of a sweep in flight.
func (s *Store) SweptFrom(
	ctx context.Context, a chain.Asset, addresses []chain.Address,
) (map[chain.Address]money.Units, error) {
	var rows []struct {
		Address      db.Packed
		Moved, Found string
		InFlight     bool
	}
	network, contract, list := string(a.Network), db.Packed(a.Contract), bun.List(db.PackedList(addresses))
	// One statement sees one moment: a sweep is in flight, or what it moved is counted.
	err := s.db.Reader().NewRaw("SELECT address, moved, found, FALSE AS in_flight FROM deposit_balances "+
		"WHERE network = ? AND contract = ? AND address IN (?) "+
		"UNION ALL SELECT i.address, '0', '0', TRUE FROM sweep_items AS i JOIN sweeps AS s ON s.id = i.sweep_id "+
		"WHERE s.network = ? AND s.ended_at IS NULL AND i.contract = ? AND i.address IN (?)",
		network, contract, list, network, contract, list).Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("what was swept on %s: %w", a.Network, err)
	}
	swept := make(map[chain.Address]money.Units, len(addresses))
	for _, address := range addresses {
		swept[address] = money.Units{}
	}
	inFlight := make(map[chain.Address]bool)
	for _, r := range rows {
		address := chain.Address(r.Address)
		if r.InFlight {
			inFlight[address] = true
			continue
		}
		moved, err := money.ParseUnits(r.Moved)
		if err != nil {
			return nil, fmt.Errorf("what was moved from %s: %w", address, err)
		}
		found, err := money.ParseUnits(r.Found)
		if err != nil {
			return nil, fmt.Errorf("what was found on %s: %w", address, err)
		}
		swept[address] = moved.Sub(found)
	}
	for address := range inFlight {
		delete(swept, address)
	}
	return swept, nil
}

// SweptAhead lists, the newest first, balances on the network of which sweeps up to the block moved more than is marked
// as swept, of payments that have not ended or ended after endedAfter, at most limit.
func (s *Store) SweptAhead(
	ctx context.Context, n chain.Network, block uint64, endedAfter time.Time, limit int,
) ([]watch.Swept, error) {
	var rows []struct {
		PublicID          string
		Address, Contract db.Packed
		Moved, Found      string
		Through           int64
	}
	err := s.db.Reader().NewRaw("SELECT p.public_id, b.address, b.contract, b.moved, b.found, b.through "+
		"FROM deposit_balances AS b JOIN payments AS p ON p.id = b.payment_id WHERE b.network = ? AND b.ahead "+
		"AND b.through <= ? AND (p.ended_at IS NULL OR p.ended_at > ?) ORDER BY b.through DESC, b.address LIMIT ?",
		string(n), int64(block), db.At(endedAfter), limit).Scan(ctx, &rows) //nolint:gosec // a block number
	if err != nil {
		return nil, fmt.Errorf("what sweeps moved ahead on %s: %w", n, err)
	}
	list := make([]watch.Swept, len(rows))
	for i, r := range rows {
		amounts, err := parseAll(r.Moved, r.Found)
		if err != nil {
			return nil, fmt.Errorf("balance %s: %w", r.Address, err)
		}
		list[i] = watch.Swept{
			PaymentID: payment.ID(r.PublicID), Address: chain.Address(r.Address), Contract: chain.Address(r.Contract),
			Units: amounts[0].Sub(amounts[1]), Through: uint64(r.Through), //nolint:gosec // a block number
		}
	}
	return list, nil
}
