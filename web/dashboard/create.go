package dashboard

import (
	"context"
	"errors"
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const createPath = "/dashboard/create"

func (d *Surface) getCreate(c echo.Context, who session.Principal) error {
	return d.createPage(c, who, http.StatusOK, shell.NewForm(url.Values{"key": {c.QueryParam("key")}}))
}

func (d *Surface) createPage(c echo.Context, who session.Principal, status int, f *shell.Form) error {
	ok, choice, err := d.PayableChoice(c.Request().Context(), who, createPath, f.Text("key"))
	if err != nil {
		return err
	}
	key, _, err := who.ChosenKey(choice.Current)
	if err != nil {
		return err
	}
	p := dashboard.CreateProps{
		Frame: d.Frame(c, who, "Create a payment", createPath), Key: choice, HasKey: ok, Problem: f.Problem,
	}
	p.Fields = []panel.Field{
		f.Field(
			panel.Field{
				Name: "amount", Label: "Amount", Mode: "decimal", Required: true, Max: "24",
				Placeholder: "49.90",
			},
		),
		f.Field(session.CurrencyField(key, panel.Field{Hint: d.currencies(c.Request().Context())})),
		f.Field(panel.Field{Name: "reference", Label: "Reference (optional)", Hint: "Your order number; you can search for it.", Max: strconv.Itoa(payment.MaxReference)}),
		f.Field(
			panel.Field{
				Name: "description", Label: "What it is for (optional)", Hint: "Your customer sees it.",
				Max: strconv.Itoa(payment.MaxDescription),
			},
		),
	}
	p.More = []panel.Field{
		f.Field(panel.Field{Name: "successUrl", Label: "Return address after payment", Type: "url", Hint: "Your customer comes back to it. Florin adds the payment's id and status.", Max: strconv.Itoa(payment.MaxURL)}),
		f.Field(
			panel.Field{
				Name: "cancelUrl", Label: "Return address if your customer gives up", Type: "url",
				Max: strconv.Itoa(payment.MaxURL),
			},
		),
		f.Field(
			panel.Field{
				Name: "customerEmail", Label: "Customer's e-mail address", Type: "email",
				Max: strconv.Itoa(payment.MaxEmail),
			},
		),
		f.Field(panel.Field{Name: "expiresInMinutes", Label: "Valid for, in minutes", Mode: "numeric", Hint: "From 5 minutes to 7 days (10080). One hour if you leave it empty.", Max: "5"}),
	}
	for _, x := range p.More {
		p.Open = p.Open || x.Value != "" || x.Problem != ""
	}
	return d.Show(c, status, p.Frame, dashboard.Create(p))
}

// createSubjects map the fields a refusal of postCreate can name to inputs.
var createSubjects = []shell.Subject{
	{Service: "amount", Input: "amount", Label: "The amount"},
	{Service: "price", Input: "amount", Label: "The amount"},
	{Service: "price.amount", Input: "amount", Label: "The amount"},
	{Service: "price.currency", Input: "currency", Label: "The currency"},
	{Service: "reference", Input: "reference", Label: "The reference"},
	{Service: "description", Input: "description", Label: "The text"},
	{Service: "successUrl", Input: "successUrl", Label: "The address"},
	{Service: "cancelUrl", Input: "cancelUrl", Label: "The address"},
	{Service: "expiresInMinutes", Input: "expiresInMinutes", Label: "The time"},
}

func (d *Surface) postCreate(c echo.Context, who session.Principal, f *shell.Form) error {
	key, err := who.Key(f.Text("key"))
	if err != nil {
		return err
	}
	in := payment.CreateInput{KeyID: key.ID, Amount: f.Amount("amount"), Details: payment.Details{
		Reference: f.Text("reference"), Description: f.Text("description"), CustomerEmail: f.Text("customerEmail"),
		SuccessURL: f.Text("successUrl"), CancelURL: f.Text("cancelUrl"),
	}}
	if code := strings.ToUpper(f.Text("currency")); code != "" && code != string(exchange.USD) {
		in.Price, in.Amount = exchange.Text{Amount: in.Amount, Currency: code}, ""
	}
	if minutes := f.Amount("expiresInMinutes"); minutes != "" {
		in.ExpiresInMinutes, err = strconv.ParseInt(minutes, 10, 64)
		if err != nil || in.ExpiresInMinutes == 0 {
			f.Bad("expiresInMinutes", "The time must be a whole number of minutes.")
			in.ExpiresInMinutes = 0
		}
	}
	// What a program's request is answered with a warning for, a person can set right at once.
	if _, left, _ := in.Details.Mended(); len(left) > 0 {
		f.Bad("customerEmail", "The e-mail address must be one that a mail server takes, such as name@example.com.")
	}
	if !f.OK() {
		f.Refused(d.Payments.Check(in), createSubjects...)
		return d.createPage(c, who, http.StatusBadRequest, f)
	}
	p, err := d.Payments.Create(c.Request().Context(), in, d.Act(c, who))
	if errors.Is(err, merchant.ErrNoCustodian) {
		f.Problem = "This key has no wallets yet. Enter them under Settings, Payouts."
		return d.createPage(c, who, http.StatusConflict, f)
	}
	if x := fault.Of(err); x != nil && x.Kind == fault.Unavailable && x.Reason != "" {
		f.Bad("currency", shell.Refusal(f.Locale, x, ""))
		return d.createPage(c, who, x.Kind.Code(), f)
	}
	if err != nil {
		if !f.Refused(err, createSubjects...) {
			return err
		}
		return d.createPage(c, who, fault.KindOf(err).Code(), f)
	}
	return c.Redirect(http.StatusSeeOther, createPath+"/"+string(p.ID))
}

// currencies says in which currencies a price may be.
func (d *Surface) currencies(ctx context.Context) string {
	codes := []string{string(exchange.USD)}
	for _, c := range d.Payments.Currencies() {
		codes = append(codes, string(c))
	}
	return views.T(ctx, "US dollars if you leave it empty. The rate is taken once, now. There are: {{.Codes}}.",
		"Codes", strings.Join(codes, ", "))
}

// getCreated shows how to hand a payment to its payer.
func (d *Surface) getCreated(c echo.Context, who session.Principal) error {
	x, key, err := d.ownPayment(c, who)
	if err != nil {
		return err
	}
	link := d.Operations.CheckoutLink(x.ID)
	p := dashboard.CreatedProps{
		Frame: d.Frame(c, who, "Payment created", createPath),
		TxnID: string(x.ID), Link: link,
		QR: d.Presenter.QR(link), ExpiresAt: x.ExpiresAt, Asked: dollars(c.Request().Context(), x.Amount),
	}
	asked := p.Asked
	if !x.Price.None() {
		asked = x.Price.Amount() + " " + string(x.Price.Currency)
		p.Asked = p.Locale().Price(x.Price.Amount(), string(x.Price.Currency)) + " (" + p.Asked + ")"
	}
	if p.Now, err = d.paymentProps(c.Request().Context(), who, x, key); err != nil {
		return err
	}
	p.Now.Frame, p.Now.Note = p.Frame, noteField
	if p.Now.Reauth.Field, err = d.StrongField(c, who, shell.NewForm(url.Values{})); err != nil {
		return err
	}
	pay := p.T("Pay {{.Amount}} with USDT or USDC", "Amount", asked)
	p.Snippet = `<a href="` + html.EscapeString(link) + `" rel="noopener">` + html.EscapeString(pay) + `</a>`
	return d.Show(c, http.StatusOK, p.Frame, dashboard.Created(p))
}
