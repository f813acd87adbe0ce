package store

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/store/db"
)

// stakesQuery reads what is at stake on one network with few rows: its open payments, its pending deposits, and the
// newest end of a payment.
const stakesQuery = `SELECT
(SELECT until FROM presence WHERE network = ?0) AS page_until,
(SELECT max(l.at) FROM looks AS l WHERE l.network = ?0) AS looked_at,
(SELECT moves FROM cursors WHERE network = ?0) AS moves,
(SELECT max(r.since) FROM payments AS p JOIN routes AS r ON r.payment_id = p.id
	WHERE p.ended_at IS NULL AND p.status = 'STARTED' AND r.network = ?0) AS started_at,
(SELECT min(p.expires_at) FROM payments AS p JOIN routes AS r ON r.payment_id = p.id
	WHERE p.ended_at IS NULL AND p.status = 'STARTED' AND (r.network = ?0 OR r.also LIKE ?3)) AS expires_at,
(SELECT min(d.block_number) FROM deposits AS d
	WHERE d.network = ?0 AND NOT d.rechecked AND d.state <> 'VANISHED' AND d.state = 'SEEN') AS pending,
(SELECT min(d.block_time) FROM deposits AS d
	WHERE d.network = ?0 AND NOT d.rechecked AND d.state <> 'VANISHED' AND d.state = 'SEEN') AS pending_since,
(SELECT count(*) FROM deposits AS d JOIN routes AS r ON r.payment_id = d.payment_id AND r.network = d.network
	WHERE d.network = ?0 AND NOT d.rechecked AND d.state <> 'VANISHED' AND d.state = 'SEEN' AND r.finality <> '') AS own_rule,
(SELECT p.ended_at FROM payments AS p WHERE p.ended_at > ?1 AND p.ended_at IS NOT NULL AND p.started_at IS NOT NULL
	AND p.network = ?0 ORDER BY p.ended_at DESC LIMIT 1) AS ended_at,
(SELECT count(*) FROM (SELECT 1 FROM payments AS p
	WHERE p.ended_at > ?2 AND p.ended_at IS NOT NULL AND p.started_at IS NOT NULL LIMIT 1) AS one) AS ended`

// Stakes returns what is at stake on the network. It knows when a payment ended after justEnded, and whether any ended
// after watchedAfter: the addresses of one network are watched on others too.
func (s *Store) Stakes(
	ctx context.Context, n chain.Network, justEnded, watchedAfter time.Time,
) (watch.Stakes, error) {
	var row struct {
		PageUntil    instant
		LookedAt     instant
		Moves        *int64
		StartedAt    instant
		ExpiresAt    instant
		Pending      *int64
		PendingSince instant
		OwnRule      int64
		EndedAt      instant
		Ended        int64
	}
	if err := s.db.Reader().NewRaw(
		stakesQuery, string(n), db.At(justEnded), db.At(watchedAfter), countsOn(n),
	).Scan(ctx, &row); err != nil {
		return watch.Stakes{}, fmt.Errorf("what is at stake on %s: %w", n, err)
	}
	stakes := watch.Stakes{
		PageUntil: row.PageUntil.Time, StartedAt: row.StartedAt.Time, ExpiresAt: row.ExpiresAt.Time,
		PendingSince: row.PendingSince.Time, OwnRule: row.OwnRule > 0, EndedAt: row.EndedAt.Time,
		Ended: row.Ended > 0, LookedAt: row.LookedAt.Time,
	}
	if row.Moves != nil {
		stakes.Moves = *row.Moves
	}
	if row.Pending != nil {
		stakes.Pending = uint64(max(*row.Pending, 0))
	}
	return stakes, nil
}

// countsOn is the pattern of routes whose money counts on the network too, though another was chosen
// (payment.Route.Also).
func countsOn(n chain.Network) string { return "%" + string(n) + ".%" }

// maxLooks bounds how many ended payments count as open because their pages are.
const maxLooks = 1_000

// OpenAddresses returns the addresses of started payments that have not ended or ended after endedAfter: those on the
// network, and those on which money there counts. Payments with money that is not final yet, and those whose page was
// open after endedAfter, are among them.
func (s *Store) OpenAddresses(
	ctx context.Context, n chain.Network, endedAfter time.Time,
) ([]chain.Watched, error) {
	const columns = "SELECT r.address, r.raw FROM payments AS p CROSS JOIN routes AS r WHERE r.payment_id = p.id AND " +
		"(r.network = ?0 OR r.also LIKE ?2 AND NOT EXISTS " +
		"(SELECT 1 FROM routes AS o WHERE o.payment_id = p.id AND o.network = ?0)) AND "
	var rows []struct {
		Address db.Packed
		Raw     []byte
	}
	if err := s.db.Reader().NewRaw(
		columns+"p.ended_at IS NULL UNION ALL "+columns+"p.ended_at > ?1 AND p.ended_at IS NOT NULL AND p.started_at IS NOT NULL "+
			"UNION SELECT r.address, r.raw FROM deposits AS d JOIN routes AS r ON r.payment_id = d.payment_id "+
			"AND r.network = d.network WHERE d.network = ?0 AND NOT d.rechecked AND d.state <> 'VANISHED' "+
			"UNION SELECT r.address, r.raw FROM routes AS r WHERE r.network = ?0 AND r.payment_id IN (SELECT l.payment_id "+
			"FROM looks AS l WHERE l.network = ?0 AND l.at > ?1 ORDER BY l.at DESC LIMIT ?3)",
		string(n), db.At(endedAfter), countsOn(n), maxLooks,
	).Scan(ctx, &rows); err != nil {
		return nil, fmt.Errorf("addresses of open payments on %s: %w", n, err)
	}
	list := make([]chain.Watched, len(rows))
	for i, r := range rows {
		list[i] = chain.Watched{Address: chain.Address(r.Address), Raw: r.Raw}
	}
	return list, nil
}
