package dashboard

import (
	"time"

	"github.com/florinpay/florin/views"
)

// CampaignForm is what a merchant says about a campaign.
type CampaignForm struct {
	Key    KeyChoice
	Title  Field
	Story  Field // of several lines
	Fields []Field
	AtOnce bool // names and messages are shown until they are hidden
}

// CampaignsProps lists the campaigns, and asks for a new one.
type CampaignsProps struct {
	Frame

	Problem string
	HasKey  bool
	Rows    []CampaignRow
	Form    CampaignForm
}

// CampaignRow is a campaign of the list. Amounts are plain decimals in US
// dollars; Goal is empty for none.
type CampaignRow struct {
	Slug, Title, State string
	Raised, Goal       string
	Donors, Waiting    int64
}

// CampaignEditProps changes a campaign.
type CampaignEditProps struct {
	Frame

	Slug, Name, Problem string
	HasKey, KeyGone     bool
	Form                CampaignForm
}

// CampaignProps is one campaign.
type CampaignProps struct {
	Frame

	Slug, Name, State string
	KeyGone           bool // its API key was revoked
	Raised, Goal      string
	Percent           int
	Donors, Waiting   int64
	EndsAt            time.Time
	AtOnce            bool

	Rows        []GiftRow
	OnlyWaiting bool // the list leaves out what was reviewed
	Paged       bool // the list does not begin with the newest
	NextURL     string

	Link          string
	QR            views.QR
	Embed, Button string // HTML to copy
}

// Path is the campaign's page in the dashboard.
func (p CampaignProps) Path() string { return "/dashboard/campaigns/" + p.Slug }

// GiftRow is a donation.
type GiftRow struct {
	Number, TxnID, Name, Message string
	Review                       string
	Shown                        bool // everybody sees the name and message
	Amount, Token, TxURL         string
	Proven                       bool // the chain holds the money
	At                           time.Time
}

// written reports whether there is anything to review.
func (r GiftRow) written() bool { return r.Name != "" || r.Message != "" }

// anyWritten reports whether a list has anything to review.
func anyWritten(rows []GiftRow) bool {
	for _, r := range rows {
		if r.written() {
			return true
		}
	}
	return false
}

// stateText and stateMeaning are how a campaign's state is written and coloured.
func stateText(state string) string {
	switch state {
	case "ACTIVE":
		return "Taking donations"
	case "PAUSED":
		return "Paused"
	}
	return "Ended"
}

func stateMeaning(state string) string {
	switch state {
	case "ACTIVE":
		return "is-good"
	case "PAUSED":
		return "is-seen"
	}
	return "is-wait"
}

// reviewText says what everybody sees of a donor's words.
func (r GiftRow) reviewText() string {
	switch {
	case r.Review == "WAITING" && r.Shown:
		return "Shown, not reviewed"
	case r.Review == "WAITING":
		return "Waiting for you"
	case r.Shown:
		return "Shown"
	}
	return "Hidden"
}

func (r GiftRow) reviewMeaning() string {
	switch {
	case r.Review == "WAITING":
		return "is-seen"
	case r.Shown:
		return "is-good"
	}
	return "is-wait"
}

// LinksProps lists payment links, and asks for a new one.
type LinksProps struct {
	Frame

	Problem string
	HasKey  bool
	Key     KeyChoice
	Rows    []LinkRow
	Fields  []Field
	More    []Field // bounds of an open amount
	Open    bool    // shows More
}

// LinkRow is a payment link. Amount is empty where the payer chooses, between
// Min and Max, which are empty for no bound.
type LinkRow struct {
	Slug, Description, Reference string
	Amount, Min, Max             string
	Paused, KeyGone              bool
	CreatedAt                    time.Time
}

// amountText says what a payer pays.
func (r LinkRow) amountText() string {
	switch {
	case r.Amount != "":
		return usd(r.Amount)
	case r.Min != "" && r.Max != "":
		return usd(r.Min) + " to " + usd(r.Max)
	case r.Min != "":
		return "open, from " + usd(r.Min)
	case r.Max != "":
		return "open, up to " + usd(r.Max)
	}
	return "open"
}

// LinkProps is one payment link.
type LinkProps struct {
	Frame
	LinkRow

	Link   string
	QR     views.QR
	Button string // HTML to copy
}
