// Package refund is the page on which a payer says where money that is paid back is to go. Its link is all that is
// needed; the txnid alone opens nothing.
package refund

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/views"
	page "github.com/florinpay/florin/views/refund"
	"github.com/florinpay/florin/web/shell"
)

// Surface serves the page.
type Surface struct {
	Shell    *shell.Shell
	Refunds  *refund.Service
	Payments *payment.Service
	// Merchant returns who pays back, as the page shows them.
	Merchant func(context.Context, payment.Payment) (views.Merchant, error)
	Limits   operation.Limits
}

// Routes adds the routes of the page. Its errors are pages.
func (s *Surface) Routes(r shell.Router) {
	r = r.Renders(func(c echo.Context, r operation.Refusal) error {
		return shell.FailurePage(c, r, views.FailureProps{})
	})
	r.Read("/refund/:token", s.get)
	r.Read("/refund/of/:payment", s.getOffer)
	forms := r.With(s.Shell.SameSite)
	forms.POST("/refund/:token", s.post)
	forms.POST("/refund/:token/wallet", s.postWallet)
	forms.POST("/refund/of/:payment", s.postOffer)
}

func (s *Surface) get(c echo.Context) error {
	r, err := s.Refunds.ByToken(c.Request().Context(), c.Param("token"))
	if err != nil {
		return err
	}
	return s.show(c, r, http.StatusOK, "", "")
}

// maxForm is more than an address and a signature take, in bytes.
const maxForm = 4 << 10

// post stores the address that was typed.
func (s *Surface) post(c echo.Context) error {
	form, err := shell.ReadForm(c, maxForm)
	if err != nil {
		return err
	}
	typed := form.Get("address")
	return s.give(c, typed, func(ctx context.Context, token string) (refund.Refund, error) {
		return s.Refunds.GiveAddress(ctx, token, typed)
	})
}

// postWallet stores the address of the wallet that paid, which has signed for it.
func (s *Surface) postWallet(c echo.Context) error {
	form, err := shell.ReadForm(c, maxForm)
	if err != nil {
		return err
	}
	return s.give(c, "", func(ctx context.Context, token string) (refund.Refund, error) {
		signed := refund.Signed{Account: form.Get("account"), Signature: form.Get("signature")}
		return s.Refunds.Prove(ctx, token, signed)
	})
}

// give stores an address, and shows the page again with the refusal beside the field.
func (s *Surface) give(c echo.Context, typed string, store func(context.Context, string) (refund.Refund, error)) error {
	ctx, token := c.Request().Context(), c.Param("token")
	r, err := s.Refunds.ByToken(ctx, token)
	if err != nil {
		return err
	}
	if err := s.Limits.Endpoints(ctx, string(r.PaymentID)); err != nil { // one may be asked about the address
		return err
	}
	_, err = store(ctx, token)
	if err == nil {
		return c.Redirect(http.StatusSeeOther, page.Path(token)+"?lang="+shell.Language(c))
	}
	why := refusalOf(err)
	if why == "" {
		return err
	}
	if r, failed := s.Refunds.ByToken(ctx, token); failed == nil { // as it is now
		return s.show(c, r, fault.KindOf(err).Code(), typed, why)
	}
	return err
}

// refusalOf is what the page says about an error; empty for one that is no matter of the address.
func refusalOf(err error) page.Refusal {
	switch {
	case errors.Is(err, refund.ErrUnknown):
		return ""
	case errors.Is(err, refund.ErrAsked), errors.Is(err, refund.ErrEnded), errors.Is(err, refund.ErrLinkEnded):
		return page.Changed
	case errors.Is(err, refund.ErrLost):
		return page.Lost
	case errors.Is(err, refund.ErrDeposit):
		return page.Deposit
	case errors.Is(err, refund.ErrOtherWallet):
		return page.OtherWallet
	case fault.Is(err, fault.Unavailable):
		return page.NotChecked
	case fault.Is(err, fault.Invalid):
		return page.NoAddress
	}
	return ""
}

// show writes the page of the refund.
func (s *Surface) show(c echo.Context, r refund.Refund, status int, typed string, why page.Refusal) error {
	ctx := c.Request().Context()
	p, err := s.Payments.Get(ctx, string(r.PaymentID))
	if err != nil {
		return err
	}
	merchant, err := s.Merchant(ctx, p)
	if err != nil {
		return err
	}
	props := page.Props{
		Page: shell.NewPage(c), Merchant: merchant, Token: c.Param("token"), State: s.state(r),
		Amount: r.Units.Display(r.Asset.Decimals), Unit: r.Asset.Symbol, Network: string(r.Asset.Network),
		Description: p.Description, Reference: p.Reference,
		Address: string(r.Address.Address), Proven: r.Proven, ArrivedAt: r.FinalAt,
		Hash: string(r.Hash), Typed: typed[:min(len(typed), maxTyped)], Refusal: why, Message: r.Message(),
	}
	if n, ok := s.Payments.Network(r.Asset.Network); ok && r.Hash != "" {
		props.ExplorerURL = n.Profile.TxURL(r.Hash)
	}
	return shell.Render(c, status, props.Page, page.Refund(props))
}

// maxTyped is how much of what was typed is written back into the field, in bytes.
const maxTyped = 200

// state is what the page says of the refund.
func (s *Surface) state(r refund.Refund) string {
	switch {
	case r.Status == refund.AddressGiven && !r.AskedAt.IsZero():
		return page.StateSent
	case (r.Status == refund.Requested || r.Status == refund.AddressGiven) && r.Expired(s.Shell.Now()):
		return page.StateEnded
	}
	return string(r.Status)
}
