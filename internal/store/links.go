package store

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/store/db"
)

// linkRow is a payment link.
type linkRow struct {
	ID          int64
	Slug        string
	KeyID       int64
	Description string
	Reference   string
	Amount      int64
	MinAmount   int64
	MaxAmount   int64
	Paused      bool
	CreatedAt   instant
	RevokedAt   instant
}

const selectLinks = "SELECT l.id, l.slug, l.key_id, l.description, l.reference, l.amount, l.min_amount, l.max_amount, l.paused, l.created_at, " +
	keyGone + " FROM links AS l JOIN api_keys AS k ON k.id = l.key_id"

func (r *linkRow) link() campaign.Link {
	return campaign.Link{
		Number: r.ID, Slug: r.Slug, KeyID: r.KeyID, KeyRevoked: !r.RevokedAt.IsZero(), Description: r.Description, Reference: r.Reference,
		Amount: money.Micros(r.Amount), Min: money.Micros(r.MinAmount), Max: money.Micros(r.MaxAmount), Paused: r.Paused, CreatedAt: r.CreatedAt.Time,
	}
}

// CreateLink stores a new link, or fails with campaign.ErrLinkTaken.
func (s *Store) CreateLink(ctx context.Context, l campaign.Link, trail ...audit.Entry) (campaign.Link, error) {
	if err := checkTexts("texts of a payment link", l.Slug, l.Description, l.Reference); err != nil {
		return campaign.Link{}, err
	}
	err := s.act(ctx, trail, about{subject: l.Slug, detail: l.Description}, func(ctx context.Context, t tx, _ *about) error {
		err := t.NewRaw("INSERT INTO links (slug, key_id, description, reference, amount, min_amount, max_amount, paused, created_at) "+
			"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (slug) DO NOTHING RETURNING id",
			l.Slug, l.KeyID, l.Description, l.Reference, int64(l.Amount), int64(l.Min), int64(l.Max), l.Paused, db.At(l.CreatedAt)).Scan(ctx, &l.Number)
		return noRows(err, campaign.ErrLinkTaken)
	})
	if err != nil {
		return campaign.Link{}, wrapIf(err, "create payment link %s", l.Slug)
	}
	l.CreatedAt = db.At(l.CreatedAt).Time
	return l, nil
}

// Link returns a link, or campaign.ErrUnknownLink.
func (s *Store) Link(ctx context.Context, slug string) (campaign.Link, error) {
	if !db.Storable(slug) {
		return campaign.Link{}, campaign.ErrUnknownLink
	}
	var row linkRow
	if err := s.reader().NewRaw(selectLinks+" WHERE l.slug = ?", slug).Scan(ctx, &row); err != nil {
		return campaign.Link{}, wrapIf(noRows(err, campaign.ErrUnknownLink), "read payment link %s", slug)
	}
	return row.link(), nil
}

// Links lists the links of keys, the newest first.
func (s *Store) Links(ctx context.Context, keys []int64) ([]campaign.Link, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	var rows []linkRow
	if err := s.reader().NewRaw(selectLinks+" WHERE l.key_id IN (?) ORDER BY l.id DESC", bun.List(keys)).Scan(ctx, &rows); err != nil {
		return nil, wrapIf(err, "payment links of %d keys", len(keys))
	}
	list := make([]campaign.Link, len(rows))
	for i := range rows {
		list[i] = rows[i].link()
	}
	return list, nil
}

// PauseLink pauses or resumes a link of one of the keys, or fails with
// campaign.ErrUnknownLink.
func (s *Store) PauseLink(ctx context.Context, keys []int64, slug string, paused bool, trail ...audit.Entry) error {
	if len(keys) == 0 || !db.Storable(slug) {
		return campaign.ErrUnknownLink
	}
	ok, err := s.actOne(ctx, trail, about{subject: slug}, "UPDATE links SET paused = ? WHERE slug = ? AND key_id IN (?)", paused, slug, bun.List(keys))
	if err == nil && !ok {
		return campaign.ErrUnknownLink
	}
	return err
}
