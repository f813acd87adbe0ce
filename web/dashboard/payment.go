package dashboard

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/present"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// ownPayment returns a payment of one of the principal's keys; another merchant's is unknown.
func (d *Surface) ownPayment(c echo.Context, who session.Principal) (payment.Payment, merchant.Key, error) {
	p, err := d.Payments.Get(c.Request().Context(), c.Param("txnid"))
	if errors.Is(err, payment.ErrUnknown) {
		return payment.Payment{}, merchant.Key{}, errNoPayment
	}
	if err != nil {
		return payment.Payment{}, merchant.Key{}, err
	}
	for _, k := range who.AllKeys {
		if k.ID == p.KeyID {
			return p, k, nil
		}
	}
	return payment.Payment{}, merchant.Key{}, errNoPayment
}

// errNoPayment says in the words of the pages that the merchant has no such payment.
var errNoPayment = fault.New(fault.NotFound, "your account has no such payment")

func (d *Surface) getPayment(c echo.Context, who session.Principal) error {
	return d.paymentPage(c, who, http.StatusOK, shell.NewForm(url.Values{}), nil)
}

// paymentPage shows a payment with the state of its form and the result of a
// lookup; found may be nil.
func (d *Surface) paymentPage(
	c echo.Context, who session.Principal, status int, f *shell.Form, found *dashboard.LookupRow,
) error {
	ctx := c.Request().Context()
	x, key, err := d.ownPayment(c, who)
	if err != nil {
		return err
	}
	p, err := d.paymentProps(ctx, who, x, key)
	if err != nil {
		return err
	}
	p.Frame = d.Frame(c, who, views.T(ctx, "Payment of {{.Amount}}", "Amount", dollars(ctx, x.Amount)), paymentsPath)
	p.Frame.Notices = append(p.Frame.Notices, strayNotices(ctx, x)...)
	twins, err := d.twinNotices(ctx, x)
	if err != nil {
		return err
	}
	p.Frame.Notices = append(p.Frame.Notices, twins...)
	p.Problem = f.Problem
	p.Reason = f.Field(reasonField)
	p.Reauth.Posted = f.Posted
	if p.Reauth.Field, err = d.StrongField(c, who, f); err != nil {
		return err
	}
	p.Find = f.Field(panel.Field{
		Name: "hash", Label: "Transaction hash, or its link in a block explorer", Required: true, Max: strconv.Itoa(present.MaxHash), Mono: true,
	})
	p.Lookup, p.Note = found, f.Field(noteField)
	if p.Refunds, err = d.refunds(ctx, who, x, f); err != nil {
		return err
	}
	p.Refunds.Reauth = p.Reauth
	if err := d.addHistory(ctx, &p, x); err != nil {
		return err
	}
	return d.Show(c, status, p.Frame, dashboard.Payment(p))
}

// addHistory adds what happened to a payment, and its webhooks.
func (d *Surface) addHistory(ctx context.Context, p *dashboard.PaymentProps, x payment.Payment) (err error) {
	if p.Timeline, err = d.timeline(ctx, p.Now.Location(), x); err != nil {
		return err
	}
	hooks, err := d.Reports.Deliveries(ctx, report.DeliveryQuery{KeyID: x.KeyID, TxnID: x.ID, Limit: session.PageRows})
	for _, h := range hooks {
		p.Deliveries = append(p.Deliveries, deliveryRow(ctx, h))
	}
	return err
}

// twinNotices lead to other payments of the same order that are paid.
func (d *Surface) twinNotices(ctx context.Context, x payment.Payment) (all []panel.Notice, err error) {
	twins, err := d.Payments.PaidTwins(ctx, x)
	for _, t := range twins {
		n := panel.Notice{
			Plain: true,
			Text:  views.T(ctx, "Another payment with the reference {{.Reference}} is paid, too.", "Reference", t.Reference),
			Link:  paymentsPath + "/" + string(t.ID), LinkText: "Look at it",
		}
		all = append(all, n)
	}
	return all, err
}

// strayNotices name money at the payment's address that no sweep moves by itself: on a network that was not offered, or
// in a token that the network's are not.
func strayNotices(ctx context.Context, x payment.Payment) []panel.Notice {
	var all []panel.Notice
	for _, dep := range x.Deposits {
		t := dep.Transfer
		shown := slices.ContainsFunc(x.Routes, func(r payment.Route) bool { return r.Network == t.Network })
		if shown && t.Asset.Listed() || dep.Swept || dep.State != payment.DepositFinal {
			continue
		}
		args := []any{
			"Amount", views.LocaleOf(ctx).Amount(t.Units.Display(t.Asset.Decimals)),
			"Token", t.Asset.Symbol, "Network", views.NetworkName(string(t.Network)),
		}
		if shown {
			all = append(all, panel.Notice{Text: views.T(ctx, "{{.Amount}} of the token {{.Token}} came to this address on "+
				"{{.Network}}, which is none that is taken here. Ask the operator of this server to send it to your wallet.",
				args...)})
			continue
		}
		all = append(all, panel.Notice{Bad: true, Text: views.T(ctx, "{{.Amount}} {{.Token}} came to this address on "+
			"{{.Network}}, which was not chosen. It can go to your wallet only. Ask the operator of this server to settle "+
			"this payment on that network.", args...)})
	}
	return all
}

// reasonField is why the merchant marks a payment as completed.
var reasonField = panel.Field{
	Name: "reason", Label: "Reason", Hint: "Shown in the history of the payment and in your audit log.",
	Required: true, Max: strconv.Itoa(maxReason),
}

// noteField is how the merchant settled what needed attention.
var noteField = panel.Field{
	Name: "note", Label: "How (optional)", Hint: "Such as: sent back by hand. It is kept in the history of the payment.",
	Max: strconv.Itoa(maxReason),
}

func (d *Surface) paymentProps(
	ctx context.Context, who session.Principal, x payment.Payment, key merchant.Key,
) (dashboard.PaymentProps, error) {
	back, err := d.Refunds.Back(ctx, x)
	p := dashboard.PaymentProps{
		TxnID: string(x.ID), Status: string(x.Status), Token: string(x.Choice.Token),
		Amount: x.Amount.Display(), Received: present.Positive(x.Received().Micros()),
		Price: present.PriceOf(x), PriceSources: priceSources(ctx, x),
		Reference: x.Reference, Description: x.Description, CustomerEmail: x.CustomerEmail,
		CreatedAt: x.CreatedAt, ExpiresAt: x.ExpiresAt, EndedAt: x.EndedAt,
		Hash: string(x.Hash), ExplorerURL: d.Presenter.ExplorerURL(x),
		Standing: string(x.Standing()), Verdict: verdict(ctx, x, back, d.now(who)), Title: paymentRow(ctx, x).Title,
		NeedsYou: len(x.Attention()) > 0, Senders: senders(x),
		CheckoutURL: d.Operations.CheckoutLink(x.ID), ByHand: x.ByHand,
		CanCancel: who.Membership.Role.May(merchant.ActPayments) && !x.Status.Final() && x.Received().IsZero() &&
			x.Incoming().IsZero(),
		CanComplete: who.Membership.Role.May(merchant.ActComplete) && x.Status != payment.Completed &&
			x.Kind != payment.KindTopUp && key.RevokedAt.IsZero(),
	}
	if len(who.AllKeys) > 1 {
		p.KeyLabel = session.KeyLabel(key)
	}
	if x.Choice.Network != "" {
		p.Network = views.NetworkName(string(x.Choice.Network))
	}
	if x.Status == payment.Started && p.Received != "" {
		p.Missing = present.Positive(x.Missing())
	}
	p.Accept, p.AcceptLate, p.Back = acceptable(ctx, x), onlyLate(x), present.Positive(back.Arrived)
	if back.All {
		p.Senders = nil
	}
	if x.Status == payment.Completed && !x.Reversed() {
		p.ReceiptURL = d.Shell.CheckoutURL + "/pay/" + string(x.ID) + "/receipt"
	}
	if route, ok := x.Route(); ok {
		p.Address, p.Settlement = string(route.Address.Address), string(route.Settlement)
	}
	for _, name := range slices.Sorted(maps.Keys(x.Metadata)) {
		p.Metadata = append(p.Metadata, [2]string{name, x.Metadata[name]})
	}
	return p, err
}

// priceSources says where the rate of a payment comes from.
func priceSources(ctx context.Context, x payment.Payment) string {
	if len(x.Price.Sources) == 0 {
		return ""
	}
	return views.T(ctx, "The rate comes from {{.Sources}}.", "Sources", strings.Join(x.Price.Sources, ", "))
}
