package dashboard

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/input"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const (
	attentionPath = shell.HomePath + "/attention"
	// attentionRows is how many payments the page lists; the list of payments has the rest.
	attentionRows = 25
)

// getAttention shows what a person must settle.
func (d *Surface) getAttention(c echo.Context, who session.Principal) error {
	p, err := d.attentionProps(c.Request().Context(), d.Frame(c, who, "Needs attention", attentionPath), who)
	if err != nil {
		return err
	}
	if p.Reauth.Field, err = d.StrongField(c, who, shell.NewForm(url.Values{})); err != nil {
		return err
	}
	return d.Show(c, http.StatusOK, p.Frame, dashboard.Attention(p))
}

func (d *Surface) attentionProps(
	ctx context.Context, frame panel.Frame, who session.Principal,
) (dashboard.AttentionProps, error) {
	p, now := dashboard.AttentionProps{Frame: frame}, frame.Now
	houses, err := d.houses(ctx, who)
	if err != nil {
		return p, err
	}
	if p.Alerts, err = d.alerts(ctx, who, houses, now); err != nil {
		return p, err
	}
	page, more, err := d.needing(ctx, who)
	if err != nil {
		return p, err
	}
	p.More = more
	refunds, err := d.Reports.Refunds(ctx, page)
	if err != nil {
		return p, err
	}
	for _, x := range page {
		var back refund.Back
		if len(refunds[x.Number]) > 0 {
			if back, err = d.Refunds.Back(ctx, x); err != nil {
				return p, err
			}
		}
		row := dashboard.AttentionRow{
			PaymentRow: paymentRow(ctx, x), Verdict: verdict(ctx, x, back, now), Accept: acceptable(ctx, x),
			Late: onlyLate(x), Bulk: acceptsLate(x) || keeps(x),
		}
		if waits(x) && x.ExpiresAt.After(now) {
			row.TimeLeft = panel.Span(ctx, x.ExpiresAt.Sub(now))
		}
		p.Payments = append(p.Payments, row)
	}
	return p, nil
}

// needing lists the payments that need their merchant, the most urgent first, and reports whether there are more. Those
// whose customers ask are read apart: many newer ones may need him.
func (d *Surface) needing(ctx context.Context, who session.Principal) (list []payment.Payment, more bool, err error) {
	q := report.Query{Keys: who.KeyIDs(), Attention: true, Asked: true, Limit: report.MaxPage}
	asked, err := d.Reports.SearchPayments(ctx, q)
	if err != nil {
		return nil, false, err
	}
	q.Asked, q.Limit = false, min(len(asked.Payments)+attentionRows+1, report.MaxPage)
	newest, err := d.Reports.SearchPayments(ctx, q)
	if err != nil {
		return nil, false, err
	}
	list = slices.Concat(asked.Payments, slices.DeleteFunc(newest.Payments, payment.Payment.HasAsked))
	slices.SortStableFunc(list, byUrgency)
	return list[:min(len(list), attentionRows)], len(list) > attentionRows, nil
}

// byUrgency compares payments that need their merchant: a customer who asks waits for an answer, and who has the least
// time left the most; otherwise the newest stand first.
func byUrgency(a, b payment.Payment) int {
	first := func(one, other bool) int { return map[bool]int{true: 1}[other] - map[bool]int{true: 1}[one] }
	order := cmp.Or(first(waits(a), waits(b)), first(asks(a), asks(b)))
	if order == 0 && waits(a) {
		order = a.ExpiresAt.Compare(b.ExpiresAt)
	}
	return cmp.Or(order, b.CreatedAt.Compare(a.CreatedAt))
}

// waits reports whether the customer asks, and can still pay the rest.
func waits(x payment.Payment) bool { return asks(x) && !x.Status.Final() }

// asks reports whether the customer has asked the merchant to accept what came.
func asks(x payment.Payment) bool { return x.HasAsked() && x.Acceptable() }

// acceptsLate reports whether a payment can be accepted without a look: enough came, too late, and none goes back.
func acceptsLate(x payment.Payment) bool { return x.Acceptable() && !x.Refunding() && onlyLate(x) }

// keeps reports whether a payment is paid, and all that needs its merchant is money beyond it.
func keeps(x payment.Payment) bool {
	reasons := x.Attention()
	needed := func(r payment.Reason) bool { return r != payment.ReasonOver && r != payment.ReasonOtherAsset }
	return x.Status == payment.Completed && len(reasons) > 0 && !slices.ContainsFunc(reasons, needed)
}

// postAttention settles the ticked payments: it accepts those that came too late, and keeps what came beyond others.
// What cannot be settled so, or was meanwhile, stays as it is.
func (d *Surface) postAttention(c echo.Context, who session.Principal, f *shell.Form) error {
	ctx, act := c.Request().Context(), d.Act(c, who)
	accepted, kept := int64(0), int64(0)
	for _, id := range f.Values["txnid"][:min(len(f.Values["txnid"]), attentionRows)] {
		p, err := d.Payments.Get(ctx, id)
		switch {
		case fault.Is(err, fault.NotFound), err == nil && !slices.Contains(who.KeyIDs(), p.KeyID):
			continue // it is not there for this merchant
		case err != nil:
			return err
		case acceptsLate(p):
			if _, err = d.Payments.Accept(ctx, p.KeyID, string(p.ID), act); err == nil {
				accepted++
			}
		case keeps(p):
			if _, err = d.Payments.Resolve(ctx, p.KeyID, string(p.ID), "", act); err == nil {
				kept++
			}
		}
		if err != nil && !fault.Is(err, fault.Conflict) { // somebody else has settled it meanwhile
			return err
		}
	}
	if accepted+kept == 0 {
		return d.Cookies.Redirect(c, attentionPath, "Nothing was ticked that can be settled so.")
	}
	return d.Cookies.Redirect(c, attentionPath, joined(
		views.N(ctx, "Accepted: {{.N}} payments.", int(accepted)),
		views.N(ctx, "Kept what came beyond: {{.N}} payments.", int(kept)),
	))
}

// acceptable is what the merchant may accept as the whole; empty for nothing.
func acceptable(ctx context.Context, x payment.Payment) string {
	if !x.Acceptable() {
		return ""
	}
	return arrived(ctx, x)
}

// arrived names the final money that came: what counts in dollars, the rest as it is.
func arrived(ctx context.Context, x payment.Payment) string {
	var sums []string
	if !x.Left().IsZero() {
		sums = append(sums, dollars(ctx, x.Left().Micros()))
	}
	if !x.Uncounted().IsZero() {
		sums = append(sums, uncounted(ctx, x)...)
	}
	return listed(ctx, sums)
}

// Needs counts what needs the merchant, at most report.MaxAttention.
func (d *Surface) Needs(ctx context.Context, who session.Principal) (int, error) {
	n, err := d.Reports.Attention(ctx, who.KeyIDs())
	if err != nil {
		return 0, err
	}
	houses, err := d.houses(ctx, who)
	if err != nil {
		return 0, err
	}
	alerts, err := d.alerts(ctx, who, houses, d.now(who))
	return min(n+len(alerts), report.MaxAttention), err
}

// postResolve records that the merchant has settled what needed attention.
func (d *Surface) postResolve(c echo.Context, who session.Principal, f *shell.Form) error {
	p, _, err := d.ownPayment(c, who)
	if err != nil {
		return err
	}
	note, err := input.Lines("note", f.Text("note"), maxReason)
	if err != nil {
		f.Bad("note", "Write at most 500 characters, all of them visible.")
		return d.paymentPage(c, who, http.StatusBadRequest, f, nil)
	}
	if _, err := d.Payments.Resolve(c.Request().Context(), p.KeyID, string(p.ID), note, d.Act(c, who)); err != nil {
		return d.paymentRefused(c, who, f, err)
	}
	return d.Cookies.Redirect(c, attentionPath, "Settled. It is listed here again only if something new happens.")
}
