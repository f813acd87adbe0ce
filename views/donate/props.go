package donate

import (
	"net/url"
	"time"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
)

// CampaignStatus says whether a campaign takes donations.
type CampaignStatus string

// The states of a campaign.
const (
	CampaignActive CampaignStatus = "ACTIVE"
	CampaignPaused CampaignStatus = "PAUSED"
	CampaignEnded  CampaignStatus = "ENDED"
)

// InputError is the problem of a field of a payer's form; the view writes it in the language of the page.
type InputError string

// The problems of fields.
const (
	// InputAmount: no amount, or not a plain decimal with at most the digits allowed.
	InputAmount InputError = "amount"
	// InputTooSmall and InputTooLarge: outside Min and Max.
	InputTooSmall InputError = "too_small"
	InputTooLarge InputError = "too_large"
	// InputWay: no network and token chosen, or one that is not offered any more.
	InputWay InputError = "way"
	// InputTooLong: more characters than the field takes.
	InputTooLong InputError = "too_long"
	// InputText: characters that cannot be shown.
	InputText InputError = "text"
)

// Limits of a donor's texts, in characters.
const (
	MaxDonorName    = 80
	MaxDonorMessage = 280
)

// Props is the page of a donation campaign.
//
//	GET  /donate/{campaignId}?lang=&before=   Donate (JSON for clients that do not accept HTML)
//	GET  /donate/{campaignId}?pay=&lang=&view= Donate with Paying, the payment of that txnid, in the place of the form
//
// POST /donate/{campaignId}/pay?lang= a form: fields suggested or amount, name, message, network, token, via →
//
//	                                          303 GiftPath of the payment, which is started already; with an error
//	                                          Donate again (422)
//	GET  /donate/{campaignId}/live?lang=      a stream of events: raised is [DonateRaised], wall is [DonateWall]
//
// GET /donate/{campaignId}/widget?lang= DonateWidget, which alone may be framed by other sites (frame-ancestors *)
//
//	GET  /donate/{campaignId}/card.png        the picture for shares, see card.go
//
// The form also has the field once, see Once.
// suggested is one of Suggested, or "other": then amount counts, which may be typed with a decimal comma, see
// [Locale.Plain].
type Props struct {
	views.Page
	// Merchant receives the donations.
	Merchant views.Merchant

	CampaignID, Title string
	// Description is plain text; empty lines part paragraphs.
	Description string
	Status      CampaignStatus
	// Raised and Goal are plain decimals in US dollars; Goal is empty for none. Percent is the raised part of it, 0 to
	// 100, rounded down. With a Currency, Goal, Worth and Suggested are in that instead, and Worth is what is raised.
	Raised, Goal    string
	Currency, Worth string
	Percent         int
	Donors          int
	// Reached: the goal is reached.
	Reached bool
	// EndsAt is zero for no end.
	EndsAt time.Time

	// Suggested are amounts as plain decimals; may be empty. Min and Max bound a free amount; may be empty.
	Suggested []string
	Min, Max  string
	// Choices are the ways to pay, as in the checkout.
	Choices []checkout.NetworkChoice

	// Typed is the form as it was sent; nil for a fresh one. Errors are by field: amount, way, name, message.
	Typed   url.Values
	Errors  map[string]InputError
	Problem checkout.Problem
	// Once identifies a filled-in form, so that sending it twice makes one payment.
	Once string
	// ShownAtOnce: names and messages are shown before the merchant reviews them.
	ShownAtOnce bool

	// Paying is the donation that is being paid on this page, in the place of the form; nil for none.
	Paying *checkout.Props

	// LivePath is where a stream keeps the page up to date; empty for none.
	LivePath string
	// Donations are the newest first, moderated. Older leads to the page after these; empty on the last.
	Donations []Donation
	Older     string
	// URL is the absolute address of this page, CardURL that of its picture; both for shares.
	URL, CardURL string
}

// Donation is one on the wall.
type Donation struct {
	// Name is empty for an anonymous donor; Message may be empty.
	Name, Message          string
	Amount, Token, Network string
	Hash, ExplorerURL      string
	At                     time.Time
}

// LinkProps is a payment link that can be used again and again.
//
//	GET  /link/{slug}?lang=   PayLink
//	POST /link/{slug}?lang=   field amount where it is open, network and token where it is fixed → 303 PayPath of a
//	                          new payment, which is started already if a network was sent;
//	                          with an error PayLink again (422)
type LinkProps struct {
	views.Page
	Merchant views.Merchant

	Slug string
	// Description is what the payment is for; may be empty.
	Description string
	// Amount is fixed, a plain decimal; empty lets the payer choose between Min and Max, which may be empty.
	Amount, Min, Max string
	// Price is a price in another currency; none where the link is in US dollars. Without an amount the payer chooses
	// it.
	Price views.Price
	// Bounded shows Min and Max beside the field: the merchant set them.
	Bounded bool
	// Closed: the link is not in use any more.
	Closed bool
	// Choices are the ways to pay a fixed amount, which the page offers at once; a form sends network, token and via.
	Choices []checkout.NetworkChoice

	Typed   url.Values
	Errors  map[string]InputError
	Problem checkout.Problem
}
