package campaign

import (
	"context"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/input"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/payment"
)

// Store keeps campaigns and links. Every method is one transaction. Keys are
// those whose data may be seen or changed; what belongs to another is unknown.
type Store interface {
	// CreateCampaign stores a new campaign, or fails with ErrTaken.
	CreateCampaign(ctx context.Context, c Campaign, r audit.Record) (Campaign, error)
	// UpdateCampaign locks the campaign, calls decide and stores what it
	// returns, or fails with ErrUnknown. decide may run again.
	UpdateCampaign(
		ctx context.Context, keys []int64, slug string, decide func(Campaign) (Campaign, error), r audit.Record,
	) (Campaign, error)
	// Campaign returns the campaign with its totals, or ErrUnknown.
	Campaign(ctx context.Context, slug string) (Campaign, Totals, error)
	// Campaigns lists the campaigns of keys with their totals, the newest first.
	Campaigns(ctx context.Context, keys []int64) ([]Summary, error)
	// Donations lists the donations of a campaign, the newest first.
	Donations(ctx context.Context, q DonationQuery) ([]Donation, error)
	// ReviewDonation stores the merchant's review of a donation, or fails with
	// ErrUnknownGift.
	ReviewDonation(ctx context.Context, campaign, donation int64, review Review, r audit.Record) error

	// CreateLink stores a new link, or fails with ErrLinkTaken.
	CreateLink(ctx context.Context, l Link, r audit.Record) (Link, error)
	// Link returns a link, or ErrUnknownLink.
	Link(ctx context.Context, slug string) (Link, error)
	// Links lists the links of keys with what they have brought in, the newest first.
	Links(ctx context.Context, keys []int64) ([]Link, error)
	// UpdateLink changes a link, or fails with ErrUnknownLink or as decide.
	UpdateLink(ctx context.Context, keys []int64, slug string, decide func(Link) (Link, error), r audit.Record) error
}

// Summary is a campaign with its totals.
type Summary struct {
	Campaign
	Totals
}

// DonationQuery selects donations of a campaign.
type DonationQuery struct {
	Campaign int64
	Before   int64 // Number of the last donation of the previous page; 0 for the first page
	Limit    int
	// Proven leaves out those without money on the chain, which no total counts.
	Proven bool
	// Review selects donations with that review; empty: all.
	Review Review
}

// MaxPage is the most donations in one page.
const MaxPage = 100

// Service manages campaigns and links and opens their payments.
type Service struct {
	store    Store
	payments *payment.Service
	mail     *mail.Writer
	now      func() time.Time
}

// NewService returns the service. mail makes mails to owners, and none where it is nil; now gives the time.
func NewService(s Store, p *payment.Service, now func() time.Time, mail *mail.Writer) *Service {
	return &Service{s, p, mail, now}
}

// Create makes a campaign of a key.
func (s *Service) Create(ctx context.Context, keyID int64, in Draft, act audit.Act) (Campaign, error) {
	c, err := New(in, keyID, s.now())
	if err != nil {
		return Campaign{}, err
	}
	return s.store.CreateCampaign(ctx, c, act.Record(act.Account, audit.ActionCampaignNew, "", "", s.mail.Owners(
		act.At, act.Account, mail.T("A donation campaign was made"),
		mail.T("{{.Who}} made the campaign “{{.Title}}” ({{.Slug}}) in Florin:",
			"Who", act.Who, "Title", c.Title, "Slug", c.Slug), mail.Words{Below: c.Description})...))
}

// Redirection says to which API key, and so to whose wallets, donations go, and what is different from before of that
// and of what donors read, one line each.
type Redirection struct {
	KeyID   int64
	KeyName string
	Moved   bool // to another key than before
	Changes []string
}

// Edit replaces the description, the settings and the key of a campaign of one of the keys. The owners are mailed where
// donations go elsewhere, or donors read something else.
func (s *Service) Edit(
	ctx context.Context, keys []int64, slug string, to Redirection, in Draft, act audit.Act,
) (Campaign, error) {
	r := act.Record(act.Account, audit.ActionCampaign, "", strings.Join(append(to.Changes, ""), "\n"))
	if len(to.Changes) > 0 {
		subject := mail.T("What donors read of “{{.Title}}” was changed", "Title", in.Title)
		if to.Moved {
			subject = mail.T("Where donations go of “{{.Title}}” was changed", "Title", in.Title)
		}
		r.Mails = s.mail.Owners(act.At, act.Account, subject,
			mail.T("{{.Who}} changed in Florin, for the API key “{{.Key}}”:", "Who", act.Who, "Key", to.KeyName),
			mail.Words{}.Then(to.Changes...))
	}
	return s.update(ctx, keys, slug, func(c Campaign) (Campaign, error) { return c.Edit(in, to.KeyID, s.now()) }, r)
}

// Pause stops donations to a campaign of one of the keys until Resume.
func (s *Service) Pause(ctx context.Context, keys []int64, slug string, act audit.Act) (Campaign, error) {
	return s.update(ctx, keys, slug, func(c Campaign) (Campaign, error) { return c.Pause(s.now()) },
		act.Record(act.Account, audit.ActionCampaignPause, "", ""))
}

// Resume reopens a paused campaign of one of the keys.
func (s *Service) Resume(ctx context.Context, keys []int64, slug string, act audit.Act) (Campaign, error) {
	return s.update(ctx, keys, slug, func(c Campaign) (Campaign, error) { return c.Resume(s.now()) },
		act.Record(act.Account, audit.ActionCampaignResume, "", ""))
}

// End stops donations to a campaign of one of the keys for good.
func (s *Service) End(ctx context.Context, keys []int64, slug string, act audit.Act) (Campaign, error) {
	return s.update(ctx, keys, slug, func(c Campaign) (Campaign, error) { return c.End(s.now()) },
		act.Record(act.Account, audit.ActionCampaignEnd, "", ""))
}

func (s *Service) update(
	ctx context.Context, keys []int64, slug string, decide func(Campaign) (Campaign, error), r audit.Record,
) (Campaign, error) {
	if !ValidSlug(slug) {
		return Campaign{}, ErrUnknown
	}
	return s.store.UpdateCampaign(ctx, keys, slug, decide, r)
}

// Get returns a campaign, which is public. A malformed slug is unknown.
func (s *Service) Get(ctx context.Context, slug string) (Campaign, Totals, error) {
	if !ValidSlug(slug) {
		return Campaign{}, Totals{}, ErrUnknown
	}
	return s.store.Campaign(ctx, slug)
}

// List returns the campaigns of keys, the newest first.
func (s *Service) List(ctx context.Context, keys []int64) ([]Summary, error) {
	return s.store.Campaigns(ctx, keys)
}

// Wall returns donations as the public may see them, the newest first, and the
// value of before for the next page; 0 on the last.
func (s *Service) Wall(ctx context.Context, c Campaign, before int64, limit int) ([]Donation, int64, error) {
	list, next, err := s.Donations(ctx, DonationQuery{Campaign: c.Number, Before: before, Limit: limit, Proven: true})
	for i := range list {
		list[i] = list[i].Public(c)
	}
	return list, next, err
}

// Donations returns a page for the merchant, and the Before of the next page; 0
// on the last.
func (s *Service) Donations(ctx context.Context, q DonationQuery) ([]Donation, int64, error) {
	if q.Limit < 1 || q.Limit > MaxPage {
		q.Limit = MaxPage
	}
	limit := q.Limit
	q.Limit++ // one more shows whether there is a next page
	list, err := s.store.Donations(ctx, q)
	if err != nil || len(list) <= limit {
		return list, 0, err
	}
	return list[:limit], list[limit-1].Number, nil
}

// Review stores the merchant's decision on a donation's name and message.
func (s *Service) Review(ctx context.Context, c Campaign, donation int64, r Review, act audit.Act) error {
	said := mail.T("approved donation {{.Number}}", "Number", donation)
	if r == Hidden {
		said = mail.T("hidden donation {{.Number}}", "Number", donation)
	}
	return s.store.ReviewDonation(ctx, c.Number, donation, r, act.Record(act.Account, audit.ActionModerate, c.Slug,
		said.Kept()))
}

// Gift is a request to donate.
type Gift struct {
	// ID makes a repeated request the same payment; empty for a fresh one.
	ID            payment.ID
	Amount        string        // as in the request
	Price         exchange.Text // instead of Amount
	Choice        payment.Choice
	Name, Message string
	// ReturnURL is where the donor may go afterwards: the campaign's page.
	ReturnURL string
}

// Donate opens a payment that carries the campaign and starts it at once, for
// one credit of the campaign's key.
func (s *Service) Donate(ctx context.Context, c Campaign, g Gift, act audit.Act) (payment.Payment, error) {
	name, err := DonorName(g.Name)
	if err != nil {
		return payment.Payment{}, err
	}
	message, err := DonorMessage(g.Message)
	if err != nil {
		return payment.Payment{}, err
	}
	if err := c.Takes(s.now()); err != nil {
		return payment.Payment{}, err
	}
	if g.Price, err = c.priceOf(g); err != nil {
		return payment.Payment{}, err
	}
	return s.payments.OpenDonation(ctx, payment.DonationInput{
		ID: g.ID, KeyID: c.KeyID, CampaignID: c.Number, Amount: g.Amount, Price: g.Price, Choice: g.Choice,
		Details: payment.Details{
			Description: c.Title, DonorName: name, DonorMessage: message,
			SuccessURL: g.ReturnURL, CancelURL: g.ReturnURL,
			Metadata: map[string]string{"campaignId": c.Slug},
		},
	}, act)
}

// DonorName is the name of a donor as it is stored. It fails with fault.Invalid.
func DonorName(text string) (string, error) { return input.Text("name", text, MaxName) }

// DonorMessage is the message of a donor as it is stored. It fails with fault.Invalid.
func DonorMessage(text string) (string, error) { return cleanText("message", text, MaxMessage) }

// CreateLink makes a payment link of a key.
func (s *Service) CreateLink(ctx context.Context, keyID int64, in LinkDraft, act audit.Act) (Link, error) {
	l, err := NewLink(in, keyID, s.now())
	if err != nil {
		return Link{}, err
	}
	// A key without a custodian may have links: they open once it has one.
	if l.Amount > 0 {
		if err := s.payments.CheckAmount(ctx, keyID, l.Amount); fault.Is(err, fault.Unprocessable) {
			return Link{}, err
		}
	}
	return s.store.CreateLink(ctx, l, act.Record(act.Account, audit.ActionLinkNew, "", "", s.mail.Owners(
		act.At, act.Account, mail.T("A payment link was made"),
		mail.T("{{.Who}} made the payment link “{{.Slug}}” in Florin:", "Who", act.Who, "Slug", l.Slug),
		mail.Words{Below: l.Description})...))
}

// Link returns a link, which is public.
func (s *Service) Link(ctx context.Context, slug string) (Link, error) {
	if !ValidSlug(slug) {
		return Link{}, ErrUnknownLink
	}
	return s.store.Link(ctx, slug)
}

// Links returns the links of keys, the newest first.
func (s *Service) Links(ctx context.Context, keys []int64) ([]Link, error) {
	return s.store.Links(ctx, keys)
}

// PauseLink pauses or resumes a link of one of the keys.
func (s *Service) PauseLink(ctx context.Context, keys []int64, slug string, paused bool, act audit.Act) error {
	if !ValidSlug(slug) {
		return ErrUnknownLink
	}
	action := audit.ActionLinkResume
	if paused {
		action = audit.ActionLinkPause
	}
	return s.store.UpdateLink(ctx, keys, slug, func(l Link) (Link, error) {
		l.Paused = paused
		return l, nil
	}, act.Record(act.Account, action, slug, ""))
}

// EditLink changes what a link of one of the keys asks for and says. The owners are mailed what payers read.
func (s *Service) EditLink(ctx context.Context, keys []int64, slug string, in LinkDraft, act audit.Act) error {
	if !ValidSlug(slug) {
		return ErrUnknownLink
	}
	r := act.Record(act.Account, audit.ActionLink, slug, in.Description, s.mail.Owners(
		act.At, act.Account, mail.T("A payment link was changed"),
		mail.T("{{.Who}} changed the payment link “{{.Slug}}” in Florin. Payers read:", "Who", act.Who, "Slug", slug),
		mail.Words{Below: in.Description})...)
	return s.store.UpdateLink(ctx, keys, slug, func(l Link) (Link, error) { return l.Edit(in) }, r)
}

// UseLink makes a payment of the link. amount is what the payer typed; a link
// with a fixed amount ignores it.
func (s *Service) UseLink(ctx context.Context, l Link, amount string) (payment.Payment, error) {
	if l.Closed() {
		return payment.Payment{}, ErrLinkClosed
	}
	text, price, err := l.asked(strings.TrimSpace(amount))
	if err != nil {
		return payment.Payment{}, err
	}
	return s.payments.Create(ctx, payment.CreateInput{
		KeyID: l.KeyID, Amount: text, Price: price, LinkID: l.Number,
		Details: payment.Details{
			Reference: l.Reference, Description: l.Description, Metadata: map[string]string{"link": l.Slug},
		},
	}, audit.Act{})
}
