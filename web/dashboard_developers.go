package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/docs"
)

const developersPath = "/dashboard/developers"

func (d *desk) getDevelopers(c echo.Context, v visitor) error {
	p := dashboard.DevelopersProps{Frame: d.frame(c, v, "Developers", developersPath), BaseURL: d.o.BaseURL}
	if d.o.GraphQL.Introspection {
		p.ConsoleURL = docs.ConsolePath
	}
	if key, ok, _ := v.chosen(""); ok {
		p.KeyName = labelOf(key)
		custodian, _, err := d.custodianOf(c.Request().Context(), key)
		if err != nil {
			return err
		}
		p.CallbackURL = custodian.CallbackURL
	}
	p.Samples = samplesOf(docs.CreatePayment, d.o.BaseURL)
	p.Verify = samplesOf(docs.VerifyWebhook, d.o.BaseURL)
	return d.show(c, http.StatusOK, p.Frame, dashboard.Developers(p))
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
