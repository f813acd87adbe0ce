package checkout

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment/lookup"
	"github.com/florinpay/florin/views/checkout"
	"github.com/florinpay/florin/web/present"
	"github.com/florinpay/florin/web/shell"
)

// postFind is the form "I have paid" of the checkout.
func (s *Surface) postFind(c echo.Context) error {
	form, err := shell.ReadForm(c, maxForm)
	if err != nil {
		return err
	}
	ctx, asked := c.Request().Context(), form.Get("hash")
	p, err := s.Payments.Get(ctx, c.Param("txnid"))
	if err != nil {
		return err
	}
	found, err := s.Operations.Look(ctx, string(p.ID), asked)
	status := http.StatusOK
	if err != nil {
		status = s.Shell.Refuse(c, err).Code
	}
	shown := s.shownLookup(found, err)
	shown.Asked = asked[:min(len(asked), present.MaxHash)]
	return s.show(c, p, status, func(props *checkout.Props) {
		props.View, props.Lookup = checkout.ViewFind, &shown
	})
}

func (s *Surface) shownLookup(f lookup.Result, failed error) checkout.Lookup {
	if failed != nil {
		return checkout.Lookup{Verdict: failedVerdict(failed)}
	}
	out := checkout.Lookup{
		Verdict: checkout.Verdict(f.Verdict), Network: string(f.Network), Token: f.Token, Amount: shownAmount(f.Amount),
		Missing: present.Positive(f.Missing), SecondsToFinal: shell.Seconds(f.FinalIn), ByAddress: f.ByAddress,
	}
	if f.Network != "" {
		out.ExplorerURL = s.Presenter.TxURL(f.Network, f.Hash)
	}
	return out
}

func failedVerdict(err error) checkout.Verdict {
	switch {
	case fault.Is(err, fault.Invalid):
		return checkout.VerdictInvalid
	case fault.Is(err, fault.Limited):
		return checkout.VerdictTooOften
	}
	return checkout.VerdictUnavailable
}

// shownAmount writes an amount with its unit; empty if nothing was found.
func shownAmount(plain string) string {
	if plain == "" {
		return ""
	}
	return money.Display(plain)
}
