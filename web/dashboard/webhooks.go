package dashboard

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/webhook"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const webhooksPath = "/dashboard/webhooks"

func (d *Surface) getWebhooks(c echo.Context, who session.Principal) error {
	return d.webhooksPage(c, who, http.StatusOK, c.QueryParam("key"), shell.NewForm(url.Values{}))
}

func (d *Surface) webhooksPage(c echo.Context, who session.Principal, status int, asked string, f *shell.Form) error {
	ctx := c.Request().Context()
	key, ok, choice, err := who.KeyChoice(webhooksPath, asked)
	if err != nil {
		return err
	}
	p := dashboard.WebhooksProps{Frame: d.Frame(c, who, "Webhooks", webhooksPath), Key: choice, HasKey: ok, Problem: f.Problem, State: c.QueryParam("state"), Event: c.QueryParam("event")}
	p.Since = f.Field(panel.Field{
		Name: "since", Label: "Events since", Type: "date", Required: true, Value: d.now(who).AddDate(
			0, 0, -3,
		).Format(session.DayFormat),
		Hint: "Those that failed so far, and those that failed for good.",
	})
	if !ok {
		return d.Show(c, status, p.Frame, dashboard.Webhooks(p))
	}
	custodian, err := d.Merchants.Custodian(ctx, key.ID)
	if err != nil && !errors.Is(err, merchant.ErrNoCustodian) {
		return err
	}
	p.CallbackURL = custodian.CallbackURL
	before, _ := strconv.ParseInt(c.QueryParam("before"), 10, 64)
	list, err := d.Reports.Deliveries(
		ctx,
		report.DeliveryQuery{
			KeyID: key.ID, State: webhook.State(p.State), Type: eventType(p.Event), Before: before,
			Limit: session.PageRows + 1,
		},
	)
	if err != nil {
		return err
	}
	if len(list) > session.PageRows {
		list = list[:session.PageRows]
		next := url.Values{"key": {key.PublicID}, "before": {strconv.FormatInt(list[session.PageRows-1].ID, 10)}}
		for name, value := range map[string]string{"state": p.State, "event": p.Event} {
			if value != "" {
				next.Set(name, value)
			}
		}
		p.NextURL = session.WithQuery(webhooksPath, next)
	}
	for _, x := range list {
		p.Rows = append(p.Rows, deliveryRow(ctx, x))
	}
	return d.Show(c, status, p.Frame, dashboard.Webhooks(p))
}

// eventType is the event a filter names; empty for all.
func eventType(name string) payment.EventType {
	if name == "" {
		return ""
	}
	return payment.EventType("payment." + name)
}

func deliveryRow(ctx context.Context, x report.Delivery) dashboard.DeliveryRow {
	title, about := knownBy(x.Reference, x.Description, x.Customer)
	r := dashboard.DeliveryRow{
		Title: title, About: about, Amount: x.Amount.Display(),
		ID: strconv.FormatInt(x.ID, 10), TxnID: string(x.TxnID), EventID: x.EventID,
		Event: strings.TrimPrefix(string(x.Type), "payment."), OvertakenBy: string(x.OvertakenBy),
		State: string(x.State), Made: int64(x.Made), At: x.At, DueAt: x.DueAt, Parked: x.DueAt.Equal(webhook.Parked()),
	}
	if !x.Last.At.IsZero() {
		r.Answer = answerOf(ctx, x.Last)
	}
	return r
}

// answerOf describes the response of a receiver.
func answerOf(ctx context.Context, a webhook.Attempt) string {
	switch {
	case a.Status == 0:
		return views.T(ctx, "no answer: {{.Error}}", "Error", whyNot(ctx, a))
	case a.Error != "":
		return strconv.Itoa(a.Status) + ", " + whyNot(ctx, a)
	}
	return strconv.Itoa(a.Status) + " " + http.StatusText(a.Status)
}

// whyNot says why an attempt failed.
func whyNot(ctx context.Context, a webhook.Attempt) string {
	return shell.Said(views.LocaleOf(ctx), views.T(ctx, a.Error))
}

// webhookID reads the id in the path; 0, which no webhook has, if it is malformed.
func webhookID(c echo.Context) int64 {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return 0
	}
	return id
}

func (d *Surface) getWebhook(c echo.Context, who session.Principal) error {
	ctx := c.Request().Context()
	x, err := d.Reports.Delivery(ctx, who.KeyIDs(), webhookID(c))
	if err != nil {
		return err
	}
	p := dashboard.WebhookProps{
		Frame: d.Frame(c, who, "Webhook", webhooksPath), DeliveryRow: deliveryRow(ctx, x.Delivery),
	}
	for _, a := range x.Attempts {
		p.Attempts = append(p.Attempts, dashboard.AttemptRow{
			At: a.At, URL: a.URL, Answer: answerOf(ctx, a), Latency: session.Latency(ctx, a.Latency),
			Request: a.Request + "\n" + webhook.ShowBody(x.Data, a.Keyed), Response: a.Response,
			Good: a.Status >= 200 && a.Status <= 299,
		})
	}
	return d.Show(c, http.StatusOK, p.Frame, dashboard.Webhook(p))
}

func (d *Surface) postResend(c echo.Context, who session.Principal, f *shell.Form) error {
	id := webhookID(c)
	if err := d.Resends.Resend(c.Request().Context(), who.KeyIDs(), id, d.Act(c, who)); err != nil {
		return err
	}
	to := webhooksPath + "/" + strconv.FormatInt(id, 10)
	if back := f.Values.Get("back"); back != "" {
		to = shell.SafeNext(back)
	}
	return d.Cookies.Redirect(c, to, "It is being sent again.")
}

// maxResendDays bounds how far back failed webhooks are sent again at once.
const maxResendDays = 90

func (d *Surface) postResendFailed(c echo.Context, who session.Principal, f *shell.Form) error {
	ctx := c.Request().Context()
	key, err := who.Key(f.Values.Get("key"))
	if err != nil {
		return err
	}
	since, err := time.ParseInLocation(session.DayFormat, f.Text("since"), who.Zone())
	if err != nil || since.Before(d.Shell.Now().AddDate(0, 0, -maxResendDays)) {
		f.Bad(
			"since",
			views.N(ctx, "Give a day of the last {{.N}}, such as {{.Day}}.", maxResendDays,
				"Day", d.now(who).Format(session.DayFormat)),
		)
		return d.webhooksPage(c, who, http.StatusBadRequest, key.PublicID, f)
	}
	n, err := d.Resends.ResendFailed(ctx, key.ID, since, d.ActOn(c, who, key))
	if err != nil {
		return err
	}
	said := views.N(ctx, "{{.N}} failed webhooks are being sent again.", int(n))
	if n == 0 {
		said = views.T(ctx, "No webhook has failed since {{.Day}}, so there is nothing to send again.",
			"Day", since.Format(session.DayFormat))
	}
	to := webhooksPath + "?key=" + key.PublicID
	if back := f.Values.Get("back"); back != "" {
		to = shell.SafeNext(back)
	}
	return d.Cookies.Redirect(c, to, said)
}

// postStop stops the webhooks of a key that wait for a callback address.
func (d *Surface) postStop(c echo.Context, who session.Principal, f *shell.Form) error {
	key, err := who.Key(f.Values.Get("key"))
	if err != nil {
		return err
	}
	n, err := d.Resends.StopParked(c.Request().Context(), key.ID, d.ActOn(c, who, key))
	if err != nil {
		return err
	}
	return d.Cookies.Redirect(c, webhooksPath+"?key="+key.PublicID, views.N(c.Request().Context(), "{{.N}} webhooks will not be sent.", int(n)))
}

// postPing sends a test to the callback address and shows the response.
func (d *Surface) postPing(c echo.Context, who session.Principal, f *shell.Form) error {
	ctx := c.Request().Context()
	key, err := who.Key(f.Values.Get("key"))
	if err != nil {
		return err
	}
	if err := d.Shell.Limits.Costly(ctx); err != nil {
		return err
	}
	custodian, err := d.Merchants.Custodian(ctx, key.ID)
	if err != nil {
		return err
	}
	if custodian.CallbackURL == "" {
		return fault.New(fault.Conflict, "there is no callback address to send a test to")
	}
	status := f.Values.Get("event")
	if !slices.Contains(webhook.TestStatuses(), status) {
		return fault.New(fault.Invalid, "a test is completed, expired or cancelled")
	}
	a := d.Webhooks.Ping(
		ctx, "evt_test_"+string(d.NewID(d.Shell.Now())), custodian.PublicID, status, custodian.CallbackURL,
		custodian.Secret, custodian.SigningSecrets...,
	)
	said := views.T(ctx, "The test “{{.Event}}” was answered with {{.Answer}} after {{.Time}}.",
		"Event", status, "Answer", answerOf(ctx, a), "Time", session.Latency(ctx, a.Latency))
	if a.Status == 0 {
		said = views.T(ctx, "The test “{{.Event}}” got no answer: {{.Error}}.", "Event", status,
			"Error", whyNot(ctx, a))
	}
	return d.Cookies.Redirect(c, webhooksPath+"?key="+key.PublicID, said)
}
