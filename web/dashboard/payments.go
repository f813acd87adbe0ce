package dashboard

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/present"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const (
	paymentsPath = shell.HomePath + "/payments"
	// maxSearch is longer than any hash or reference.
	maxSearch = 200
)

// getPayments lists payments.
func (d *Surface) getPayments(c echo.Context, who session.Principal) error {
	p, err := d.paymentsProps(c.Request().Context(), d.Frame(c, who, "Payments", paymentsPath), who, c.QueryParams())
	if err != nil {
		return err
	}
	status := http.StatusOK
	if p.Problem != "" {
		status = http.StatusBadRequest
	}
	return d.Show(c, status, p.Frame, dashboard.Payments(p))
}

// paymentsProps is the page of the list that the query parameters ask for.
func (d *Surface) paymentsProps(
	ctx context.Context, frame panel.Frame, who session.Principal, asked url.Values,
) (dashboard.PaymentsProps, error) {
	p := dashboard.PaymentsProps{Frame: frame, HasKey: len(who.AllKeys) > 0}
	asked = whenAsked(asked, frame.Now)
	q, fields, problem := d.paymentQuery(ctx, asked, who)
	_, p.Currencies = currencyOf(who, "")
	p.Fields, p.Problem, p.Sentence = fields, problem, shell.Said(frame.Locale(), sentenceOfQuery(q))
	p.Filtered = sentenceOfQuery(q) != sentenceOfQuery(report.Query{})
	p.Tab = tabOf(fields)
	filter := filterOf(asked)
	p.Chips = chips(ctx, filter, fields)
	p.ExportURL = session.WithQuery(exportsPath, filter)
	if q.After != (report.Place{}) {
		p.FirstURL = session.WithQuery(paymentsPath, filter)
	}
	if p.Tab != noTab && problem == "" && q.After == (report.Place{}) {
		p.LivePath = session.WithQuery(paymentsPath+"/live", filter)
	}
	q.Limit = session.PageRows
	if problem != "" {
		q.Keys = nil
	}
	found, err := d.Reports.SearchPayments(ctx, q)
	if err != nil {
		return p, err
	}
	totals, known := found.Totals(q)
	if !known {
		counted, err := d.Reports.Totals(ctx, q)
		if err != nil {
			return p, err
		}
		if counted.Payments >= totals.Payments { // it may not come as far as this page
			totals = counted
		}
	}
	p.Totals = totalsText(ctx, totals)
	if found.Next != (report.Place{}) {
		filter.Set("after", formatPlace(found.Next))
		p.NextURL = session.WithQuery(paymentsPath, filter)
		if len(found.Payments) < q.Limit {
			p.LookedTo = found.Next.At
		}
	}
	refunds, err := d.Reports.Refunds(ctx, found.Payments)
	for _, x := range found.Payments {
		row := paymentRow(ctx, x)
		row.Refunds = refundLines(ctx, refunds[x.Number])
		p.Rows = append(p.Rows, row)
	}
	return p, err
}

// refundLines adds up the refunds of a payment that are alike.
func refundLines(ctx context.Context, list []report.Refund) (lines []dashboard.RefundLine) {
	for len(list) > 0 {
		first, rest := list[0], []report.Refund(nil)
		paid, units := first.Status == refund.Final, first.Units
		for _, r := range list[1:] {
			if r.Symbol == first.Symbol && r.Decimals == first.Decimals && (r.Status == refund.Final) == paid {
				units = units.Add(r.Units)
			} else {
				rest = append(rest, r)
			}
		}
		amount := views.LocaleOf(ctx).Amount(units.Display(first.Decimals)) + " " + first.Symbol
		lines, list = append(lines, dashboard.RefundLine{Amount: amount, Paid: paid}), rest
	}
	return lines
}

// totalsText says how many payments the filter takes, and what they were made for.
func totalsText(ctx context.Context, t report.Totals) string {
	n, sum := int(t.Payments), dollars(ctx, cents(t.Amount))
	if t.More {
		return views.N(ctx, "At least {{.N}} payments, {{.Sum}} together. Florin counts no further here; an export has "+
			"them all.", n, "Sum", sum)
	}
	return views.N(ctx, "{{.N}} payments, {{.Sum}} together.", n, "Sum", sum)
}

// noTab is no tab of the list: something else than the status filters.
const noTab = "none"

// tabOf returns the status if nothing else filters, and noTab otherwise.
func tabOf(f dashboard.FilterFields) string {
	if f != (dashboard.FilterFields{Status: f.Status, In: f.In}) {
		return noTab
	}
	return f.Status
}

// paymentRow is a payment in a list.
func paymentRow(ctx context.Context, p payment.Payment) dashboard.PaymentRow {
	r := dashboard.PaymentRow{
		TxnID: string(p.ID), Amount: p.Amount.Display(), Price: present.PriceOf(p), Standing: string(p.Standing()),
		Network: string(p.Choice.Network), Token: string(p.Choice.Token), CreatedAt: p.CreatedAt,
	}
	if !r.Price.None() { // the price is what is known of it
		r.Amount = cents(p.Amount).Display()
	}
	donation := ""
	if p.Kind == payment.KindDonation {
		donation = views.T(ctx, "Donation")
		if p.DonorName != "" {
			donation = views.T(ctx, "Donation from {{.Donor}}", "Donor", p.DonorName)
		}
	}
	r.Title, r.About = knownBy(donation, p.Reference, p.Description, p.CustomerEmail)
	return r
}

// knownBy is what a merchant knows a payment by: the first of the texts that is not empty, and the others.
func knownBy(texts ...string) (title, about string) {
	texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
	if len(texts) == 0 {
		return "", ""
	}
	return texts[0], strings.Join(texts[1:], ", ")
}
