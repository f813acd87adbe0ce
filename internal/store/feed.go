package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
)

// PublicEvents returns the public events of a key's payments after the cursor,
// in the order in which they became visible, and the cursor for the next call;
// the empty cursor is the beginning. An event is never skipped, even one whose
// transaction began early and committed late: it comes when all that began
// before it have ended. It fails with fault.Invalid for a cursor that it did
// not give, or a limit outside 1 to payment.MaxPage.
func (s *Store) PublicEvents(ctx context.Context, keyID int64, after string, limit int) ([]payment.Event, string, error) {
	from, err := parseFeedCursor(after)
	if err != nil {
		return nil, "", err
	}
	if limit < 1 || limit > payment.MaxPage {
		return nil, "", fault.New(fault.Invalid, "limit must be between 1 and %d", payment.MaxPage)
	}
	var rows []feedRow
	err = s.snapshot(ctx, func(ctx context.Context, t tx) error {
		horizon, err := s.horizon(ctx, t)
		if err != nil {
			return err
		}
		return t.NewRaw("SELECT e.id, e.xact, e.seq, e.event_id, e.type, e.at, e.data, p.public_id "+
			"FROM events AS e JOIN payments AS p ON p.id = e.payment_id "+
			"WHERE e.feed_key = ? AND e.feed_key IS NOT NULL AND (e.xact, e.id) > (?, ?) AND e.xact < ? ORDER BY e.xact, e.id LIMIT ?",
			keyID, from.xact, from.row, horizon, limit).Scan(ctx, &rows)
	})
	if err != nil {
		return nil, "", fmt.Errorf("public events of key %d: %w", keyID, err)
	}
	events := make([]payment.Event, len(rows))
	for i, r := range rows {
		events[i] = payment.Event{
			ID: r.EventID, PaymentID: payment.ID(r.PublicID), Seq: int(r.Seq), Type: payment.EventType(r.Type),
			At: r.At.Time, Data: json.RawMessage(r.Data),
		}
		after = feedCursor{r.Xact, r.ID}.String()
	}
	return events, after, nil
}

type feedRow struct {
	ID       int64
	Xact     int64
	Seq      int64
	EventID  string
	Type     string
	At       instant
	Data     string
	PublicID string
}

// feedCursor is a place in the feed.
type feedCursor struct{ xact, row int64 }

// String returns the cursor as callers keep it.
func (c feedCursor) String() string {
	return strconv.FormatInt(c.xact, 36) + "-" + strconv.FormatInt(c.row, 36)
}

func parseFeedCursor(text string) (feedCursor, error) {
	if text == "" {
		return feedCursor{}, nil
	}
	xact, row, ok := strings.Cut(text, "-")
	x, errX := strconv.ParseInt(xact, 36, 64)
	r, errR := strconv.ParseInt(row, 36, 64)
	if !ok || errX != nil || errR != nil || x < 0 || r < 0 {
		return feedCursor{}, fault.New(fault.Invalid, "after must be a nextAfter that was returned before")
	}
	return feedCursor{x, r}, nil
}
