package store

import (
	"context"
	"fmt"
	"strconv"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// PublicEvents returns the public events of a key's payments after the cursor
// and the cursor for the next call; the empty cursor is the beginning. No event
// is ever skipped: one whose transaction began early and committed late comes
// after those that were returned before. It fails with fault.Invalid for a cursor
// that it did not return, or a limit outside 1 to payment.MaxPage.
func (s *Store) PublicEvents(ctx context.Context, keyID int64, after string, limit int) ([]payment.Event, string, error) {
	position, err := parsePosition(after)
	if err != nil {
		return nil, "", err
	}
	if limit < 1 || limit > payment.MaxPage {
		return nil, "", fault.New(fault.Invalid, "limit must be between 1 and %d", payment.MaxPage)
	}
	page := feedPage{position: position}
	if err := s.place(ctx, keyID); err != nil {
		return nil, "", fmt.Errorf("place public events of key %d: %w", keyID, err)
	}
	if err := s.db.Read(ctx, page.read(keyID, limit)); err != nil {
		return nil, "", fmt.Errorf("public events of key %d: %w", keyID, err)
	}
	if len(page.events) == 0 {
		return nil, after, nil
	}
	return page.events, strconv.FormatInt(page.position, 10), nil
}

func parsePosition(after string) (int64, error) {
	if after == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(after, 10, 64)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != after {
		return 0, fault.New(fault.Invalid, "after must be a nextAfter that was returned before")
	}
	return n, nil
}

// place gives a position to every event of the key that has none yet. It locks
// the key, so positions become visible in their order.
func (s *Store) place(ctx context.Context, keyID int64) error {
	var waiting bool
	look := db.Query(func(scan scan) error { return scan(&waiting) },
		"SELECT EXISTS (SELECT 1 FROM feed WHERE key_id = ? AND position IS NULL)", keyID)
	if err := s.db.Read(ctx, look); err != nil || !waiting {
		return err
	}
	return s.db.Hot(ctx, func(ctx context.Context, c conn) error {
		var locked int64
		lock := db.Query(func(scan scan) error { return scan(&locked) },
			"SELECT id FROM api_keys WHERE id = ?"+c.ForUpdate(), keyID)
		return c.Run(ctx, lock, db.Exec("UPDATE feed SET position = placed.position FROM "+
			"(SELECT f.payment_id, f.seq, (SELECT coalesce(max(position), 0) FROM feed WHERE key_id = ?) + "+
			"row_number() OVER (ORDER BY e.at, f.payment_id, f.seq) AS position "+
			"FROM feed AS f JOIN events AS e ON e.payment_id = f.payment_id AND e.seq = f.seq "+
			"WHERE f.key_id = ? AND f.position IS NULL) AS placed "+
			"WHERE feed.payment_id = placed.payment_id AND feed.seq = placed.seq", keyID, keyID))
	})
}

// feedPage collects a page of the feed.
type feedPage struct {
	events   []payment.Event
	position int64 // of the last event
}

func (p *feedPage) read(keyID int64, limit int) *db.Stmt {
	return db.Query(p.add, "SELECT "+events.Columns("e")+", f.position, p.public_id FROM feed AS f "+
		"JOIN events AS e ON e.payment_id = f.payment_id AND e.seq = f.seq JOIN payments AS p ON p.id = f.payment_id "+
		"WHERE f.key_id = ? AND f.position > ? ORDER BY f.position LIMIT ?", keyID, p.position, int64(limit))
}

func (p *feedPage) add(scan scan) error {
	var row eventRow
	var publicID string
	err := scan(append(events.Dest(&row), &p.position, &publicID)...)
	p.events = append(p.events, row.event(payment.ID(publicID)))
	return err
}
