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
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/store/db"
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
	State       string
	ShowAtOnce  bool
	CreatedAt   instant
	UpdatedAt   instant
	EndsAt      instant
	RevokedAt   instant
	Raised      int64
	Donors      int64
	Waiting     int64
}

const campaignColumns = "c.id, c.slug, c.key_id, c.title, c.description, c.goal, c.suggested, c.state, c.show_at_once, " +
	"c.created_at, c.updated_at, c.ends_at, " + keyGone

// campaignTotals count donations that received money; they read only an index.
const campaignTotals = ", (SELECT CAST(coalesce(sum(d.received), 0) AS bigint) FROM donations AS d WHERE d.campaign_id = c.id) AS raised" +
	", (SELECT count(*) FROM donations AS d WHERE d.campaign_id = c.id AND d.received > 0) AS donors" +
	", (SELECT count(*) FROM donations AS d WHERE d.campaign_id = c.id AND d.review = 'WAITING') AS waiting"

const fromCampaigns = " FROM campaigns AS c JOIN api_keys AS k ON k.id = c.key_id"

func (r *campaignRow) campaign() (campaign.Campaign, error) {
	suggested, err := splitAmounts(r.Suggested)
	return campaign.Campaign{
		Number: r.ID, Slug: r.Slug, KeyID: r.KeyID, KeyRevoked: !r.RevokedAt.IsZero(), Title: r.Title, Description: r.Description,
		Goal: money.Micros(r.Goal), Suggested: suggested, State: campaign.State(r.State), ShowAtOnce: r.ShowAtOnce,
		CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time, EndsAt: r.EndsAt.Time,
	}, err
}

func (r *campaignRow) totals() campaign.Totals {
	return campaign.Totals{Raised: money.Micros(r.Raised), Donors: r.Donors, Waiting: r.Waiting}
}

func joinAmounts(all []money.Micros) string {
	texts := make([]string, len(all))
	for i, m := range all {
		texts[i] = strconv.FormatInt(int64(m), 10)
	}
	return strings.Join(texts, ",")
}

func splitAmounts(text string) ([]money.Micros, error) {
	if text == "" {
		return nil, nil
	}
	var all []money.Micros
	for one := range strings.SplitSeq(text, ",") {
		n, err := strconv.ParseInt(one, 10, 64)
		if err != nil {
			return nil, err
		}
		all = append(all, money.Micros(n))
	}
	return all, nil
}

// CreateCampaign stores a new campaign, or fails with campaign.ErrTaken.
func (s *Store) CreateCampaign(ctx context.Context, c campaign.Campaign, trail ...audit.Entry) (campaign.Campaign, error) {
	if err := checkTexts("texts of a campaign", c.Slug, c.Title, c.Description); err != nil {
		return campaign.Campaign{}, err
	}
	err := s.act(ctx, trail, about{subject: c.Slug, detail: c.Title}, func(ctx context.Context, t tx, _ *about) error {
		err := t.NewRaw("INSERT INTO campaigns (slug, key_id, title, description, goal, suggested, state, show_at_once, created_at, updated_at, ends_at) "+
			"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (slug) DO NOTHING RETURNING id",
			c.Slug, c.KeyID, c.Title, c.Description, int64(c.Goal), joinAmounts(c.Suggested), string(c.State), c.ShowAtOnce,
			db.At(c.CreatedAt), db.At(c.UpdatedAt), db.At(c.EndsAt)).Scan(ctx, &c.Number)
		return noRows(err, campaign.ErrTaken)
	})
	if err != nil {
		return campaign.Campaign{}, wrapIf(err, "create campaign %s", c.Slug)
	}
	return normalCampaign(c), nil
}

// noRows replaces sql.ErrNoRows by missing.
func noRows(err, missing error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return missing
	}
	return err
}

// normalCampaign returns the campaign as it will be read back.
func normalCampaign(c campaign.Campaign) campaign.Campaign {
	c.CreatedAt, c.UpdatedAt, c.EndsAt = db.At(c.CreatedAt).Time, db.At(c.UpdatedAt).Time, db.At(c.EndsAt).Time
	if len(c.Suggested) == 0 {
		c.Suggested = nil
	}
	return c
}

// UpdateCampaign locks the campaign of one of the keys, calls decide and
// stores what it returns, or fails with campaign.ErrUnknown.
func (s *Store) UpdateCampaign(
	ctx context.Context, keys []int64, slug string, decide func(campaign.Campaign) (campaign.Campaign, error), trail ...audit.Entry,
) (campaign.Campaign, error) {
	if len(keys) == 0 || !db.Storable(slug) {
		return campaign.Campaign{}, campaign.ErrUnknown
	}
	var changed campaign.Campaign
	err := s.act(ctx, trail, about{subject: slug}, func(ctx context.Context, t tx, a *about) error {
		var row campaignRow
		lock := t.ForUpdate()
		if lock != "" {
			lock += " OF c"
		}
		err := t.NewRaw("SELECT "+campaignColumns+fromCampaigns+" WHERE c.slug = ? AND c.key_id IN (?)"+lock, slug, bun.List(keys)).Scan(ctx, &row)
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
		a.detail = changed.Title
		if err := checkTexts("texts of a campaign", changed.Title, changed.Description); err != nil {
			return err
		}
		_, err = t.NewRaw("UPDATE campaigns SET key_id = ?, title = ?, description = ?, goal = ?, suggested = ?, state = ?, show_at_once = ?, "+
			"updated_at = ?, ends_at = ? WHERE id = ?", changed.KeyID, changed.Title, changed.Description, int64(changed.Goal),
			joinAmounts(changed.Suggested), string(changed.State), changed.ShowAtOnce, db.At(changed.UpdatedAt), db.At(changed.EndsAt), before.Number).Exec(ctx)
		return err
	})
	if err != nil {
		return campaign.Campaign{}, wrapIf(err, "update campaign %s", slug)
	}
	return normalCampaign(changed), nil
}

// Campaign returns the campaign with its totals, or campaign.ErrUnknown.
func (s *Store) Campaign(ctx context.Context, slug string) (campaign.Campaign, campaign.Totals, error) {
	if !db.Storable(slug) {
		return campaign.Campaign{}, campaign.Totals{}, campaign.ErrUnknown
	}
	var row campaignRow
	err := s.reader().NewRaw("SELECT "+campaignColumns+campaignTotals+fromCampaigns+" WHERE c.slug = ?", slug).Scan(ctx, &row)
	if err != nil {
		return campaign.Campaign{}, campaign.Totals{}, wrapIf(noRows(err, campaign.ErrUnknown), "read campaign %s", slug)
	}
	c, err := row.campaign()
	return c, row.totals(), wrapIf(err, "read campaign %s", slug)
}

// Campaigns lists the campaigns of keys with their totals, the newest first.
func (s *Store) Campaigns(ctx context.Context, keys []int64) ([]campaign.Summary, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	var rows []campaignRow
	err := s.reader().NewRaw("SELECT "+campaignColumns+campaignTotals+fromCampaigns+" WHERE c.key_id IN (?) ORDER BY c.id DESC", bun.List(keys)).
		Scan(ctx, &rows)
	if err != nil {
		return nil, wrapIf(err, "campaigns of %d keys", len(keys))
	}
	list := make([]campaign.Summary, len(rows))
	for i := range rows {
		c, err := rows[i].campaign()
		if err != nil {
			return nil, wrapIf(err, "campaign %s", rows[i].Slug)
		}
		list[i] = campaign.Summary{Campaign: c, Totals: rows[i].totals()}
	}
	return list, nil
}
