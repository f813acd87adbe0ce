package campaign

import (
	"math/big"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// State says whether a campaign takes donations.
type State string

// The states.
const (
	Active State = "ACTIVE"
	Paused State = "PAUSED"
	Ended  State = "ENDED"
)

// Campaign collects donations for one purpose.
type Campaign struct {
	Number int64  // the row's; 0 before it is stored
	Slug   string // the campaignId; unique, never changes
	// KeyID is the API key that pays for starts and whose custodian receives.
	KeyID int64
	// KeyRevoked: the key was revoked, so no payment can be made with it.
	KeyRevoked bool

	Title       string
	Description string // plain text; empty lines part paragraphs
	Goal        money.Micros
	Suggested   []money.Micros
	Prices      Prices // instead of Goal and Suggested, in another currency
	State       State  // as it was set; see At
	// ShowAtOnce shows names and messages until they are hidden, instead of
	// hiding them until they are approved.
	ShowAtOnce bool

	CreatedAt time.Time
	UpdatedAt time.Time
	EndsAt    time.Time // zero for no end
}

// Totals are what a campaign has raised: money of completed payments that the
// chain holds.
type Totals struct {
	Raised  money.Micros
	Worth   int64 // of Raised, in the smallest unit of the campaign's currency, each at its own rate; 0: US dollars
	Donors  int64
	Waiting int64 // donations whose name or message is not reviewed
}

// progress is the goal and what is raised of it, in one unit.
func (c Campaign) progress(t Totals) (goal, raised int64) {
	if c.Prices.None() {
		return int64(c.Goal), int64(t.Raised)
	}
	return c.Prices.Goal, t.Worth
}

// Percent is how much of the goal is raised, rounded down, 0 to 100; 0 without
// a goal.
func (c Campaign) Percent(t Totals) int {
	goal, raised := c.progress(t)
	switch {
	case goal <= 0 || raised <= 0:
		return 0
	case raised >= goal:
		return 100
	}
	return int(new(big.Int).Quo(new(big.Int).Mul(big.NewInt(raised), big.NewInt(100)), big.NewInt(goal)).Int64())
}

// Reached reports whether the goal is reached.
func (c Campaign) Reached(t Totals) bool {
	goal, raised := c.progress(t)
	return goal > 0 && raised >= goal
}

// Refusals.
var (
	ErrUnknown       = fault.New(fault.NotFound, "no campaign has this campaignId")
	ErrUnknownGift   = fault.New(fault.NotFound, "the campaign has no such donation")
	ErrPaused        = fault.New(fault.Conflict, "this campaign is paused and takes no donations at the moment").Because(fault.ReasonCampaignPaused)
	ErrEnded         = fault.New(fault.Conflict, "this campaign has ended and takes no more donations").Because(fault.ReasonCampaignEnded)
	ErrNoKey         = fault.New(fault.Conflict, "this campaign takes no donations: its API key was revoked; the merchant can give it another one").Because(fault.ReasonCampaignWithoutKey)
	ErrEndedForGood  = fault.New(fault.Conflict, "this campaign was ended and cannot be opened again; make a new one")
	ErrTaken         = fault.About(fault.Conflict, "campaignId", "is taken already; choose another one")
	errAlreadyActive = fault.New(fault.Conflict, "this campaign is active already")
)

// At returns the state at a time: a campaign has ended once its end has passed.
func (c Campaign) At(now time.Time) State {
	if !c.EndsAt.IsZero() && !now.Before(c.EndsAt) {
		return Ended
	}
	return c.State
}

// Takes returns why no donation can be started now, or nil.
func (c Campaign) Takes(now time.Time) error {
	switch c.At(now) {
	case Ended:
		return ErrEnded
	case Paused:
		return ErrPaused
	case Active:
	}
	if c.KeyRevoked {
		return ErrNoKey
	}
	return nil
}

// Pause stops donations until Resume.
func (c Campaign) Pause(now time.Time) (Campaign, error) {
	switch c.At(now) {
	case Ended:
		return c, ErrEnded
	case Paused:
		return c, ErrPaused
	case Active:
	}
	c.State, c.UpdatedAt = Paused, now
	return c, nil
}

// Resume takes donations again.
func (c Campaign) Resume(now time.Time) (Campaign, error) {
	switch c.At(now) {
	case Ended:
		return c, ErrEnded
	case Active:
		return c, errAlreadyActive
	case Paused:
	}
	c.State, c.UpdatedAt = Active, now
	return c, nil
}

// End stops donations for good. Payments that were started before can still
// complete, and count.
func (c Campaign) End(now time.Time) (Campaign, error) {
	if c.State == Ended {
		return c, ErrEnded
	}
	c.State, c.UpdatedAt = Ended, now
	return c, nil
}

// Edit replaces the merchant's description and settings of the campaign.
func (c Campaign) Edit(in Draft, keyID int64, now time.Time) (Campaign, error) {
	if c.State == Ended && !in.EndsAt.Equal(c.EndsAt) {
		return c, ErrEndedForGood
	}
	if !in.AsOf.IsZero() && !in.AsOf.Equal(c.UpdatedAt) {
		return c, merchant.ErrChangedMeanwhile
	}
	in.Slug = c.Slug
	edited, err := in.apply(c, now)
	if err != nil {
		return c, err
	}
	edited.KeyID, edited.UpdatedAt = keyID, now
	return edited, nil
}

// Shown returns what donors read and what differs from before, one line each.
func (c Campaign) Shown(before Campaign) []string {
	var changes []string
	if c.Title != before.Title {
		changes = append(changes, merchant.Changed(mail.T("title"), before.Title, c.Title))
	}
	if c.Description != before.Description {
		changes = append(changes, merchant.Changed(mail.T("text"), before.Description, c.Description))
	}
	return changes
}

// Review is the merchant's decision on showing a donation's name and message.
type Review string

// The reviews.
const (
	Waiting  Review = "WAITING"
	Approved Review = "APPROVED"
	Hidden   Review = "HIDDEN"
)

// ParseReview reads one that a merchant can give.
func ParseReview(text string) (Review, error) {
	if r := Review(text); slices.Contains([]Review{Approved, Hidden}, r) {
		return r, nil
	}
	return "", fault.About(fault.Invalid, "review", "must be %s or %s", Approved, Hidden)
}

// Donation is a completed payment of a campaign.
type Donation struct {
	Number    int64 // counts up in the order of completion
	PaymentID payment.ID
	Name      string // as the giver wrote it
	Message   string
	Review    Review
	// Received is the money that counts and that the chain holds; 0 for one
	// that was completed by hand, or whose money vanished.
	Received money.Micros
	Network  chain.Network
	Token    money.Token
	Hash     chain.TxHash
	At       time.Time // of completion
}

// Public returns the donation as the public may see it.
func (d Donation) Public(c Campaign) Donation {
	if d.Review != Approved && (d.Review != Waiting || !c.ShowAtOnce) {
		d.Name, d.Message = "", ""
	}
	return d
}
