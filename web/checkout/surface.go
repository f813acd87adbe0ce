package checkout

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
	"github.com/florinpay/florin/web/live"
	"github.com/florinpay/florin/web/present"
	"github.com/florinpay/florin/web/shell"
)

// CampaignPage writes the page of a campaign on which one of its donations is
// paid; add completes the props of the payment.
type CampaignPage func(c echo.Context, slug string, p payment.Payment, status int, add func(*checkout.Props)) error

// CampaignLive returns what the page of a campaign shows of its progress.
type CampaignLive func(ctx context.Context, slug, lang string) ([]views.Part, error)

// Surface serves the checkout.
type Surface struct {
	Shell      *shell.Shell
	Payments   *payment.Service
	Operations *operation.Operations
	Presenter  *present.Presenter
	Hub        *live.Hub
	// BuildTransfer builds transactions for wallets on Solana; nil builds none.
	BuildTransfer BuildTransfer
	// SendTransfers sends what such a wallet has only signed; nil sends nothing.
	SendTransfers SendTransfers
	// CampaignPage shows a payment whose form was sent from a campaign.
	CampaignPage CampaignPage
	// CampaignLive keeps the rest of that page up to date.
	CampaignLive CampaignLive
}

// Routes adds the routes of the checkout. Its errors are pages.
func (s *Surface) Routes(r shell.Router) {
	r = r.Renders(failure)
	r.Read("/pay", s.getCheckout)
	r.GET("/pay/:txnid/live", s.getLive)
	r.Renders(shell.JSON).GET("/pay/:txnid/now", s.getNow)
	r.Read("/pay/:txnid/receipt", s.getReceipt)
	forms := r.With(s.Shell.SameSite)
	forms.POST("/pay/:txnid/start", s.postStart)
	forms.POST("/pay/:txnid/cancel", s.postCancel)
	forms.POST("/pay/:txnid/ask", s.postAsk)
	forms.POST("/pay/:txnid/again", s.postAgain)
	forms.POST("/pay/:txnid/find", s.postFind)
	json := forms.Renders(shell.JSON).AnyOrigin()
	json.Read("/pay/:txnid/transaction", s.getTransaction)
	json.POST("/pay/:txnid/transaction", s.postTransaction)
}

// failure renders an error as a page that says whether the payer's money is safe.
func failure(c echo.Context, r operation.Refusal) error {
	p := views.FailureProps{Checkout: true, Again: payPage(c)}
	switch {
	case !shell.Reads(c):
		// A form's path answers only POST, so the page links to the payment.
		p.Path = checkout.PayPath(c.Param("txnid"), "", checkout.ViewNow)
	case r.Code == http.StatusBadRequest:
		p.Kind = views.FailurePaymentUnknown // a link that lost its end
	}
	return shell.FailurePage(c, r, p)
}
