package campaign

import (
	"time"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
)

// Props is one campaign.
type Props struct {
	panel.Frame

	Slug, Name, State string
	KeyGone           bool   // its API key was revoked
	Raised, Goal      string // with their currency; Goal is empty for none
	Dollars           string // what is raised in US dollars, where Raised is in another currency
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
func (p Props) Path() string { return "/dashboard/campaigns/" + p.Slug }

// GiftRow is a donation of the list.
type GiftRow struct {
	Number, TxnID, Name, Message string
	Review                       string
	Shown                        bool // the page of the campaign shows the name and message
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

// reviewText says whether the page of the campaign shows what the donor wrote.
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

// reviewMeaning is the CSS class of its colour.
func (r GiftRow) reviewMeaning() string {
	switch {
	case r.Review == "WAITING":
		return "is-seen"
	case r.Shown:
		return "is-good"
	}
	return "is-wait"
}
