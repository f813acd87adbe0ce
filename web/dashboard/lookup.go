package dashboard

import (
	"context"
	"net/http"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment/lookup"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
	"github.com/labstack/echo/v4"
)

// verdicts are the label and colour of each outcome of a lookup.
var verdicts = map[lookup.Verdict][2]string{
	lookup.Credited: {
		"It has arrived and counts", "is-good",
	}, lookup.NotFinal: {"It is correct, but not final yet", "is-seen"},
	lookup.Short: {
		"It counts, but money is missing", "is-seen",
	}, lookup.OtherChain: {"Sent on another network", "is-bad"},
	lookup.OtherToken: {
		"Sent in a token that does not count", "is-bad",
	}, lookup.OtherAddress: {"It pays another address", "is-bad"},
	lookup.TokenContract: {
		"Sent to the token's own contract", "is-bad",
	}, lookup.Failed: {"The transaction failed", "is-bad"},
	lookup.Worthless: {
		"It moved nothing of value", "is-bad",
	}, lookup.NotFound: {"No network has this transaction", "is-bad"},
	lookup.Unavailable: {"The network does not answer at the moment", "is-bad"},
}

// postFindIn looks up a transaction that a customer claims to have paid with.
func (d *Surface) postFindIn(c echo.Context, who session.Principal, f *shell.Form) error {
	p, _, err := d.ownPayment(c, who)
	if err != nil {
		return err
	}
	found, err := d.Operations.Look(c.Request().Context(), string(p.ID), f.Text("hash"))
	if err != nil {
		if !f.Refused(err, shell.Subject{Service: "hash", Input: "hash", Label: "The hash"}) {
			return err
		}
		return d.paymentPage(c, who, fault.KindOf(err).Code(), f, nil)
	}
	return d.paymentPage(c, who, http.StatusOK, f, d.lookupRow(c.Request().Context(), found))
}

func (d *Surface) lookupRow(ctx context.Context, f lookup.Result) *dashboard.LookupRow {
	r := &dashboard.LookupRow{
		Title: views.T(ctx, verdicts[f.Verdict][0]), Meaning: verdicts[f.Verdict][1], Verdict: string(f.Verdict),
		Advice: views.T(ctx, f.Advice()),
		Hash:   string(f.Hash),
	}
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
		r.Network, r.URL = views.NetworkName(string(f.Network)), d.Presenter.TxURL(f.Network, f.Hash)
	}
	return r
}
