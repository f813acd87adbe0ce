package checkout

import (
	"time"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
)

// Presenter turns payments into what pages show of them.
type Presenter struct {
	payments *payment.Service
	codes    *qrCache
	now      func() time.Time
	origin   string
	sandbox  bool
	solana   bool
}

// PresenterOptions say what pages may offer.
type PresenterOptions struct {
	Now func() time.Time
	// Origin is the public address of the checkout, without a slash at the end; wallet apps open pages there.
	Origin string
	// Sandbox adds links to the sandbox's buttons.
	Sandbox bool
	// Transfers lets wallets on Solana pay from the page.
	Transfers bool
}

// NewPresenter returns a presenter of the payments.
func NewPresenter(payments *payment.Service, o PresenterOptions) *Presenter {
	return &Presenter{
		payments: payments, codes: newQRCache(), now: o.Now, origin: o.Origin, sandbox: o.Sandbox, solana: o.Transfers,
	}
}

// QR is the QR code of a text, from a cache; empty if the text is too long.
func (x *Presenter) QR(text string) views.QR { return x.codes.of(text) }
