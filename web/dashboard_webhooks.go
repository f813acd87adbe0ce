package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/webhook"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/shell"
)

const webhooksPath = "/dashboard/webhooks"

// chosenKey returns the key a page is about and the choice of others.
func (d *desk) chosenKey(v visitor, path, asked string) (merchant.Key, bool, panel.KeyChoice, error) {
	key, ok, err := v.chosen(asked)
	choice := panel.KeyChoice{Path: path, Current: key.PublicID}
	for _, k := range v.keys {
		choice.Keys = append(choice.Keys, panel.Choice{Value: k.PublicID, Text: labelOf(k)})
	}
	return key, ok, choice, err
}

func (d *desk) getWebhooks(c echo.Context, v visitor) error {
	return d.webhooksPage(c, v, http.StatusOK, c.QueryParam("key"), shell.NewForm(url.Values{}))
}

func (d *desk) webhooksPage(c echo.Context, v visitor, status int, asked string, f *shell.Form) error {
	ctx := c.Request().Context()
	key, ok, choice, err := d.chosenKey(v, webhooksPath, asked)
	if err != nil {
		return err
	}
	p := dashboard.WebhooksProps{Frame: d.frame(c, v, "Webhooks", webhooksPath), Key: choice, HasKey: ok, Problem: f.Problem, State: c.QueryParam("state"), Event: c.QueryParam("event")}
	p.Since = f.Field(panel.Field{
		Name: "since", Label: "Events since (UTC)", Type: "date", Required: true, Value: d.d.Now().UTC().AddDate(0, 0, -3).Format(dayFormat),
		Hint: "Those whose attempts were used up, or that your server refused for good.",
	})
	if !ok {
		return d.show(c, status, p.Frame, dashboard.Webhooks(p))
	}
	custodian, err := d.d.Accounts.Custodian(ctx, key.ID)
	if err != nil && !errors.Is(err, merchant.ErrNoCustodian) {
		return err
	}
	p.CallbackURL = custodian.CallbackURL
	before, _ := strconv.ParseInt(c.QueryParam("before"), 10, 64)
	list, err := d.x.Reports.Deliveries(ctx, report.DeliveryQuery{KeyID: key.ID, State: webhook.State(p.State), Type: eventType(p.Event), Before: before, Limit: pageRows + 1})
	if err != nil {
		return err
	}
	if len(list) > pageRows {
		list = list[:pageRows]
		next := url.Values{"key": {key.PublicID}, "before": {strconv.FormatInt(list[pageRows-1].ID, 10)}}
		for name, value := range map[string]string{"state": p.State, "event": p.Event} {
			if value != "" {
				next.Set(name, value)
			}
		}
		p.NextURL = withQuery(webhooksPath, next)
	}
	for _, x := range list {
		p.Rows = append(p.Rows, deliveryRow(x))
	}
	return d.show(c, status, p.Frame, dashboard.Webhooks(p))
}

// eventType is the event a filter names; empty for all.
func eventType(name string) payment.EventType {
	if name == "" {
		return ""
	}
	return payment.EventType("payment." + name)
}

func deliveryRow(x report.Delivery) dashboard.DeliveryRow {
	r := dashboard.DeliveryRow{
		ID: strconv.FormatInt(x.ID, 10), TxnID: string(x.TxnID), Event: strings.TrimPrefix(string(x.Type), "payment."), EventID: x.EventID,
		State: string(x.State), Made: int64(x.Made), At: x.At, DueAt: x.DueAt,
	}
	if !x.Last.At.IsZero() {
		r.Answer = answerOf(x.Last)
	}
	return r
}

// answerOf says how a receiver answered.
func answerOf(a webhook.Attempt) string {
	switch {
	case a.Status == 0:
		return "no answer: " + a.Error
	case a.Error != "":
		return strconv.Itoa(a.Status) + ", " + a.Error
	}
	return strconv.Itoa(a.Status) + " " + http.StatusText(a.Status)
}

// webhookID reads the id of the address; one that is none is unknown.
func webhookID(c echo.Context) int64 {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return 0
	}
	return id
}

func (d *desk) getWebhook(c echo.Context, v visitor) error {
	x, attempts, err := d.x.Reports.Delivery(c.Request().Context(), v.ids(), webhookID(c))
	if err != nil {
		return err
	}
	p := dashboard.WebhookProps{Frame: d.frame(c, v, "Webhook", webhooksPath), DeliveryRow: deliveryRow(x)}
	for _, a := range attempts {
		p.Attempts = append(p.Attempts, dashboard.AttemptRow{
			At: a.At, URL: a.URL, Answer: answerOf(a), Latency: latencyOf(a.Latency), Request: a.Request, Response: a.Response,
			Good: a.Status >= 200 && a.Status <= 299,
		})
	}
	return d.show(c, http.StatusOK, p.Frame, dashboard.Webhook(p))
}

func (d *desk) postResend(c echo.Context, v visitor) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	id := webhookID(c)
	entry := d.auditEntry(c, v, audit.ActionResendWebhooks, "webhook "+strconv.FormatInt(id, 10), "")
	if err := d.x.Reports.Resend(c.Request().Context(), v.ids(), id, d.d.Now(), entry); err != nil {
		return err
	}
	d.nudge()
	to := webhooksPath + "/" + strconv.FormatInt(id, 10)
	if back := values.Get("back"); back != "" {
		to = shell.SafeNext(back)
	}
	return d.cookies.Redirect(c, to, "It is being sent again.")
}

func (d *desk) nudge() {
	if d.x.Wake != nil {
		d.x.Wake()
	}
}

// maxResendDays bounds how far back failed webhooks are sent again at once.
const maxResendDays = 90

func (d *desk) postResendFailed(c echo.Context, v visitor) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	f := shell.NewForm(values)
	key, err := v.key(values.Get("key"))
	if err != nil {
		return err
	}
	since, err := time.Parse(dayFormat, f.Text("since"))
	if err != nil || since.Before(d.d.Now().AddDate(0, 0, -maxResendDays)) {
		f.Bad("since", fmt.Sprintf("Give a day of the last %d, such as %s.", maxResendDays, d.d.Now().UTC().Format(dayFormat)))
		return d.webhooksPage(c, v, http.StatusBadRequest, key.PublicID, f)
	}
	entry := d.auditEntry(c, v, audit.ActionResendWebhooks, labelOf(key), "failed since "+since.Format(dayFormat)+": ")
	n, err := d.x.Reports.ResendFailed(c.Request().Context(), key.ID, since, d.d.Now(), entry)
	if err != nil {
		return err
	}
	d.nudge()
	said := fmt.Sprintf("%d failed webhooks are being sent again.", n)
	switch n {
	case 0:
		said = "No webhook has failed since " + since.Format(dayFormat) + ", so there is nothing to send again."
	case 1:
		said = "One failed webhook is being sent again."
	}
	return d.cookies.Redirect(c, webhooksPath+"?key="+key.PublicID, said)
}

// postPing sends a test to the callback address and says how it was answered.
func (d *desk) postPing(c echo.Context, v visitor) error {
	values, err := shell.ReadForm(c, maxDeskForm)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	key, err := v.key(values.Get("key"))
	if err != nil {
		return err
	}
	if err := d.sh.Limits.Costly(ctx); err != nil {
		return err
	}
	custodian, err := d.d.Accounts.Custodian(ctx, key.ID)
	if err != nil {
		return err
	}
	if custodian.CallbackURL == "" {
		return fault.New(fault.Conflict, "there is no callback address to send a test to")
	}
	status := values.Get("event")
	if !slices.Contains(webhook.TestStatuses(), status) {
		return fault.New(fault.Invalid, "a test is completed, expired or cancelled")
	}
	a := d.x.Pings.Ping(ctx, "evt_test_"+string(d.d.NewID(d.d.Now())), status, custodian.CallbackURL, custodian.Secret, custodian.SigningSecrets...)
	said := "The test “" + status + "” was answered with " + answerOf(a) + " after " + latencyOf(a.Latency) + "."
	if a.Status == 0 {
		said = "The test “" + status + "” got " + answerOf(a) + "."
	}
	return d.cookies.Redirect(c, webhooksPath+"?key="+key.PublicID, said)
}
