package web

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/web/shell"
)

// maxReason bounds the reason of an act.
const maxReason = 500

// verdicts say in a few words what became of a transaction, and how good that is.
var verdicts = map[payment.LookupVerdict][2]string{
	payment.LookupCredited: {"It has arrived and counts", "is-good"}, payment.LookupNotFinal: {"It is right, but not final yet", "is-seen"},
	payment.LookupShort: {"It counts, but money is missing", "is-seen"}, payment.LookupOtherChain: {"Sent on another network", "is-bad"},
	payment.LookupOtherToken: {"Sent in a token that does not count", "is-bad"}, payment.LookupOtherAddress: {"It pays somebody else", "is-bad"},
	payment.LookupTokenContract: {"Sent to the token's own contract", "is-bad"}, payment.LookupFailed: {"The transaction failed", "is-bad"},
	payment.LookupWorthless: {"It moved nothing of value", "is-bad"}, payment.LookupNotFound: {"No network knows it", "is-bad"},
	payment.LookupUnavailable: {"The network cannot be asked now", "is-bad"},
}

// onlyLate reports whether the money that came is enough, and came after the end.
func onlyLate(x payment.Payment) bool {
	return x.Status.Final() && x.Received().Cmp(x.Amount.Atto()) >= 0
}

func (d *desk) postCancelPayment(c echo.Context, v visitor) error {
	p, _, err := d.ownPayment(c, v)
	if err != nil {
		return err
	}
	if _, err := d.d.Payments.Cancel(c.Request().Context(), string(p.ID), d.auditEntry(c, v, audit.ActionCancelPayment, string(p.ID), "")); err != nil {
		return d.paymentRefused(c, v, shell.NewForm(url.Values{}), err)
	}
	return d.cookies.Redirect(c, paymentsPath+"/"+string(p.ID), "The payment is cancelled.")
}

func (d *desk) paymentRefused(c echo.Context, v visitor, f *shell.Form, err error) error {
	if !f.Refused(err) {
		return err
	}
	return d.paymentPage(c, v, fault.KindOf(err).Code(), f, nil)
}

// byHand reads a form that has goods go out for money that is not there, which
// asks once more who is there; ok is false if the page was shown again.
func (d *desk) byHand(c echo.Context, v visitor, f *shell.Form) (ok bool, err error) {
	err = d.confirm(c, v, f)
	if err == nil {
		return true, nil
	}
	if !d.badProof(f, err) {
		return false, err
	}
	return false, d.paymentPage(c, v, proofStatus(err), f, nil)
}

// postComplete completes a payment whatever was received, for a reason.
func (d *desk) postComplete(c echo.Context, v visitor) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	f := shell.NewForm(values)
	f.Posted = c.Request().URL.Path
	p, _, err := d.ownPayment(c, v)
	if err != nil {
		return err
	}
	reason := f.Text("reason")
	if reason == "" || len(reason) > maxReason {
		f.Bad("reason", "Say in up to 500 characters why you complete it by hand.")
		return d.paymentPage(c, v, http.StatusBadRequest, f, nil)
	}
	if ok, err := d.byHand(c, v, f); !ok {
		return err
	}
	entry := d.auditEntry(c, v, audit.ActionMarkCompleted, string(p.ID), reason)
	_, err = d.d.Payments.MarkCompleted(c.Request().Context(), p.KeyID, string(p.ID), payment.Actor{Name: v.user.Email, Reason: reason}, entry)
	if errors.Is(err, payment.ErrUnknown) {
		return err
	}
	if err != nil {
		return d.paymentRefused(c, v, f, err)
	}
	return d.cookies.Redirect(c, paymentsPath+"/"+string(p.ID), "The payment is marked as completed.")
}

// postAccept takes money that is short or late as the whole. What is enough and
// only late takes one click.
func (d *desk) postAccept(c echo.Context, v visitor) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	f := shell.NewForm(values)
	f.Posted = c.Request().URL.Path
	p, _, err := d.ownPayment(c, v)
	if err != nil {
		return err
	}
	if !onlyLate(p) {
		if ok, err := d.byHand(c, v, f); !ok {
			return err
		}
	}
	received := "$" + p.Received().Micros().Display()
	entry := d.auditEntry(c, v, audit.ActionAccept, string(p.ID), received+" of $"+p.Amount.Display())
	done, err := d.d.Payments.Accept(c.Request().Context(), p.KeyID, string(p.ID), payment.Actor{Name: v.user.Email}, entry)
	if err != nil {
		return d.paymentRefused(c, v, f, err)
	}
	return d.cookies.Redirect(c, paymentsPath+"/"+string(p.ID), "The payment is completed with $"+done.Received().Micros().Display()+".")
}

// postFindIn tells what became of a transaction a customer claims to have paid with.
func (d *desk) postFindIn(c echo.Context, v visitor) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	f := shell.NewForm(values)
	p, _, err := d.ownPayment(c, v)
	if err != nil {
		return err
	}
	found, err := d.ops.Look(c.Request().Context(), string(p.ID), f.Text("hash"))
	if err != nil {
		if !f.Refused(err, shell.Subject{Service: "hash", Input: "hash", Label: "The hash"}) {
			return err
		}
		return d.paymentPage(c, v, fault.KindOf(err).Code(), f, nil)
	}
	return d.paymentPage(c, v, http.StatusOK, f, d.findingRow(found))
}

func (d *desk) findingRow(f payment.LookupResult) *dashboard.LookupRow {
	r := &dashboard.LookupRow{Title: verdicts[f.Verdict][0], Meaning: verdicts[f.Verdict][1], Verdict: string(f.Verdict), Advice: f.Advice(), Hash: string(f.Hash)}
	if f.Amount != "" {
		r.Moved = f.Amount + " " + f.Token
	}
	if f.Missing > 0 {
		r.Missing = f.Missing.Display()
	}
	if f.FinalIn > 0 {
		r.FinalIn = f.FinalIn.Round(time.Second).String()
	}
	if f.Network != "" {
		r.Network, r.URL = views.NetworkName(string(f.Network)), d.presenter.TxURL(f.Network, f.Hash)
	}
	return r
}
