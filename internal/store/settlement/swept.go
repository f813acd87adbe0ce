package settlement

import (
	"context"
	"fmt"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/store/db"
)

// SweptFrom returns what sweeps have moved from each of the addresses in the asset, apart from what a rescue found that
// belongs to no deposit. It leaves out an address that is part of a sweep in flight.
func (s *Store) SweptFrom(
	ctx context.Context, a chain.Asset, addresses []chain.Address,
) (map[chain.Address]money.Units, error) {
	contract, list := db.Packed(a.Contract), bun.List(db.PackedList(addresses))
	// One statement sees one moment: a sweep is in flight, or what it moved is counted.
	rows, err := db.All[struct {
		Address      chain.Address
		Moved, Found money.Units
		InFlight     bool
	}](ctx, s.db.Reader(), `SELECT address, moved, found, FALSE AS in_flight FROM deposit_balances
		WHERE network = ? AND contract = ? AND address IN (?)
		UNION ALL SELECT i.address, '0', '0', TRUE FROM sweep_items AS i JOIN sweeps AS s ON s.id = i.sweep_id
		WHERE s.network = ? AND s.ended_at IS NULL AND i.contract = ? AND i.address IN (?)`,
		a.Network, contract, list, a.Network, contract, list)
	if err != nil {
		return nil, fmt.Errorf("what was swept on %s: %w", a.Network, err)
	}
	swept := make(map[chain.Address]money.Units, len(addresses))
	for _, address := range addresses {
		swept[address] = money.Units{}
	}
	inFlight := make(map[chain.Address]bool)
	for _, r := range rows {
		if r.InFlight {
			inFlight[r.Address] = true
			continue
		}
		swept[r.Address] = r.Moved.Sub(r.Found)
	}
	for address := range inFlight {
		delete(swept, address)
	}
	return swept, nil
}
