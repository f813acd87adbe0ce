package store

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

var _ campaign.Store = (*Store)(nil)

// campaignRow is a campaign, with its totals in queries that select them.
type campaignRow struct {
	ID          int64
	Slug        string
	KeyID       int64
	Title       string
	Description string
	Goal        int64
	Suggested   string
	Currency    string
	State       string
	ShowAtOnce  bool
	CreatedAt   instant
	UpdatedAt   instant
	EndsAt      instant
	RevokedAt   instant
	Raised      int64
	Worth       int64
	Donors      int64
	Waiting     int64
}

const campaignColumns = "c.id, c.slug, c.key_id, c.title, c.description, c.goal, c.suggested, c.currency, c.state, c.show_at_once, " +
	"c.created_at, c.updated_at, c.ends_at, " + table.KeyEndedAt

// campaignTotals count donations that received money; they read only an index.
const campaignTotals = ", (SELECT CAST(coalesce(sum(d.received), 0) AS bigint) FROM donations AS d WHERE d.campaign_id = c.id) AS raised" +
	", (SELECT CAST(coalesce(sum(d.worth), 0) AS bigint) FROM donations AS d WHERE d.campaign_id = c.id) AS worth" +
	", (SELECT count(*) FROM donations AS d WHERE d.campaign_id = c.id AND d.received > 0) AS donors" +
	", (SELECT count(*) FROM donations AS d WHERE d.campaign_id = c.id AND d.review = 'WAITING') AS waiting"

const fromCampaigns = " FROM campaigns AS c JOIN api_keys AS k ON k.id = c.key_id"

func (r *campaignRow) campaign() (campaign.Campaign, error) {
	c := campaign.Campaign{
		Number: r.ID, Slug: r.Slug, KeyID: r.KeyID, KeyRevoked: !r.RevokedAt.IsZero(), Title: r.Title,
		Description: r.Description, State: campaign.State(r.State), ShowAtOnce: r.ShowAtOnce,
		CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time, EndsAt: r.EndsAt.Time,
		Prices: campaign.Prices{Currency: exchange.Currency(r.Currency)},
	}
	var err error
	if c.Prices.None() {
		c.Goal = money.Micros(r.Goal)
		c.Suggested, err = splitAmounts[money.Micros](r.Suggested)
	} else {
		c.Prices.Goal = r.Goal
		c.Prices.Suggested, err = splitAmounts[int64](r.Suggested)
	}
	return c, err
}

// asked are the columns of what a campaign asks for: its goal and suggested amounts.
func asked(c campaign.Campaign) (goal int64, suggested string) {
	if c.Prices.None() {
		return int64(c.Goal), joinAmounts(c.Suggested)
	}
	return c.Prices.Goal, joinAmounts(c.Prices.Suggested)
}

func (r *campaignRow) totals() campaign.Totals {
	return campaign.Totals{Raised: money.Micros(r.Raised), Worth: r.Worth, Donors: r.Donors, Waiting: r.Waiting}
}

func joinAmounts[N ~int64](all []N) string {
	texts := make([]string, len(all))
	for i, m := range all {
		texts[i] = strconv.FormatInt(int64(m), 10)
	}
	return strings.Join(texts, ",")
}

func splitAmounts[N ~int64](text string) ([]N, error) {
	if text == "" {
		return nil, nil
	}
	var all []N
	for one := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseInt(one, 10, 64)
		if err != nil {
			return nil, err
		}
		all = append(all, N(n))
	}
	return all, nil
}

// CreateCampaign stores a new campaign, or fails with campaign.ErrTaken.
func (s *Store) CreateCampaign(
	ctx context.Context, c campaign.Campaign, r audit.Record,
) (campaign.Campaign, error) {
	if err := db.CheckTexts("texts of a campaign", c.Slug, c.Title, c.Description); err != nil {
		return campaign.Campaign{}, err
	}
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t tx, a *table.AuditFields) error {
		*a = table.AuditFields{Subject: c.Slug, Detail: c.Title}
		goal, suggested := asked(c)
		err := t.NewRaw("INSERT INTO campaigns (slug, key_id, title, description, goal, suggested, currency, state, "+
			"show_at_once, created_at, updated_at, ends_at) "+
			"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (slug) DO NOTHING RETURNING id",
			c.Slug, c.KeyID, c.Title, c.Description, goal, suggested, string(c.Prices.Currency),
			string(c.State), c.ShowAtOnce,
			db.At(c.CreatedAt), db.At(c.UpdatedAt), db.At(c.EndsAt)).Scan(ctx, &c.Number)
		return noRows(err, campaign.ErrTaken)
	})
	if err != nil {
		return campaign.Campaign{}, db.Wrap(err, "create campaign %s", c.Slug)
	}
	return normalCampaign(c), nil
}

// normalCampaign returns the campaign as it will be read back.
func normalCampaign(c campaign.Campaign) campaign.Campaign {
	c.CreatedAt, c.UpdatedAt, c.EndsAt = db.At(c.CreatedAt).Time, db.At(c.UpdatedAt).Time, db.At(c.EndsAt).Time
	if len(c.Suggested) == 0 {
		c.Suggested = nil
	}
	if len(c.Prices.Suggested) == 0 {
		c.Prices.Suggested = nil
	}
	return c
}

// UpdateCampaign locks the campaign of one of the keys, calls decide and
// stores what it returns, or fails with campaign.ErrUnknown.
func (s *Store) UpdateCampaign(
	ctx context.Context, keys []int64, slug string, decide func(campaign.Campaign) (campaign.Campaign, error),
	r audit.Record,
) (campaign.Campaign, error) {
	if len(keys) == 0 || !db.Storable(slug) {
		return campaign.Campaign{}, campaign.ErrUnknown
	}
	var changed campaign.Campaign
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t tx, a *table.AuditFields) error {
		*a = table.AuditFields{Subject: slug}
		var row campaignRow
		lock := t.ForUpdate()
		if lock != "" {
			lock += " OF c"
		}
		err := t.NewRaw("SELECT "+campaignColumns+fromCampaigns+" WHERE c.slug = ? AND c.key_id IN (?)"+lock, slug,
			bun.List(keys)).Scan(ctx, &row)
		if err != nil {
			return noRows(err, campaign.ErrUnknown)
		}
		before, err := row.campaign()
		if err != nil {
			return err
		}
		if changed, err = decide(before); err != nil {
			return err
		}
		a.Detail = changed.Title
		if err := db.CheckTexts("texts of a campaign", changed.Title, changed.Description); err != nil {
			return err
		}
		goal, suggested := asked(changed)
		_, err = t.NewRaw("UPDATE campaigns SET key_id = ?, title = ?, description = ?, goal = ?, suggested = ?, state = ?, "+
			"show_at_once = ?, updated_at = ?, ends_at = ? WHERE id = ?", changed.KeyID, changed.Title, changed.Description,
			goal, suggested, string(changed.State), changed.ShowAtOnce, db.At(changed.UpdatedAt), db.At(changed.EndsAt),
			before.Number).Exec(ctx)
		return err
	})
	if err != nil {
		return campaign.Campaign{}, db.Wrap(err, "update campaign %s", slug)
	}
	return normalCampaign(changed), nil
}

// Campaign returns the campaign with its totals, or campaign.ErrUnknown.
func (s *Store) Campaign(ctx context.Context, slug string) (campaign.Campaign, campaign.Totals, error) {
	if !db.Storable(slug) {
		return campaign.Campaign{}, campaign.Totals{}, campaign.ErrUnknown
	}
	var row campaignRow
	err := s.db.Reader().NewRaw("SELECT "+campaignColumns+campaignTotals+fromCampaigns+" WHERE c.slug = ?", slug).Scan(ctx,
		&row)
	if err != nil {
		return campaign.Campaign{}, campaign.Totals{}, db.Wrap(
			noRows(err, campaign.ErrUnknown), "read campaign %s", slug,
		)
	}
	c, err := row.campaign()
	return c, row.totals(), db.Wrap(err, "read campaign %s", slug)
}

// Campaigns lists the campaigns of keys with their totals, the newest first.
func (s *Store) Campaigns(ctx context.Context, keys []int64) ([]campaign.Summary, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	var rows []campaignRow
	err := s.db.Reader().NewRaw("SELECT "+campaignColumns+campaignTotals+fromCampaigns+" WHERE c.key_id IN (?) ORDER BY c.id DESC", bun.List(keys)).
		Scan(ctx, &rows)
	if err != nil {
		return nil, db.Wrap(err, "campaigns of %d keys", len(keys))
	}
	list := make([]campaign.Summary, len(rows))
	for i := range rows {
		c, err := rows[i].campaign()
		if err != nil {
			return nil, db.Wrap(err, "campaign %s", rows[i].Slug)
		}
		list[i] = campaign.Summary{Campaign: c, Totals: rows[i].totals()}
	}
	return list, nil
}

// Donations lists the donations of a campaign, the newest first.
func (s *Store) Donations(ctx context.Context, q campaign.DonationQuery) ([]campaign.Donation, error) {
	if q.Limit < 1 || q.Limit > campaign.MaxPage+1 {
		return nil, fault.New(fault.Invalid, "limit must be between 1 and %d", campaign.MaxPage)
	}
	// Its proof is the deposit that completed it or, if it was completed by hand,
	// the first deposit that counts.
	text := "SELECT d.id, d.received, d.review, p.public_id, coalesce(x.network, p.network) AS network, coalesce(x.token, p.token) AS token, " +
		"coalesce(x.tx_hash, p.hash) AS hash, p.ended_at, p.donor_name, p.donor_message " +
		"FROM donations AS d JOIN payments AS p ON p.id = d.payment_id LEFT JOIN deposits AS x ON x.id = " +
		"(SELECT y.id FROM deposits AS y WHERE y.payment_id = p.id AND y.state = 'FINAL' AND y.token <> '' " +
		"ORDER BY CASE WHEN y.tx_hash = p.hash THEN 0 ELSE 1 END, y.id LIMIT 1) WHERE d.campaign_id = ?"
	args := []any{q.Campaign}
	if q.Before > 0 {
		text, args = text+" AND d.id < ?", append(args, q.Before)
	}
	if q.Proven {
		text += " AND d.received > 0"
	}
	if q.Review != "" {
		text, args = text+" AND d.review = ?", append(args, string(q.Review))
	}
	var rows []struct {
		ID           int64
		Received     int64
		Review       string
		PublicID     string
		Network      string
		Token        string
		Hash         db.Packed
		EndedAt      instant
		DonorName    string
		DonorMessage string
	}
	if err := s.db.Reader().NewRaw(text+" ORDER BY d.id DESC LIMIT ?", append(args, q.Limit)...).Scan(ctx,
		&rows); err != nil {
		return nil, db.Wrap(err, "donations of campaign %d", q.Campaign)
	}
	list := make([]campaign.Donation, len(rows))
	for i, r := range rows {
		list[i] = campaign.Donation{
			Number: r.ID, PaymentID: payment.ID(r.PublicID), Name: r.DonorName, Message: r.DonorMessage,
			Review:   campaign.Review(r.Review),
			Received: money.Micros(r.Received), Network: chain.Network(r.Network), Token: money.Token(r.Token),
			Hash: chain.TxHash(r.Hash),
			At:   r.EndedAt.Time,
		}
	}
	return list, nil
}

// ReviewDonation sets the merchant's review of a donation, or fails with
// campaign.ErrUnknownGift.
func (s *Store) ReviewDonation(
	ctx context.Context, number, donation int64, review campaign.Review, r audit.Record,
) error {
	ok, err := table.WriteOneAudited(ctx, s.db, s.sealer, r, table.AuditFields{}, "UPDATE donations SET review = ? WHERE id = ? AND campaign_id = ?",
		string(review), donation, number)
	if err == nil && !ok {
		return campaign.ErrUnknownGift
	}
	return err
}

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
	Currency    string
	Price       int64
	Paused      bool
	CreatedAt   instant
	RevokedAt   instant
}

const selectLinks = "SELECT l.id, l.slug, l.key_id, l.description, l.reference, l.amount, l.min_amount, l.max_amount, l.currency, l.price, l.paused, l.created_at, " +
	table.KeyEndedAt + " FROM links AS l JOIN api_keys AS k ON k.id = l.key_id"

func (r *linkRow) link() campaign.Link {
	return campaign.Link{
		Number: r.ID, Slug: r.Slug, KeyID: r.KeyID, KeyRevoked: !r.RevokedAt.IsZero(), Description: r.Description,
		Reference: r.Reference,
		Amount: money.Micros(
			r.Amount,
		), Min: money.Micros(r.MinAmount), Max: money.Micros(r.MaxAmount), Paused: r.Paused,
		Price:     exchange.Sum{Currency: exchange.Currency(r.Currency), Units: r.Price},
		CreatedAt: r.CreatedAt.Time,
	}
}

// CreateLink stores a new link, or fails with campaign.ErrLinkTaken.
func (s *Store) CreateLink(ctx context.Context, l campaign.Link, r audit.Record) (campaign.Link, error) {
	if err := db.CheckTexts("texts of a payment link", l.Slug, l.Description, l.Reference); err != nil {
		return campaign.Link{}, err
	}
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t tx, a *table.AuditFields) error {
		*a = table.AuditFields{Subject: l.Slug, Detail: l.Description}
		err := t.NewRaw("INSERT INTO links (slug, key_id, description, reference, amount, min_amount, max_amount, currency, price, paused, created_at) "+
			"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (slug) DO NOTHING RETURNING id",
			l.Slug, l.KeyID, l.Description, l.Reference, int64(l.Amount), int64(l.Min), int64(l.Max),
			string(l.Price.Currency), l.Price.Units, l.Paused, db.At(l.CreatedAt)).Scan(ctx, &l.Number)
		return noRows(err, campaign.ErrLinkTaken)
	})
	if err != nil {
		return campaign.Link{}, db.Wrap(err, "create payment link %s", l.Slug)
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
	if err := s.db.Reader().NewRaw(selectLinks+" WHERE l.slug = ?", slug).Scan(ctx, &row); err != nil {
		return campaign.Link{}, db.Wrap(noRows(err, campaign.ErrUnknownLink), "read payment link %s", slug)
	}
	return row.link(), nil
}

// Links lists the links of keys, the newest first.
func (s *Store) Links(ctx context.Context, keys []int64) ([]campaign.Link, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	var rows []linkRow
	if err := s.db.Reader().NewRaw(selectLinks+" WHERE l.key_id IN (?) ORDER BY l.id DESC", bun.List(keys)).Scan(ctx,
		&rows); err != nil {
		return nil, db.Wrap(err, "payment links of %d keys", len(keys))
	}
	list := make([]campaign.Link, len(rows))
	for i := range rows {
		list[i] = rows[i].link()
	}
	return list, nil
}

// PauseLink pauses or resumes a link of one of the keys, or fails with
// campaign.ErrUnknownLink.
func (s *Store) PauseLink(ctx context.Context, keys []int64, slug string, paused bool, r audit.Record) error {
	if len(keys) == 0 || !db.Storable(slug) {
		return campaign.ErrUnknownLink
	}
	ok, err := table.WriteOneAudited(ctx, s.db, s.sealer, r, table.AuditFields{Subject: slug}, "UPDATE links SET paused = ? WHERE slug = ? AND key_id IN (?)",
		paused, slug, bun.List(keys))
	if err == nil && !ok {
		return campaign.ErrUnknownLink
	}
	return err
}

// noRows replaces sql.ErrNoRows by missing.
func noRows(err, missing error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return missing
	}
	return err
}
