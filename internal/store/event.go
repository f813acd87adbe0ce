package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
	"github.com/florinpay/florin/internal/webhook"
)

// events and feed generate the statements of their rows. The reference of an event to its payment is its first column
// (db.InsertWith).
var (
	events = db.NewTable[eventRow]("events", "fixed: payment_id=Owner seq type at data")
	feed   = db.NewTable[feedRow]("feed", "fixed: payment_id=Owner seq key_id")
)

// eventRow is one entry of a payment's history.
type eventRow struct {
	payment.Event

	Owner int64 // the number of the payment
}

// feedRow is a public event in the feed of a key.
type feedRow struct{ Owner, Seq, KeyID int64 }

func rowOfEvent(number int64, e payment.Event) *eventRow {
	e.Data = append(json.RawMessage{}, e.Data...) // never NULL
	return &eventRow{e, number}
}

func (r *eventRow) event(id payment.ID) payment.Event {
	r.ID, r.PaymentID = payment.EventID(id, r.Seq), id
	return r.Event
}

var (
	insertEvent = events.Insert("")
	insertFeed  = feed.Insert("")

	// replayed: a payment of before a restore whose network, or any network if it has none, is not read to its end.
	replayed = `n.seq >= ` + strconv.FormatInt(backup.SequenceBase(1), 10) + ` AND EXISTS (SELECT 1 FROM cursors AS at WHERE at.replaying
		AND (EXISTS (SELECT 1 FROM routes AS r WHERE r.payment_id = n.payment_id AND r.network = at.network)
		OR NOT EXISTS (SELECT 1 FROM routes AS r WHERE r.payment_id = n.payment_id)))`

	insertDelivery = db.ForRows(`INSERT INTO deliveries (payment_id, seq, type, custodian_id, receiver, state, attempt, due_at, replayed)
		SELECT n.payment_id, n.seq, n.type, c.id, c.receiver, 'WAITING', 0,
		CASE c.callback_url WHEN '' THEN n.parked ELSE n.due_at END, `+replayed+` FROM {rows}
		JOIN custodians AS c ON c.key_id = n.key_id WHERE c.callback_url <> '' OR c.receiver <> `+table.NoReceiver,
		"payment_id bigint", "seq bigint", "type text", "due_at timestamptz", "key_id bigint", "parked timestamptz")
)

// saveEvents returns the statements that store events and, for public ones,
// their row in the feed and the delivery to the owner's callback URL if there is
// one. ended says that the payment had ended before, so that the deliveries of
// its earlier end are overtaken.
func saveEvents(p payment.Payment, list []payment.Event, ended bool) []*db.Stmt {
	var all []*db.Stmt
	for _, e := range list {
		all = append(all, insertEvent.With(events.Values(rowOfEvent(p.Number, e))...))
		if !e.Type.InFeed() || p.Kind == payment.KindTopUp { // a top-up is no sale of the merchant's
			continue
		}
		seq := int64(e.Seq)
		all = append(all, insertFeed.With(feed.Values(&feedRow{Owner: p.Number, Seq: seq, KeyID: p.KeyID})...))
		if !e.Type.Public() {
			continue
		}
		if ended {
			all = append(all, overtake(p.Number, e))
		}
		// none for a merchant who never had a callback URL
		all = append(all, insertDelivery.With(
			p.Number, seq, string(e.Type), e.At, p.KeyID, webhook.Parked(),
		).AnyNumber())
	}
	return all
}

// checkEvents refuses events that would leave a gap in the sequence, which ends
// with p.Seq.
func checkEvents(p payment.Payment, before int, list []payment.Event) error {
	for i, e := range list {
		if e.PaymentID != p.ID || e.Seq != before+1+i || e.ID != payment.EventID(p.ID, e.Seq) {
			return fmt.Errorf("event %s is number %d of payment %s, not %d", e.ID, e.Seq, p.ID, before+1+i)
		}
	}
	if p.Seq != before+len(list) {
		return fmt.Errorf("payment %s counts %d events and has %d", p.ID, p.Seq, before+len(list))
	}
	if p.Seq == 0 {
		return errors.New("a payment has at least the event of its creation")
	}
	return nil
}

// Events lists a payment's history in order. It is empty once its retention has ended.
func (s *Store) Events(ctx context.Context, id payment.ID) ([]payment.Event, error) {
	if !db.Storable(string(id)) {
		return nil, payments.Missing
	}
	var list []payment.Event
	err := s.db.Read(ctx, db.Query(func(scan scan) error {
		var row eventRow
		if err := scan(events.Dest(&row)...); err != nil {
			return err
		}
		list = append(list, row.event(id))
		return nil
	}, "SELECT "+events.Columns("")+" FROM events WHERE payment_id = (SELECT id FROM payments WHERE public_id = ?) ORDER BY seq", string(id)))
	if err == nil && len(list) == 0 {
		_, err = s.Payment(ctx, id)
	}
	if err != nil {
		return nil, fmt.Errorf("events of payment %s: %w", id, err)
	}
	return list, nil
}

// PublicEvents returns the public events of a key's payments after the cursor
// and the cursor for the next call; the empty cursor is the beginning. No event
// is ever skipped: one whose transaction began early and committed late comes
// after those that were returned before. It fails with fault.Invalid for a cursor
// that it did not return, and is refused if events after the cursor were dropped
// because their retention had ended. The beginning is what is left.
func (s *Store) PublicEvents(
	ctx context.Context, keyID int64, after string, limit int,
) ([]payment.Event, string, error) {
	position, err := parsePosition(after)
	if err != nil {
		return nil, "", err
	}
	page := feedPage{position: position, gap: position > 0}
	if err := s.place(ctx, keyID); err != nil {
		return nil, "", fmt.Errorf("place public events of key %d: %w", keyID, err)
	}
	if err := s.db.Read(ctx, page.read(keyID, limit)); err != nil {
		return nil, "", fmt.Errorf("public events of key %d: %w", keyID, err)
	}
	if page.gap { // positions that were dropped leave one
		if err := s.checkDropped(ctx, keyID, position); err != nil {
			return nil, "", err
		}
	}
	if len(page.events) == 0 {
		return nil, after, s.checkEnd(ctx, keyID, position)
	}
	return page.events, strconv.FormatInt(page.position, 10), nil
}

var errBeyond = fault.New(fault.Invalid, "after must be a nextAfter that was returned before: it is beyond the last event")

// checkEnd refuses a position beyond every one that was given: a reader with a wrong
// cursor would wait for ever. Those of the time that a restore lost are below the base.
func (s *Store) checkEnd(ctx context.Context, keyID, position int64) error {
	if position == 0 {
		return nil
	}
	var last, dropped, generation int64
	err := s.db.Read(ctx, db.Query(func(scan scan) error { return scan(&last, &dropped, &generation) },
		`SELECT coalesce((SELECT max(position) FROM feed WHERE key_id = ?), 0),
			coalesce((SELECT position FROM feed_dropped WHERE key_id = ?), 0), (SELECT generation FROM instance)`, keyID, keyID))
	if err == nil && position > max(last, dropped, backup.PositionBase(generation)) {
		err = errBeyond
	}
	return db.Wrap(err, "the end of the events of key %d", keyID)
}

// checkDropped refuses a position after which events were dropped: its reader would never learn that it has missed
// them. A position whose own event is still there is good: it was returned to a reader of what is left.
func (s *Store) checkDropped(ctx context.Context, keyID, position int64) error {
	var missed bool
	err := s.db.Read(ctx, db.Query(func(scan scan) error { return scan(&missed) },
		`SELECT EXISTS (SELECT 1 FROM feed_dropped WHERE key_id = ? AND position > ?)
			AND NOT EXISTS (SELECT 1 FROM feed WHERE key_id = ? AND position = ?)`, keyID, position, keyID, position))
	if err == nil && missed {
		err = payment.ErrEventsDropped
	}
	return db.Wrap(err, "events of key %d after %d", keyID, position)
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
// the key, so positions become visible in their order. Those of a restored database begin above all that were given in
// the time that is lost, and positions that were dropped are not given again.
func (s *Store) place(ctx context.Context, keyID int64) error {
	var waiting bool
	look := db.Query(func(scan scan) error { return scan(&waiting) },
		"SELECT EXISTS (SELECT 1 FROM feed WHERE key_id = ? AND position IS NULL)", keyID)
	if err := s.db.Read(ctx, look); err != nil || !waiting {
		return err
	}
	return s.db.Hot(ctx, func(ctx context.Context, c conn) error {
		var locked, dropped, generation int64
		lock := db.Query(func(scan scan) error { return scan(&locked) },
			"SELECT id FROM api_keys WHERE id = ?"+c.ForUpdate(), keyID)
		look := db.Query(func(scan scan) error { return scan(&dropped, &generation) },
			"SELECT coalesce((SELECT position FROM feed_dropped WHERE key_id = ?), 0), generation FROM instance", keyID)
		if err := c.Run(ctx, lock, look); err != nil {
			return err
		}
		base := max(dropped, backup.PositionBase(generation))
		return c.Run(ctx, db.Exec(`UPDATE feed SET position = placed.position FROM
			(SELECT f.payment_id, f.seq, coalesce((SELECT max(position) FROM feed WHERE key_id = ? AND position > ?), ?) +
			row_number() OVER (ORDER BY e.at, f.payment_id, f.seq) AS position
			FROM feed AS f JOIN events AS e ON e.payment_id = f.payment_id AND e.seq = f.seq
			WHERE f.key_id = ? AND f.position IS NULL) AS placed
			WHERE feed.payment_id = placed.payment_id AND feed.seq = placed.seq`, keyID, base, base, keyID))
	})
}

// feedPage collects a page of the feed.
type feedPage struct {
	events   []payment.Event
	position int64 // of the last event; before, the position it is read from
	gap      bool  // after the position that a reader came with
}

func (p *feedPage) read(keyID int64, limit int) *db.Stmt {
	return db.Query(p.add, `SELECT `+events.Columns("e")+`, f.position, p.public_id FROM feed AS f
		JOIN events AS e ON e.payment_id = f.payment_id AND e.seq = f.seq JOIN payments AS p ON p.id = f.payment_id
		WHERE f.key_id = ? AND f.position > ? ORDER BY f.position LIMIT ?`, keyID, p.position, int64(limit))
}

func (p *feedPage) add(scan scan) error {
	var row eventRow
	var publicID string
	from, first := p.position, len(p.events) == 0
	if err := scan(append(events.Dest(&row), &p.position, &publicID)...); err != nil {
		return err
	}
	if first {
		p.gap = from > 0 && p.position > from+1
	}
	p.events = append(p.events, row.event(payment.ID(publicID)))
	return nil
}
