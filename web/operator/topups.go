package operator

import (
	"net/http"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/operator"
	"github.com/florinpay/florin/web/session"
	"github.com/labstack/echo/v4"
)

func (d *Surface) getTopUps(c echo.Context, who session.Principal) error {
	p := operator.TopUpsProps{Frame: d.Frame(c, who, "Top-ups", topUpsPath)}
	list, err := d.Reports.TopUps(c.Request().Context(), session.BeforeOf(c), session.PageRows+1)
	if err != nil {
		return err
	}
	if len(list) > session.PageRows {
		list = list[:session.PageRows]
		p.NextURL = session.OlderURL(topUpsPath, list[session.PageRows-1].ID, nil)
	}
	for _, x := range list {
		row := operator.TopUpRow{
			TxnID: string(x.TxnID), Email: x.Email, Label: x.Label,
			Amount: x.Amount.Display(), Status: string(x.Status),
			Credits: x.Credits, Credited: x.Credited,
			Hash: string(x.Hash), HashURL: d.Presenter.TxURL(x.Network, x.Hash), CreatedAt: x.CreatedAt,
		}
		if x.Network != "" {
			row.Network = string(x.Token) + " on " + views.NetworkName(string(x.Network))
		}
		p.Rows = append(p.Rows, row)
	}
	return d.Show(c, http.StatusOK, p.Frame, operator.TopUps(p))
}
