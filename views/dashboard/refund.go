package dashboard

import (
	"context"
	"time"

	"github.com/a-h/templ"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
)

// Refunds are what was paid back of a payment, and what may be.
type Refunds struct {
	TxnID string
	Rows  []RefundRow
	// Left is what can still be paid back, such as "2.5 USDC on Polygon"; empty: nothing.
	Left []panel.Choice
	// Rates are in what an amount may be entered; empty: in the token alone.
	Rates []panel.Choice
	// May: the member may pay money back.
	May    bool
	Amount panel.Field
	Reason panel.Field
	// Send are the networks on which refunds wait for the merchant's wallet.
	Send []RefundSend
	// Reauth is the re-authentication of a request: whoever requests a refund can say where it goes.
	Reauth panel.Reauth
	Now    time.Time
}

// RefundRow is one refund.
type RefundRow struct {
	ID, Amount, Unit, Network, Status, Words, Meaning, Reason string
	Link                                                      string // the payer's page
	Address                                                   string
	Proven                                                    bool
	Hash, URL                                                 string
	CreatedAt                                                 time.Time
	// PayLink is a wallet's link for the transfer, and Code the same to be scanned.
	PayLink string
	Code    views.QR
	// CanHash, CanAsk, CanCancel and CanUnsend say what the merchant may do.
	CanHash, CanAsk, CanCancel, CanUnsend bool
	HashField                             panel.Field
	Others                                []OtherAmount
}

// OtherAmount is a transfer to the refund's address that pays it not.
type OtherAmount struct{ Amount, Hash, URL string }

// RefundSend is a network on which refunds wait for the merchant's wallet.
type RefundSend struct {
	Network, Name string
	Count         int
	// Chain is the network's number in hexadecimal (EIP-155), or its name in the Wallet Standard; empty where no
	// wallet of a browser is asked.
	Chain string
	// Most is how many the wallet is asked for at once; 0: all. Safe: there is a file for a Safe.
	Most int
	Safe bool
}

// sum is the amount with its token.
func (r RefundRow) sum(ctx context.Context) string {
	return views.LocaleOf(ctx).Amount(r.Amount) + " " + r.Unit
}

func (r Refunds) requestPath() string { return "/dashboard/payments/" + r.TxnID + "/refunds" }

func (r Refunds) path(id, act string) string { return r.requestPath() + "/" + id + "/" + act }

// none reports whether there is nothing to show.
func (r Refunds) none() bool { return len(r.Rows) == 0 && (!r.May || len(r.Left) == 0) }

// sendTexts are what the script says that sends refunds, as attributes of its form.
func sendTexts(ctx context.Context) templ.Attributes {
	return templ.Attributes{
		"data-with":     views.T(ctx, "Send with {{.Wallet}}", "Wallet", "{name}"),
		"data-silent":   views.T(ctx, "The server does not answer. Nothing was sent."),
		"data-open":     views.T(ctx, "Open your wallet."),
		"data-confirm":  views.T(ctx, "Confirm in your wallet."),
		"data-declined": views.T(ctx, "You declined in your wallet, so nothing was sent."),
		"data-account":  views.T(ctx, "This wallet has no account on this network. Nothing was sent."),
		"data-unsigned": views.T(ctx, "Your wallet has signed nothing, so nothing was sent."),
		"data-untaken":  views.T(ctx, "The network has not taken it yet. Look into your wallet before you try again."),
		"data-fault": views.T(ctx, "Your wallet reports a problem. Look there whether it was sent; if it was not, say so "+
			"below and try again."),
	}
}
