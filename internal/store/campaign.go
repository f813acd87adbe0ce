package store

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

var _ campaign.Store = (*Store)(nil)

// Campaigns and links. Since when no payment can be made with their key is selected beside.
var (
	campaigns = db.NewTable[campaign.Summary]("campaigns", `
		number:  id=Number
		fixed:   slug currency=Prices.Currency created_at
		changes: key_id title description goal suggested price_goal=Prices.Goal price_suggested=Prices.Suggested state
		         show_at_once updated_at ends_at
		read:    revoked_at=KeyRevoked/exists raised worth donors waiting`).Else(campaign.ErrUnknown)
	links = db.NewTable[campaign.Link]("links", `
		number:  id=Number
		fixed:   slug key_id created_at
		changes: description reference amount min_amount=Min max_amount=Max currency=Price.Currency price=Price.Units paused
		read:    revoked_at=KeyRevoked/exists paid sum`).Else(campaign.ErrUnknownLink)

	updateCampaign = campaigns.Update("id")
	updateLink     = links.Update("id")
)

const campaignColumns = "c.*, " + table.KeyEndedAt

// campaignTotals count donations that received money; they read only an index.
const campaignTotals = `, (SELECT CAST(coalesce(sum(d.received), 0) AS bigint) FROM donations AS d WHERE d.campaign_id = c.id) AS raised,
	(SELECT CAST(coalesce(sum(d.worth), 0) AS bigint) FROM donations AS d WHERE d.campaign_id = c.id) AS worth,
	(SELECT count(*) FROM donations AS d WHERE d.campaign_id = c.id AND d.received > 0) AS donors,
	(SELECT count(*) FROM donations AS d WHERE d.campaign_id = c.id AND d.review = 'WAITING') AS waiting`

const fromCampaigns = " FROM campaigns AS c JOIN api_keys AS k ON k.id = c.key_id"

// CreateCampaign stores a new campaign, whose slug nobody has.
func (s *Store) CreateCampaign(ctx context.Context, c campaign.Campaign, r audit.Record) (campaign.Campaign, error) {
	if err := db.CheckTexts("texts of a campaign", c.Slug, c.Title, c.Description); err != nil {
		return campaign.Campaign{}, err
	}
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t tx, a *table.AuditFields) error {
		*a = table.AuditFields{Subject: c.Slug, Detail: c.Title}
		err := campaigns.Into(t, " ON CONFLICT (slug) DO NOTHING RETURNING id", campaign.Summary{Campaign: c}).Scan(ctx, &c.Number)
		return db.Missing(err, campaign.ErrTaken)
	})
	if err != nil {
		return campaign.Campaign{}, db.Wrap(err, "create campaign %s", c.Slug)
	}
	return normalCampaign(c), nil
}

// normalCampaign returns the campaign as it will be read back.
func normalCampaign(c campaign.Campaign) campaign.Campaign {
	if len(c.Suggested) == 0 {
		c.Suggested = nil
	}
	if len(c.Prices.Suggested) == 0 {
		c.Prices.Suggested = nil
	}
	row := campaign.Summary{Campaign: c}
	campaigns.AsStored(&row)
	return row.Campaign
}

// UpdateCampaign locks the campaign of one of the keys, calls decide and
// stores what it returns.
func (s *Store) UpdateCampaign(
	ctx context.Context, keys []int64, slug string, decide func(campaign.Campaign) (campaign.Campaign, error),
	r audit.Record,
) (campaign.Campaign, error) {
	var changed campaign.Campaign
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t tx, a *table.AuditFields) error {
		*a = table.AuditFields{Subject: slug}
		lock := t.ForUpdate()
		if lock != "" {
			lock += " OF c"
		}
		before, err := campaigns.First(ctx, t,
			"SELECT "+campaignColumns+fromCampaigns+" WHERE c.slug = ? AND c.key_id IN (?)"+lock, slug, bun.List(keys))
		if err != nil {
			return err
		}
		if changed, err = decide(before.Campaign); err != nil {
			return err
		}
		a.Detail = changed.Title
		if err := db.CheckTexts("texts of a campaign", changed.Title, changed.Description); err != nil {
			return err
		}
		after := campaign.Summary{Campaign: changed}
		return t.Run(ctx, updateCampaign.With(campaigns.Changes(&after, before.Number)...))
	})
	if err != nil {
		return campaign.Campaign{}, db.Wrap(err, "update campaign %s", slug)
	}
	return normalCampaign(changed), nil
}

// Campaign returns the campaign with its totals.
func (s *Store) Campaign(ctx context.Context, slug string) (campaign.Campaign, campaign.Totals, error) {
	c, err := campaigns.First(ctx, s.db.Reader(),
		"SELECT "+campaignColumns+campaignTotals+fromCampaigns+" WHERE c.slug = ?", slug)
	return c.Campaign, c.Totals, db.Wrap(err, "read campaign %s", slug)
}

// Campaigns lists the campaigns of keys with their totals, the newest first.
func (s *Store) Campaigns(ctx context.Context, keys []int64) ([]campaign.Summary, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	list, err := db.All[campaign.Summary](ctx, s.db.Reader(),
		"SELECT "+campaignColumns+campaignTotals+fromCampaigns+" WHERE c.key_id IN (?) ORDER BY c.id DESC", bun.List(keys))
	return list, db.Wrap(err, "campaigns of %d keys", len(keys))
}

// Donations lists the donations of a campaign, the newest first.
func (s *Store) Donations(ctx context.Context, q campaign.DonationQuery) ([]campaign.Donation, error) {
	// What shows it is the deposit that completed it or, if it was completed by hand,
	// the first deposit that counts.
	text := `SELECT d.id AS number, d.received, d.review, p.public_id AS payment_id, coalesce(x.network, p.network) AS network,
		coalesce(x.token, p.token) AS token, coalesce(x.tx_hash, p.hash) AS hash, p.ended_at AS at, p.donor_name AS name,
		p.donor_message AS message
		FROM donations AS d JOIN payments AS p ON p.id = d.payment_id LEFT JOIN deposits AS x ON x.id =
		(SELECT y.id FROM deposits AS y WHERE y.payment_id = p.id AND y.state = 'FINAL' AND y.token <> ''
		ORDER BY CASE WHEN y.tx_hash = p.hash THEN 0 ELSE 1 END, y.id LIMIT 1) WHERE d.campaign_id = ?`
	args := []any{q.Campaign}
	if q.Before > 0 {
		text, args = text+" AND d.id < ?", append(args, q.Before)
	}
	if q.Proven {
		text += " AND d.received > 0"
	}
	if q.Review != "" {
		text, args = text+" AND d.review = ?", append(args, q.Review)
	}
	text, args = text+" ORDER BY d.id DESC LIMIT ?", append(args, q.Limit)
	list, err := db.All[campaign.Donation](ctx, s.db.Reader(), text, args...)
	return list, db.Wrap(err, "donations of campaign %d", q.Campaign)
}

// ReviewDonation sets the merchant's review of a donation of the campaign.
func (s *Store) ReviewDonation(
	ctx context.Context, number, donation int64, review campaign.Review, r audit.Record,
) error {
	ok, err := table.WriteOneAudited(ctx, s.db, s.sealer, r, table.AuditFields{}, "UPDATE donations SET review = ? WHERE id = ? AND campaign_id = ?",
		review, donation, number)
	if err == nil && !ok {
		return campaign.ErrUnknownGift
	}
	return err
}

const selectLinks = "SELECT l.*, " + table.KeyEndedAt + fromLinks

const fromLinks = " FROM links AS l JOIN api_keys AS k ON k.id = l.key_id"

// linkTotals count what was paid; they read only an index.
const linkTotals = `, (SELECT count(*) FROM payments AS p WHERE p.link_id = l.id AND p.link_id > 0 AND p.status = 'COMPLETED') AS paid,
	(SELECT CAST(coalesce(sum(p.amount), 0) AS bigint) FROM payments AS p WHERE p.link_id = l.id AND p.link_id > 0
	AND p.status = 'COMPLETED') AS sum`

// CreateLink stores a new link, whose slug nobody has.
func (s *Store) CreateLink(ctx context.Context, l campaign.Link, r audit.Record) (campaign.Link, error) {
	if err := db.CheckTexts("texts of a payment link", l.Slug, l.Description, l.Reference); err != nil {
		return campaign.Link{}, err
	}
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t tx, a *table.AuditFields) error {
		*a = table.AuditFields{Subject: l.Slug, Detail: l.Description}
		err := links.Into(t, " ON CONFLICT (slug) DO NOTHING RETURNING id", l).Scan(ctx, &l.Number)
		return db.Missing(err, campaign.ErrLinkTaken)
	})
	if err != nil {
		return campaign.Link{}, db.Wrap(err, "create payment link %s", l.Slug)
	}
	links.AsStored(&l)
	return l, nil
}

// Link returns a link.
func (s *Store) Link(ctx context.Context, slug string) (campaign.Link, error) {
	l, err := links.First(ctx, s.db.Reader(), selectLinks+" WHERE l.slug = ?", slug)
	return l, db.Wrap(err, "read payment link %s", slug)
}

// Links lists the links of keys with what they have brought in, the newest first.
func (s *Store) Links(ctx context.Context, keys []int64) ([]campaign.Link, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	list, err := db.All[campaign.Link](ctx, s.db.Reader(), "SELECT l.*, "+table.KeyEndedAt+linkTotals+fromLinks+
		" WHERE l.key_id IN (?) ORDER BY l.id DESC", bun.List(keys))
	return list, db.Wrap(err, "payment links of %d keys", len(keys))
}

// UpdateLink locks the link of one of the keys, calls decide and stores what it returns.
func (s *Store) UpdateLink(
	ctx context.Context, keys []int64, slug string, decide func(campaign.Link) (campaign.Link, error), r audit.Record,
) error {
	err := table.WriteAudited(ctx, s.db, s.sealer, r, func(ctx context.Context, t tx, a *table.AuditFields) error {
		*a = table.AuditFields{Subject: slug}
		lock := t.ForUpdate()
		if lock != "" {
			lock += " OF l"
		}
		before, err := links.First(ctx, t, selectLinks+" WHERE l.slug = ? AND l.key_id IN (?)"+lock, slug,
			bun.List(keys))
		if err != nil {
			return err
		}
		after, err := decide(before)
		if err != nil {
			return err
		}
		if err := db.CheckTexts("texts of a payment link", after.Description, after.Reference); err != nil {
			return err
		}
		return t.Run(ctx, updateLink.With(links.Changes(&after, before.Number)...))
	})
	return db.Wrap(err, "change payment link %s", slug)
}
