package settings

import (
	"net/http"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	pages "github.com/florinpay/florin/views/checkout"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
	"github.com/labstack/echo/v4"
)

// getPreview renders the checkout of an imagined payment, at the step and with the
// branding of the query. Only this server may frame it; its Content-Security-Policy forbids
// scripts and forms.
func (s *Surface) getPreview(c echo.Context, who session.Principal) error {
	key, ok, err := who.ChosenKey(c.QueryParam("key"))
	if err != nil || !ok {
		return shell.ErrNotFound
	}
	custodian, _, err := s.CustodianOf(c.Request().Context(), key)
	if err != nil {
		return err
	}
	brand := brandOf(c.QueryParams())
	if brand.LogoURL == "" && custodian.Branding.Uploaded() {
		brand.LogoURL = custodian.Branding.LogoURL
	}
	p, err := pages.Example(shell.NewPage(c), c.QueryParam("step"), Choices(s.Payments, custodian), s.Shell.Now())
	if err != nil {
		return err
	}
	p.Merchant = brand
	shell.Pictured(c, p.Nonce)
	return shell.Render(c, http.StatusOK, p.Page, pages.Pay(p))
}

// Choices are the networks on which the merchant has a wallet, or all configured ones if
// there is none.
func Choices(payments *payment.Service, c merchant.Custodian) []pages.NetworkChoice {
	var all []pages.NetworkChoice
	for _, n := range chain.Networks() {
		offered, ok := payments.Network(n)
		if !ok || len(c.Wallets) > 0 && c.Wallets[n] == "" {
			continue
		}
		all = append(all, pages.NetworkChoice{
			Network: string(n), FeeUSD: offered.Profile.TypicalFee.String(), Seconds: shell.Seconds(
				offered.Profile.TypicalFinal,
			),
			ExchangeFeeUSD: offered.Profile.ExchangeFee.Display(),
			Tokens:         []pages.TokenChoice{{Token: "USDT"}, {Token: "USDC"}},
		})
	}
	return all
}
