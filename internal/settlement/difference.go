package settlement

import "github.com/florinpay/florin/internal/chain"

// Difference is one disagreement of a chain with the records.
type Difference struct {
	Network   chain.Network
	Address   chain.Address // empty for a transaction
	PaymentID string
	Contract  chain.Address // whose balance differs; empty: none alone
	Text      string        // what differs
	Advice    string        // what to do; may be empty
	// Unrecorded: money came that no deposit records, so that reading the address again may find it, and the Accounts
	// under its key that some lies on.
	Unrecorded bool
	Accounts   []chain.Address
}

func (d Difference) String() string {
	text := string(d.Network)
	if d.PaymentID != "" {
		text += " payment " + d.PaymentID
	}
	if d.Address != "" {
		text += " address " + string(d.Address)
	}
	return text + ": " + d.Text + d.Advice
}

// The differences of what the endpoints do not agree on, or cannot read.
const (
	disagree       = "the endpoints disagree about it, so nothing is concluded"
	unreadable     = "the endpoints cannot read it, so nothing is concluded"
	disagreeAdvice = "; compare them with a block explorer"
)

func (a DepositAddress) unclear(n ReconciledNetwork, text string) Difference {
	return Difference{
		Network: n.Profile.Network, Address: a.Address.Address, PaymentID: a.PaymentID,
		Text: text, Advice: disagreeAdvice,
	}
}
