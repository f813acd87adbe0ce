package settings

import (
	"net/http"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views"
	pages "github.com/florinpay/florin/views/checkout"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
	"github.com/labstack/echo/v4"
)

// previewTTL is how long the imagined payment has left.
const previewTTL = 24 * time.Hour

// getPreview renders the payment page of an imagined payment with the branding of
// the query. Only this server may frame it; its Content-Security-Policy forbids
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
	q := c.QueryParams()
	logo := q.Get("logoUrl")
	if logo == "" && custodian.Branding.Uploaded() {
		logo = custodian.Branding.LogoURL
	}
	p := pages.Props{
		Page: shell.NewPage(
			c,
		),
		State: pages.StateChoose, TxnID: "01PREVW0000000000000000000",
		Amount: "49.90", Description: "Two pounds of coffee", Reference: "A-1042",
		Merchant: views.Merchant{
			Name: q.Get("name"), Tagline: q.Get("tagline"), LogoURL: logo, SupportEmail: q.Get("supportEmail"),
			Accent: q.Get("primaryColor"), Background: q.Get("backgroundColor"), Theme: q.Get("theme"),
		},
		ExpiresAt: s.Shell.Now().Add(previewTTL), CountdownSeconds: int(previewTTL.Seconds()),
		Choices: s.previewChoices(custodian),
	}
	h := c.Response().Header()
	c.Response().Before(func() {
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self' 'nonce-"+p.Nonce+"'; img-src 'self' https: data:; form-action 'none'; "+
			"base-uri 'none'; frame-ancestors 'self'; sandbox")
		h.Set("X-Frame-Options", "SAMEORIGIN")
	})
	return shell.Render(c, http.StatusOK, p.Page, pages.Pay(p))
}

// previewChoices are the networks on which the merchant has a wallet, or all
// configured ones if there is none.
func (s *Surface) previewChoices(c merchant.Custodian) []pages.NetworkChoice {
	var all []pages.NetworkChoice
	for _, n := range chain.Networks() {
		offered, ok := s.Payments.Network(n)
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
