package sandbox

import (
	"time"

	"github.com/florinpay/florin/views"
)

// Props is the page that pays with test money and shows the webhooks that result.
//
//	GET  /sandbox                  this page; #txn-<txnid> is one payment
//	POST /sandbox/pay/{txnid}      field how: one of SandboxActs        → 303 /sandbox#txn-<txnid>
//	GET  /sandbox/mail/{id}        one mail as HTML, as it would be sent
//	POST /sandbox/receiver         field mode: up, failing, slow        → 303 /sandbox#inbox
//	POST /sandbox/create           fields amount, currency              → 303 /pay?txnid= of the new payment
type Props struct {
	views.Page
	Payments []Payment
	Inbox    []Delivery
	Mails    []Mail
	// Receiver is how the inbox answers webhooks at the moment: up, failing or slow.
	Receiver string
	// DashboardURL and DocsURL are linked when set.
	DashboardURL, DocsURL string
	// APIKey is the demo merchant's key, for the curl line; BaseURL is where the server listens.
	APIKey, BaseURL string
	// Notice is one sentence about the result of the last button; may be empty.
	Notice string
}

// Act is one way to pay.
type Act struct{ How, Label, Effect string }

// Acts are the ways to pay a started payment, in the order of their buttons.
var Acts = []Act{
	{"exactly", "Pay exactly", "the whole amount that is missing"},
	{"short", "Short", "0.37 less than is missing"},
	{"over", "Over", "1.10 more than is missing"},
	{"late", "Late", "ends the payment first, then pays it"},
	{"wrong-token", "Other token", "the other token, which counts too, and a counterfeit, which does not"},
	{"other-chain", "Other chain", "the right token on another EVM network, which counts too"},
	{"reorg", "Reorg", "undoes the newest blocks, so that a payment seen there vanishes and returns"},
}

// Payment is one payment of the demo merchant.
type Payment struct {
	TxnID  string
	Amount string
	// Network, Token and Address are empty until started.
	Network, Token, Address string
	// Status is the stored status: PENDING, STARTED, COMPLETED, EXPIRED, CANCELLED.
	Status    string
	Received  string
	CreatedAt time.Time
}

// Delivery is one webhook that reached the inbox, newest first on the page.
type Delivery struct {
	At time.Time
	// ID is webhook-id; Status is the status in the body; TxnID names the payment.
	ID, Status, TxnID string
	Headers           []Header
	Body              string
	// Signed says whether webhook-signature is right; Verdict explains it in one sentence.
	Signed  bool
	Verdict string
	// Answered is the HTTP status the inbox gave.
	Answered int
}

// Mail is one mail that would have been sent, newest first on the page.
type Mail struct {
	At time.Time
	// ID names it at GET /sandbox/mail/{id}, which shows it as HTML, as it would be sent.
	ID, To, Subject, Text string
}

// Header is one HTTP header line.
type Header struct{ Name, Value string }
