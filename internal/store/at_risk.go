package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/store/db"
)

// atRiskQuery reads what is at risk on one network, whatever is open.
const atRiskQuery = `SELECT
(SELECT until FROM presence WHERE network = ?0) AS page_until,
(SELECT max(l.at) FROM looks AS l WHERE l.network = ?0) AS looked_at,
coalesce((SELECT moves FROM cursors WHERE network = ?0), 0) AS moves,
(SELECT count(*) FROM (SELECT 1 FROM deposits AS d
	WHERE d.network = ?0 AND NOT d.rechecked AND d.state <> 'VANISHED' AND d.state = 'FINAL' LIMIT 1) AS counted) > 0 AS early`

// waitingQuery reads the payments with money on one network that is not final yet. One that has very many deposits is
// not counted through.
const waitingQuery = `SELECT min(d.block_number) AS block, min(d.block_time) AS since,
max(CASE WHEN r.finality <> '' THEN 1 ELSE 0 END) = 1 AS own_rule,
(SELECT count(*) FROM (SELECT 1 FROM deposits AS e WHERE e.payment_id = d.payment_id LIMIT ?1) AS counted) AS deposits
FROM deposits AS d LEFT JOIN routes AS r ON r.payment_id = d.payment_id AND r.network = d.network
WHERE d.network = ?0 AND NOT d.rechecked AND d.state <> 'VANISHED' AND d.state = 'SEEN'
GROUP BY d.payment_id ORDER BY block LIMIT ?2`

// maxWaiting bounds how many payments with money that is not final are read.
const maxWaiting = 1_000

// openQuery reads the newest start and the next end of open payments on one network, from all of them. Its cost grows
// with how many are open on any network, which it counts.
const openQuery = `SELECT
max(CASE WHEN r.network = ?0 THEN r.since END) AS started_at,
max(CASE WHEN r.network = ?0 OR r.also LIKE ?3 THEN r.since END) AS added_at,
min(CASE WHEN r.network = ?0 OR r.also LIKE ?3 THEN p.expires_at END) AS expires_at, count(*) AS rows,
(SELECT p.ended_at FROM payments AS p WHERE p.ended_at > ?1 AND p.ended_at IS NOT NULL AND p.started_at IS NOT NULL
	AND p.network = ?0 ORDER BY p.ended_at DESC LIMIT 1) AS ended_at,
(SELECT count(*) FROM (SELECT 1 FROM payments AS p
	WHERE p.ended_at > ?2 AND p.ended_at IS NOT NULL AND p.started_at IS NOT NULL LIMIT 1) AS one) > 0 AS ended
FROM payments AS p CROSS JOIN routes AS r WHERE r.payment_id = p.id AND p.ended_at IS NULL AND p.status = 'STARTED'`

// newerQuery is openQuery for addresses that were stored since.
const newerQuery = `SELECT max(CASE WHEN r.network = ?0 THEN r.since END) AS started_at,
max(CASE WHEN r.network = ?0 OR r.also LIKE ?1 THEN r.since END) AS added_at,
min(CASE WHEN r.network = ?0 OR r.also LIKE ?1 THEN p.expires_at END) AS expires_at, count(*) AS rows
FROM routes AS r CROSS JOIN payments AS p WHERE ?2 AND p.id = r.payment_id AND p.ended_at IS NULL AND p.status = 'STARTED'`

// openRow is what openQuery reads.
type openRow struct {
	StartedAt time.Time
	AddedAt   time.Time
	ExpiresAt time.Time
	EndedAt   time.Time
	Ended     bool
	Rows      int64
}

// AtRisk returns what is at risk on the network. It knows when a payment ended after justEnded, and whether any ended
// after watchedAfter: the addresses of one network are watched on others too.
//
// Where very many payments are open, it reads only new ones for some seconds. Until it reads all again, one that ended
// may count as open.
func (s *Store) AtRisk(
	ctx context.Context, n chain.Network, justEnded, watchedAfter time.Time,
) (watch.AtRisk, error) {
	var atRisk watch.AtRisk
	var waiting []watch.Waiting
	open, err := s.open.atRisk(ctx, s, n, justEnded, watchedAfter)
	if err == nil {
		err = s.db.Reader().NewRaw(atRiskQuery, n).Scan(ctx, &atRisk)
	}
	if err == nil {
		err = s.db.Reader().NewRaw(waitingQuery, n, watch.MostAwaited, maxWaiting).Scan(ctx, &waiting)
	}
	if err != nil {
		return watch.AtRisk{}, fmt.Errorf("what is at risk on %s: %w", n, err)
	}
	atRisk.StartedAt, atRisk.AddedAt, atRisk.ExpiresAt = open.StartedAt, open.AddedAt, open.ExpiresAt
	atRisk.EndedAt, atRisk.Ended = open.EndedAt, open.Ended
	atRisk.Await(waiting)
	return atRisk, nil
}

// countsOn is the pattern of routes whose money counts on the network too, though another was chosen
// (payment.Route.Also).
func countsOn(n chain.Network) string { return "%" + string(n) + ".%" }

// maxLooks bounds how many ended payments count as open because their pages are.
const maxLooks = 1_000

// OpenAddresses returns the addresses of started payments that have not ended or ended after endedAfter: those on the
// network, and those on which money there counts. Payments with money that is not final yet, and those whose page was
// open after endedAfter, are among them. Where very many are open, some may have ended a minute before.
func (s *Store) OpenAddresses(
	ctx context.Context, n chain.Network, endedAfter time.Time,
) ([]chain.Watched, error) {
	list, err := s.open.addresses(ctx, s, n, endedAfter)
	if err != nil {
		return nil, fmt.Errorf("addresses of open payments on %s: %w", n, err)
	}
	waiting, err := db.All[chain.Watched](ctx, s.db.Reader(),
		`SELECT r.address, r.raw FROM deposits AS d JOIN routes AS r ON r.payment_id = d.payment_id
			AND r.network = d.network WHERE d.network = ?0 AND NOT d.rechecked AND d.state <> 'VANISHED'
			UNION SELECT r.address, r.raw FROM routes AS r WHERE r.network = ?0 AND r.payment_id IN (SELECT l.payment_id
			FROM looks AS l WHERE l.network = ?0 AND l.at > ?1 ORDER BY l.at DESC LIMIT ?2)`,
		n, endedAfter, maxLooks)
	if err != nil {
		return nil, fmt.Errorf("addresses of open payments on %s: %w", n, err)
	}
	return withOthers(list, waiting), nil
}

// withOthers returns the list with those of the others that it does not have.
func withOthers(list, others []chain.Watched) []chain.Watched {
	missing := make(map[chain.Address]bool, len(others))
	for _, a := range others {
		missing[a.Address] = true
	}
	for i := 0; i < len(list) && len(missing) > 0; i++ {
		delete(missing, list[i].Address)
	}
	list = slices.Clip(list) // others have it
	for _, a := range others {
		if missing[a.Address] {
			list = append(list, a)
		}
	}
	return list
}
