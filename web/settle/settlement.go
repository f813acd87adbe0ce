package settle

import (
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/views/settle"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const path = "/dashboard/settings/settlement"

// mostRead bounds how many deposits the page reads of a network.
const mostRead = 1_000

func (s *Surface) getSettlement(c echo.Context, who session.Principal) error {
	return s.page(c, who, http.StatusOK, c.QueryParam("key"), shell.EmptyForm(c))
}

func (s *Surface) page(c echo.Context, who session.Principal, status int, asked string, f *shell.Form) error {
	key, ok, choice, err := who.KeyChoice(path, asked)
	if err != nil {
		return err
	}
	p := settle.Props{Frame: s.Frame(c, who, "Payout schedule", path), Key: choice, HasKey: ok, Problem: f.Problem}
	if !ok {
		return s.Show(c, status, p.Frame, settle.Settlement(p))
	}
	schedule, err := s.Stored(c.Request().Context(), key.ID)
	if err != nil {
		return err
	}
	if err := s.addWaiting(c, &p, key, schedule); err != nil {
		return err
	}
	atOnce, wait := schedule.Limits(s.Policy(""))
	l := p.Locale()
	p.AtOnce, p.Wait = dollars(l, atOnce), hoursText(l, wait)
	p.Fields = scheduleFields(f, schedule, s.Policy(""))
	return s.Show(c, status, p.Frame, settle.Settlement(p))
}

// addWaiting adds what waits on each network, and today's price of sending it.
func (s *Surface) addWaiting(c echo.Context, p *settle.Props, key merchant.Key, schedule settlement.Schedule) error {
	now := s.Shell.Now()
	p.Asked = true
	for _, n := range chain.Networks() {
		if _, ok := s.Payments.Network(n); !ok {
			continue
		}
		policy, name := s.Policy(n), views.NetworkName(string(n))
		due, err := s.Balances(c.Request().Context(), n, settlement.Query{Now: now, KeyID: key.ID, Limit: mostRead})
		if err != nil {
			return err
		}
		if h := settlement.Hold(due, policy, now); h.Balances+h.Dust > 0 {
			p.Rows = append(p.Rows, settle.WaitingRow{
				Network: name, Amount: dollars(p.Locale(), h.Sum.Micros()),
				Payments: h.Balances, Dust: h.Dust, By: h.By,
			})
		}
		for _, b := range due {
			p.Asked = p.Asked && !b.Oldest.After(schedule.AskedAt)
		}
		if policy.Cost.Single > 0 {
			p.Prices = append(p.Prices, settle.PriceRow{
				Network: name, Single: cents(p.Locale(), policy.Cost.Single),
				Shared: cents(p.Locale(), policy.Cost.Batched),
			})
		}
	}
	return nil
}

func scheduleFields(f *shell.Form, s settlement.Schedule, p settlement.Policy) []panel.Field {
	atOnce, wait := s.Limits(p)
	return []panel.Field{
		f.Field(panel.Field{
			Setting: true, Name: "atOnce", Label: "Send as soon as this much is waiting ($)", Value: atOnce.String(),
			Mode: "decimal", Max: "20",
			Hint: f.Locale.T("From {{.Least}} up.", "Least", dollars(f.Locale, p.AtOnce)),
		}),
		f.Field(panel.Field{
			Setting: true, Name: "hours", Label: "Or after at most this many hours", Value: wholeHours(wait),
			Mode: "numeric", Max: "3",
			Hint: f.Locale.T("From {{.Least}} to {{.Most}}.",
				"Least", wholeHours(p.Wait), "Most", wholeHours(settlement.MaxWait)),
		}),
	}
}

// postSchedule changes how long the key's money waits.
func (s *Surface) postSchedule(c echo.Context, who session.Principal) error {
	f, key, err := ownKey(c, who)
	if err != nil {
		return err
	}
	policy := s.Policy("")
	stored, err := s.Stored(c.Request().Context(), key.ID)
	if err != nil {
		return err
	}
	if err := s.Since(c, who, f, func(e audit.Entry) bool {
		return e.Action == audit.ActionSchedule && e.Subject == session.KeyLabel(key)
	}, scheduleFields(shell.EmptyForm(c), stored, policy)...); err != nil {
		return err
	}
	atOnce, wait := readSchedule(f, policy)
	if !f.OK() {
		return s.page(c, who, f.Status(), key.PublicID, f)
	}
	err = s.Set(c.Request().Context(), key.ID, atOnce, wait, s.ActOn(c, who, key))
	return s.done(c, who, key, f, err, "The schedule is saved.")
}

// readSchedule reads the form; malformed values are reported beside their inputs.
func readSchedule(f *shell.Form, p settlement.Policy) (atOnce money.Micros, wait time.Duration) {
	atOnce, err := money.ParseMicros("atOnce", f.Amount("atOnce"))
	if err != nil {
		f.Refused(err, shell.Subject{Service: "atOnce", Input: "atOnce", Label: "The amount"})
	}
	hours, err := strconv.Atoi(f.Amount("hours"))
	if err != nil {
		f.Bad("hours", "Enter a whole number of hours.")
	}
	// The operator's wait need not be whole hours.
	if wait = time.Duration(hours) * time.Hour; wholeHours(p.Wait) == f.Text("hours") {
		wait = p.Wait
	}
	return atOnce, wait
}

// postNow has the key's money sent with the next transaction.
func (s *Surface) postNow(c echo.Context, who session.Principal) error {
	f, key, err := ownKey(c, who)
	if err != nil {
		return err
	}
	err = s.Ask(c.Request().Context(), key.ID, s.ActOn(c, who, key))
	return s.done(c, who, key, f, err, "Florin sends your money with its next transaction.")
}

// done leads back to the page, or shows it again with the refusal.
func (s *Surface) done(
	c echo.Context, who session.Principal, key merchant.Key, f *shell.Form, err error, text string,
) error {
	if err == nil {
		return s.Cookies.Redirect(c, path+"?key="+key.PublicID, text)
	}
	if !f.Refused(err) {
		return err
	}
	return s.page(c, who, fault.KindOf(err).Code(), key.PublicID, f)
}

func ownKey(c echo.Context, who session.Principal) (*shell.Form, merchant.Key, error) {
	f, err := session.ReadForm(c)
	if err != nil {
		return nil, merchant.Key{}, err
	}
	key, err := who.Key(f.Values.Get("key"))
	return f, key, err
}

func dollars(l *views.Locale, m money.Micros) string { return l.Price(m.Display(), "USD") }

// cents is a price that is often below a cent.
func cents(l *views.Locale, m money.Micros) string {
	const tenthOfCent = money.USD / 1000
	if m < tenthOfCent {
		return l.T("less than {{.Price}}", "Price", l.Price("0.001", "USD"))
	}
	return l.Price(strconv.FormatFloat(float64(m)/float64(money.USD), 'f', 3, 64), "USD")
}

func wholeHours(d time.Duration) string {
	return strconv.Itoa(int((d + time.Hour - 1) / time.Hour))
}

func hoursText(l *views.Locale, d time.Duration) string {
	switch {
	case d < time.Minute:
		return l.T("a few seconds")
	case d < time.Hour:
		return l.N("{{.N}} minutes", int(d.Minutes()))
	}
	return l.N("{{.N}} hours", int((d+time.Hour-1)/time.Hour))
}
