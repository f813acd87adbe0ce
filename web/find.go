package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/jsonbody"
	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/shell"
)

// postFindTxn tells what became of a transaction, over REST.
func (s *Server) postFindTxn(c echo.Context) error {
	return write(c, s, func(ctx context.Context, b *jsonbody.Object) (*model.FindingResult, error) {
		hash := b.Text("hash")
		if err := b.Err(); err != nil {
			return nil, err
		}
		return s.ops.Find(ctx, c.Param("txnid"), hash)
	})
}

// postFind is the form "I have paid" of the checkout.
func (s *Server) postFind(c echo.Context) error {
	if err := parseForm(c); err != nil {
		return err
	}
	ctx, asked := c.Request().Context(), c.Request().PostForm.Get("hash")
	p, err := s.d.Payments.Get(ctx, c.Param("txnid"))
	if err != nil {
		return err
	}
	found, err := s.ops.Look(ctx, string(p.ID), asked)
	status := http.StatusOK
	if err != nil {
		status = s.sh.Refuse(c, err).Code
		shell.AddHeaders(c)
	}
	shown := s.shownFinding(found, err)
	shown.Asked = asked[:min(len(asked), maxAsked)]
	return s.checkout(c, p, status, func(props *views.CheckoutProps) {
		props.View, props.Finding = views.ViewFind, &shown
	})
}

// maxAsked is how much of what a payer typed is written back into the field.
const maxAsked = 200

func (s *Server) shownFinding(f payment.LookupResult, failed error) views.Finding {
	if failed != nil {
		return views.Finding{Verdict: failedVerdict(failed)}
	}
	out := views.Finding{
		Verdict: views.Verdict(f.Verdict), Network: string(f.Network), Token: f.Token, Amount: shownAmount(f.Amount),
		Missing: positive(f.Missing), SecondsToFinal: shell.Seconds(f.FinalIn), ByAddress: f.ByAddress,
	}
	if f.Network != "" {
		out.ExplorerURL = s.txURL(f.Network, f.Hash)
	}
	return out
}

func failedVerdict(err error) views.Verdict {
	switch {
	case fault.Is(err, fault.Invalid):
		return views.VerdictInvalid
	case fault.Is(err, fault.Limited):
		return views.VerdictTooOften
	}
	return views.VerdictUnavailable
}

// shownAmount is an amount for people; empty where nothing was found.
func shownAmount(plain string) string {
	if plain == "" {
		return ""
	}
	return money.Display(plain)
}
