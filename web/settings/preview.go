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
	p, err := s.previewProps(c, custodian, c.QueryParam("step"))
	if err != nil {
		return err
	}
	p.Merchant = brand
	h := c.Response().Header()
	c.Response().Before(func() {
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self' 'nonce-"+p.Nonce+"'; img-src 'self' https: data:; form-action 'none'; "+
			"base-uri 'none'; frame-ancestors 'self'; sandbox")
		h.Set("X-Frame-Options", "SAMEORIGIN")
	})
	return shell.Render(c, http.StatusOK, p.Page, pages.Pay(p))
}

// previewAddress is the deposit address of the imagined payment: the example of EIP-55.
const previewAddress = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

// previewProps is the imagined payment at a step: choose, send or done; choose for any
// other text.
func (s *Surface) previewProps(c echo.Context, custodian merchant.Custodian, step string) (pages.Props, error) {
	now := s.Shell.Now()
	p := pages.Props{
		Page: shell.NewPage(c), State: pages.StateChoose, TxnID: "01PREVW0000000000000000000", Inert: true,
		Amount: "49.90", Description: "Two pounds of coffee", Reference: "A-1042",
		ExpiresAt: now.Add(previewTTL), CountdownSeconds: int(previewTTL.Seconds()),
		Choices: s.previewChoices(custodian),
	}
	if step != "send" && step != "done" {
		return p, nil
	}
	const network, token = "POLYGON", "USDC"
	p.Token = token
	qr, err := views.NewQR(previewAddress)
	if err != nil {
		return p, err
	}
	p.Pay = &pages.Instructions{
		Network: network, Token: token, Address: previewAddress, Amount: p.Amount, QRPlain: qr, QRWallet: qr,
	}
	if p.State = pages.StateWaiting; step == "done" {
		p.State, p.PaidAt, p.Received = pages.StatePaid, now, p.Amount
	}
	return p, nil
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
