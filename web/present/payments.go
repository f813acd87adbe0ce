// Package present turns payments into what pages show of them: the checkout, campaigns and links, the dashboard.
package present

import (
	"cmp"
	"context"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
)

// Presenter turns payments into what pages show of them.
type Presenter struct {
	payments *payment.Service
	codes    *qrCache
	now      func() time.Time
	origin   string
	sandbox  bool
	solana   bool
	refunds  *refund.Service
}

// Offer is the first of what the payer is offered back; empty: nothing is.
func (x *Presenter) Offer(ctx context.Context, p payment.Payment, l *views.Locale) (string, error) {
	if x.refunds == nil {
		return "", nil
	}
	list, err := x.refunds.Offers(ctx, p)
	if err != nil || len(list) == 0 {
		return "", err
	}
	return l.Money(list[0].Left.Display(list[0].Asset.Decimals), list[0].Asset.Symbol), nil
}

// Back is what of a payment goes back to its payer, as pages for the payer show it, and the excess that does not.
func (x *Presenter) Back(ctx context.Context, p payment.Payment) (out checkout.Back, rest money.Micros, err error) {
	rest = p.Excess()
	if x.refunds == nil {
		return out, rest, nil
	}
	b, err := x.refunds.Back(ctx, p)
	return checkout.Back{
		Arrived: Positive(b.Arrived), Sent: Positive(b.Sent), Ready: Positive(b.Ready), Asked: Positive(b.Asked),
		Unit: b.Unit, All: b.All,
	}, b.Rest(rest), err
}

// Options say what pages may offer.
type Options struct {
	Now func() time.Time
	// Origin is the public address of the checkout, without a slash at the end; wallet apps open pages there.
	Origin string
	// Sandbox adds links to the sandbox's buttons.
	Sandbox bool
	// Transfers lets wallets on Solana pay from the page.
	Transfers bool
	// Refunds may be nil: nothing is paid back.
	Refunds *refund.Service
}

// New returns a presenter of the payments.
func New(payments *payment.Service, o Options) *Presenter {
	return &Presenter{
		payments: payments, codes: newQRCache(), now: o.Now, origin: o.Origin, sandbox: o.Sandbox, solana: o.Transfers,
		refunds: o.Refunds,
	}
}

// QR is the QR code of a text, from a cache; empty if the text is too long.
func (x *Presenter) QR(text string) views.QR { return x.codes.of(text) }

// MaxHash is how much of a typed hash is read and written back into the field, in bytes.
const MaxHash = 512

// ParseChoice reads a network and a token.
func ParseChoice(network, token string) (payment.Choice, error) {
	n, err := chain.ParseNetwork(network)
	if err != nil {
		return payment.Choice{}, err
	}
	t, err := money.ParseToken(token)
	return payment.Choice{Network: n, Token: t}, err
}

// View is the side step of the page that is asked for, or whose form was sent.
func View(c echo.Context) checkout.View {
	return checkout.ParseView(cmp.Or(c.QueryParam("view"), c.Request().PostForm.Get("view")))
}
