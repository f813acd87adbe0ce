package checkout

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/jsonbody"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/static"
	"github.com/florinpay/florin/web/shell"
)

// BuildTransfer returns an unsigned transaction that sends units of the asset from
// the payer's wallet to the owner `to`. It fails with fault.Unprocessable if the
// wallet does not hold enough.
type BuildTransfer func(
	ctx context.Context, payer, to chain.Address, asset chain.Asset, units money.Units,
) ([]byte, error)

// SendTransfers sends a transaction that the payer's wallet has signed, if its transfers are of the list, where no
// units are any. It fails with fault.Invalid for any other.
type SendTransfers func(ctx context.Context, signed []byte, list []chain.Transfer) (chain.TxHash, error)

// sent is the response to a wallet that signs and does not send.
type sent struct {
	Signature string `json:"signature"`
}

// transaction is the response that a wallet signs.
type transaction struct {
	Transaction []byte `json:"transaction"`       // base64
	Message     string `json:"message,omitempty"` // what it is for
}

// payee is what a wallet shows that has scanned a transaction request.
type payee struct {
	Label string `json:"label"`
	Icon  string `json:"icon"`
}

// getTransaction says who asks for a transaction (Solana Pay, transaction request, GET).
func (s *Surface) getTransaction(c echo.Context) error {
	ctx := c.Request().Context()
	p, err := s.Payments.Get(ctx, c.Param("txnid"))
	if err != nil {
		return err
	}
	m, err := s.Presenter.Merchant(ctx, p)
	if err != nil {
		return err
	}
	return shell.WriteJSON(c, http.StatusOK, payee{Label: m.Name, Icon: s.Shell.CheckoutURL + static.URL("icon.svg")})
}

// account reads the wallet of the payer, or what it has signed: of a form of the page, or of the JSON that a wallet
// sends which has scanned a transaction request.
func account(c echo.Context) (wallet, signed string, err error) {
	if shell.IsForm(c) {
		form, err := shell.ReadForm(c, maxForm)
		return form.Get("account"), form.Get("signed"), err
	}
	body, err := jsonbody.Read(c.Request(), maxForm)
	if err != nil {
		return "", "", err
	}
	o, err := jsonbody.Parse(body)
	if err != nil {
		return "", "", err
	}
	wallet = o.Text("account")
	return wallet, "", o.Err()
}

// refused is the response to a wallet that cannot pay; the page has words for the reason.
type refused struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Reason  string `json:"reason"`
}

// reasonGas: the wallet has too little SOL for the fees.
const reasonGas = "gas"

var (
	errNotPayable = fault.New(fault.Conflict, "this payment does not wait for money on Solana")
	errNoTransfer = fault.New(fault.Unavailable, "transactions for wallets on Solana cannot be built here")
)

// postTransaction builds the transaction with which the wallet of the request pays
// what is still due, or sends it once the wallet has signed it. Nothing is stored: the payment changes only when the
// transaction is on the chain.
func (s *Surface) postTransaction(c echo.Context) error {
	text, signed, err := account(c)
	if err != nil {
		return err
	}
	payer, err := chain.ParseAddress(chain.Solana, text)
	if err != nil && signed == "" {
		return err
	}
	ctx := c.Request().Context()
	p, err := s.Payments.Get(ctx, c.Param("txnid"))
	if err != nil {
		return err
	}
	route, asset, err := s.payable(p)
	if err != nil {
		return err
	}
	if err := s.Shell.Limits.Endpoints(ctx, string(p.ID)); err != nil {
		return err
	}
	if signed != "" {
		raw, _ := base64.StdEncoding.DecodeString(signed) // what is left of another text is no transaction
		tx, err := s.SendTransfers(chain.AsStranger(ctx), raw, []chain.Transfer{
			{To: route.Address.Address, Asset: asset}, // of any amount: what was due may have changed
		})
		if err != nil {
			return err
		}
		return shell.WriteJSON(c, http.StatusOK, sent{string(tx)})
	}
	bytes, err := s.BuildTransfer(
		chain.AsStranger(ctx), payer.Address, route.Address.Address, asset, p.Due().Units(asset.Decimals),
	)
	if errors.Is(err, chain.ErrPayerGas) {
		r := s.Shell.Refuse(c, err)
		return shell.WriteJSON(c, r.Code, refused{Code: r.Code, Message: r.Message, Reason: reasonGas})
	}
	if err != nil {
		return err
	}
	return shell.WriteJSON(c, http.StatusOK, transaction{bytes, p.Description})
}

// payable returns where a payment on Solana waits for money, and in what.
func (s *Surface) payable(p payment.Payment) (payment.Route, chain.Asset, error) {
	if s.BuildTransfer == nil || s.SendTransfers == nil {
		return payment.Route{}, chain.Asset{}, errNoTransfer
	}
	route, started := p.Route()
	offered, known := s.Payments.Network(chain.Solana)
	if !started || !known || p.Status != payment.Started || p.Choice.Network != chain.Solana || !p.Incoming().IsZero() {
		return payment.Route{}, chain.Asset{}, errNotPayable
	}
	asset, known := offered.Profile.Asset(p.Choice.Token)
	if !known {
		return payment.Route{}, chain.Asset{}, errNotPayable
	}
	return route, asset, nil
}
