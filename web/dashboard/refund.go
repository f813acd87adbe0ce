package dashboard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/lookup"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/present"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// refundWords are the words and the colour of each status.
var refundWords = map[refund.Status][2]string{
	refund.Requested: {"Waits for the payer's address", ""}, refund.AddressGiven: {"Ready to be sent", "is-seen"},
	refund.Sent: {"Sent, not final yet", "is-seen"}, refund.Final: {"Arrived", "is-good"},
	refund.Cancelled: {"Cancelled", ""},
}

// refunds is what the page of a payment shows of its refunds.
func (d *Surface) refunds(
	ctx context.Context, who session.Principal, x payment.Payment, f *shell.Form,
) (p dashboard.Refunds, err error) {
	left, list, err := d.Refunds.Holdings(ctx, x)
	if err != nil {
		return p, err
	}
	p = dashboard.Refunds{
		TxnID: string(x.ID), May: who.Membership.Role.May(merchant.ActRefund), Now: d.now(who),
		Amount: f.Field(panel.Field{
			Name: "amount", Label: "How much (optional)", Hint: "Empty: all of it.", Mode: "decimal",
		}),
		Reason: f.Field(panel.Field{
			Name: "refundReason", Label: "Reason (optional)", Hint: "The payer is not shown it.",
			Max: strconv.Itoa(refund.MaxReason),
		}),
	}
	if err := d.addRates(ctx, &p, x); err != nil {
		return p, err
	}
	for _, h := range left {
		network := views.NetworkName(string(h.Asset.Network))
		p.Left = append(p.Left, panel.Choice{
			Value: string(h.Asset.Network) + ":" + h.Asset.Symbol,
			Text:  onNetwork(ctx, h.Left.Display(h.Asset.Decimals), h.Asset.Symbol, network),
		})
	}
	seen := map[chain.Network]bool{}
	for _, r := range list {
		p.Rows = append(p.Rows, d.refundRow(r))
		if n := r.Asset.Network; r.Payable() && r.AskedAt.IsZero() && !seen[n] && p.May {
			seen[n] = true
			send, err := d.refundSend(ctx, who, n)
			if err != nil {
				return p, err
			}
			p.Send = append(p.Send, send)
		}
	}
	return p, nil
}

// addRates asks at which rate an amount in the shop's currency is paid back, of a payment that was priced in one.
func (d *Surface) addRates(ctx context.Context, p *dashboard.Refunds, x payment.Payment) error {
	if x.Price.None() {
		return nil
	}
	l, currency := views.LocaleOf(ctx), string(x.Price.Currency)
	add := func(name, text string, price exchange.Price) {
		if worth, ok := price.Worth(); ok {
			p.Rates = append(p.Rates, panel.Choice{Value: name, Text: l.T(text, "Currency", currency,
				"Price", l.Amount(x.Price.Amount())+" "+currency, "Worth", l.Amount(worth.Display()))})
		}
	}
	p.Rates = []panel.Choice{{Value: "", Text: "The token that is paid back"}}
	add(payment.RateThen, "{{.Currency}}, at the rate of the payment: {{.Price}} is {{.Worth}}", x.Price)
	now, err := d.Payments.PriceNow(ctx, x)
	if err == nil {
		add(payment.RateNow, "{{.Currency}}, at the rate of now: {{.Price}} is {{.Worth}}", now)
	} else if !fault.Is(err, fault.Unavailable) {
		return err
	}
	return nil
}

func (d *Surface) refundRow(r refund.Refund) dashboard.RefundRow {
	row := dashboard.RefundRow{
		ID: string(r.ID), Amount: r.Units.Display(r.Asset.Decimals), Unit: r.Asset.Symbol,
		Network: views.NetworkName(string(r.Asset.Network)),
		Status:  string(r.Status), Words: refundWords[r.Status][0], Meaning: refundWords[r.Status][1], Reason: r.Reason,
		Address: string(r.Address.Address), Proven: r.Proven, Hash: string(r.Hash), CreatedAt: r.CreatedAt,
		Link: d.Refunds.Link(r), URL: d.Presenter.TxURL(r.Asset.Network, r.Hash),
		CanHash: r.Payable(), CanAsk: r.Status == refund.AddressGiven && r.AskedAt.IsZero(),
		CanCancel: r.Open() && r.AskedAt.IsZero(), CanUnsend: r.Payable() && !r.AskedAt.IsZero(),
		HashField: panel.Field{
			Form: string(r.ID), Name: "hash", Label: "Transaction hash, or its link in a block explorer", Required: true,
			Max: strconv.Itoa(present.MaxHash), Mono: true,
		},
	}
	if row.CanUnsend && r.Status == refund.AddressGiven {
		row.Words = "Your wallet was asked to send the refund" // the payer reads that it is being sent
	}
	for _, o := range r.Others {
		row.Others = append(row.Others, dashboard.OtherAmount{
			Amount: money.Display(o.Amount) + " " + row.Unit, Hash: string(o.Hash),
			URL: d.Presenter.TxURL(r.Asset.Network, o.Hash),
		})
	}
	if n, ok := d.Payments.Network(r.Asset.Network); ok && row.CanUnsend {
		row.PayLink = payment.TransferURI(n.Profile, r.Asset, r.Address.Address, r.Units)
		row.Code, _ = views.NewQR(row.PayLink) // without one, the address stands beside it
	}
	return row
}

// refundSend says how many refunds of the account on the network no wallet was asked for.
func (d *Surface) refundSend(
	ctx context.Context, who session.Principal, n chain.Network,
) (dashboard.RefundSend, error) {
	list, err := d.Refunds.Waiting(ctx, keyIDs(who), n)
	s := dashboard.RefundSend{Network: string(n), Name: views.NetworkName(string(n)), Count: len(list), Safe: n.EVM()}
	if offered, ok := d.Payments.Network(n); ok && n.EVM() {
		s.Chain = "0x" + strconv.FormatUint(offered.Profile.ChainID, 16)
	} else if ok && d.Refunds.Prepares() {
		s.Chain, s.Most = "solana:"+offered.Profile.Cluster, chain.MostTransfers
	}
	return s, err
}

func keyIDs(who session.Principal) (ids []int64) {
	for _, k := range who.AllKeys {
		ids = append(ids, k.ID)
	}
	return ids
}

// refundSubjects are the inputs of a request for a refund.
var refundSubjects = []shell.Subject{
	{Service: "amount", Input: "amount", Label: "The amount"},
	{Service: "reason", Input: "refundReason", Label: "The reason"},
}

// postRefund requests a refund.
func (d *Surface) postRefund(c echo.Context, who session.Principal, f *shell.Form) error {
	p, _, err := d.ownPayment(c, who)
	if err != nil {
		return err
	}
	network, token, _ := strings.Cut(f.Text("holding"), ":")
	ask := refund.Ask{
		Amount: f.Amount("amount"), Reason: f.Text("refundReason"), Network: chain.Network(network), Token: token,
	}
	ctx := c.Request().Context()
	ask.Amount, err = d.Payments.InTokens(ctx, p, ask.Amount, f.Text("rate"))
	if err != nil && !f.Refused(err, refundSubjects...) {
		return err
	}
	if _, err := ask.Checked(); err != nil && !f.Refused(err, refundSubjects...) {
		return err
	}
	if ok, err := d.byHand(c, who, f); !ok {
		return err
	}
	if !f.OK() {
		return d.paymentPage(c, who, http.StatusBadRequest, f, nil)
	}
	if _, err := d.Refunds.Request(ctx, p.KeyID, string(p.ID), ask, d.Act(c, who)); err != nil {
		if !f.Refused(err, refundSubjects...) {
			return err
		}
		return d.paymentPage(c, who, fault.KindOf(err).Code(), f, nil)
	}
	return d.Cookies.Redirect(c, paymentsPath+"/"+string(p.ID)+"#refunds",
		"The refund is requested. The payer says where it goes, by the link below.")
}

// postRefundAct does one of the acts on a refund.
func (d *Surface) postRefundAct(c echo.Context, who session.Principal, f *shell.Form) error {
	p, _, err := d.ownPayment(c, who)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	r, err := d.Refunds.Owned(ctx, p.KeyID, c.Param("id"))
	if err == nil && r.PaymentID != p.ID {
		err = refund.ErrUnknown
	}
	if err != nil {
		return err
	}
	act := d.Act(c, who)
	var said string
	switch c.Param("act") {
	case "cancel":
		said = "The refund is cancelled."
		_, err = d.Refunds.Cancel(ctx, r, act)
	case "ask":
		said = "The payer can no longer change the address."
		_, err = d.Refunds.Ask(ctx, r, act)
	case "unsend":
		said = "The refund waits to be sent again."
		_, err = d.Refunds.Unsend(ctx, r, act)
	case "hash":
		said = "The refund is sent. It is done once the transaction is final."
		var hash chain.TxHash
		if hash, _, err = lookup.ParseHash(f.Text("hash")); err == nil {
			err = d.Shell.Limits.Checks(ctx) // endpoints are asked about the transaction
		}
		if err == nil {
			_, err = d.Refunds.Confirm(ctx, r, hash, act)
		}
	default:
		return echo.ErrNotFound
	}
	if err != nil {
		return d.paymentRefused(c, who, f, err)
	}
	return d.Cookies.Redirect(c, paymentsPath+"/"+string(p.ID)+"#refunds", said)
}

// sendCall is one transfer that the merchant's wallet is asked for.
type sendCall struct {
	Contract chain.Address `json:"contract"`
	To       chain.Address `json:"to"`
	Units    string        `json:"units"`
	Path     string        `json:"path"` // of the refund's acts
}

// sending is what the merchant's wallet is asked for: the calls, and on Solana the transaction that makes all of them.
type sending struct {
	Calls       []sendCall `json:"calls"`
	Transaction []byte     `json:"transaction,omitempty"` // base64
	Message     string     `json:"message,omitempty"`     // why it is asked for nothing
}

// askAll records that the merchant's wallet is asked for all refunds of the network, whose addresses stay from then on.
func (d *Surface) askAll(c echo.Context, who session.Principal, n chain.Network) ([]refund.Refund, error) {
	ctx := c.Request().Context()
	list, err := d.Refunds.Waiting(ctx, keyIDs(who), n)
	if err != nil {
		return nil, err
	}
	return d.Refunds.AskAll(ctx, list, d.Act(c, who))
}

// postAskRefunds answers with what a script asks the merchant's wallet for.
func (d *Surface) postAskRefunds(c echo.Context, who session.Principal) error {
	n, err := chain.ParseNetwork(c.Param("network"))
	if err != nil {
		return echo.ErrNotFound
	}
	var out sending
	var list []refund.Refund
	if n.EVM() {
		list, err = d.askAll(c, who, n)
	} else {
		list, out.Transaction, err = d.prepare(c, who)
	}
	if err != nil {
		r := d.Shell.Refuse(c, err)
		return shell.WriteJSON(c, r.Code, sending{Message: r.Message})
	}
	out.Calls = make([]sendCall, len(list))
	for i, r := range list {
		out.Calls[i] = sendCall{
			Contract: r.Asset.Contract, To: r.Address.Address, Units: r.Units.String(),
			Path: paymentsPath + "/" + string(r.PaymentID) + "/refunds/" + string(r.ID) + "/",
		}
	}
	return shell.WriteJSON(c, http.StatusOK, out)
}

// prepare has a transaction made for the merchant's wallet on Solana.
func (d *Surface) prepare(c echo.Context, who session.Principal) ([]refund.Refund, []byte, error) {
	f, err := session.ReadForm(c)
	if err != nil {
		return nil, nil, err
	}
	ctx := c.Request().Context()
	if err := d.Shell.Limits.Checks(ctx); err != nil { // endpoints are asked about the accounts
		return nil, nil, err
	}
	return d.Refunds.Prepare(ctx, keyIDs(who), f.Text("account"), d.Act(c, who))
}

// postRelayRefunds sends the transaction that the merchant's wallet has signed and does not send itself.
func (d *Surface) postRelayRefunds(c echo.Context, who session.Principal, f *shell.Form) error {
	ctx := c.Request().Context()
	if err := d.Shell.Limits.Checks(ctx); err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(f.Text("transaction"))
	if err != nil {
		return fault.About(fault.Invalid, "transaction", "must be the base64 text of a transaction")
	}
	hash, err := d.Refunds.Relay(ctx, keyIDs(who), raw)
	if err != nil {
		return err
	}
	return shell.WriteJSON(c, http.StatusOK, map[string]chain.TxHash{"hash": hash})
}

// postSafe writes the refunds of a network as the CSV Airdrop of Safe reads them.
func (d *Surface) postSafe(c echo.Context, who session.Principal) error {
	n, err := chain.ParseNetwork(c.Param("network"))
	if err != nil || !n.EVM() {
		return echo.ErrNotFound
	}
	list, err := d.askAll(c, who, n)
	if err == nil && len(list) == 0 {
		err = refund.ErrAsked
	}
	if err != nil {
		return err
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	_ = w.Write([]string{"token_type", "token_address", "receiver", "amount"})
	for _, r := range list {
		_ = w.Write([]string{"erc20", string(r.Asset.Contract), string(r.Address.Address), r.Amount()})
	}
	w.Flush()
	c.Response().Header().Set("Content-Disposition", `attachment; filename="refunds.csv"`)
	return c.Blob(http.StatusOK, "text/csv; charset=utf-8", out.Bytes())
}

// refundMoment completes the entry of an event about a refund.
func (d *Surface) refundMoment(ctx context.Context, m dashboard.Moment, e payment.Event) dashboard.Moment {
	var feed struct{ Refund json.RawMessage }
	var r refund.Body
	err := json.Unmarshal(e.Data, &feed)
	if err == nil && feed.Refund == nil {
		feed.Refund = e.Data // an event that only the timeline has
	}
	if err != nil || json.Unmarshal(feed.Refund, &r) != nil {
		return m
	}
	n, _ := chain.ParseNetwork(r.Network)
	m.Detail = onNetwork(ctx, money.Display(cmp.Or(r.Other, r.Amount)), r.Token, views.NetworkName(string(n)))
	m.Address, m.Hash = string(r.Address), string(r.Hash)
	if m.Hash != "" {
		m.URL = d.Presenter.TxURL(n, r.Hash)
	}
	return m
}
