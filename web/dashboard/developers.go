package dashboard

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/docs"
	"github.com/florinpay/florin/web/session"
)

const developersPath = "/dashboard/developers"

func (d *Surface) getDevelopers(c echo.Context, who session.Principal) error {
	p := dashboard.DevelopersProps{Frame: d.Frame(c, who, "Developers", developersPath), BaseURL: d.Shell.BaseURL}
	if d.Console {
		p.ConsoleURL = docs.ConsolePath
	}
	if key, ok, _ := who.ChosenKey(""); ok {
		p.KeyName = session.KeyLabel(key)
		custodian, _, err := d.CustodianOf(c.Request().Context(), key)
		if err != nil {
			return err
		}
		p.CallbackURL = custodian.CallbackURL
	}
	p.Samples = samplesOf(docs.CreatePayment, d.Shell.BaseURL)
	p.Verify = samplesOf(docs.VerifyWebhook, d.Shell.BaseURL)
	return d.Show(c, http.StatusOK, p.Frame, dashboard.Developers(p))
}

// samplesOf are the samples of the documentation: the same files, which tests
// run.
func samplesOf(task, base string) []dashboard.Sample {
	var out []dashboard.Sample
	for _, s := range docs.Samples(task, base) {
		out = append(out, dashboard.Sample{Language: s.Name, ID: s.Task + "-" + s.Language, Code: s.Code})
	}
	return out
}
