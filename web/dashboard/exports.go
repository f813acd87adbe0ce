package dashboard

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/dashboard"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const exportsPath = paymentsPath + "/exports"

// span is a month, a quarter of a year or a year.
type span struct {
	name        string // such as 2026-10
	from, until time.Time
}

// text is the first day of the span to its last.
func (s span) text(ctx context.Context) string {
	l := views.LocaleOf(ctx)
	return l.DayOfYear(s.from) + " – " + l.Day(s.until.AddDate(0, 0, -1))
}

func monthSpan(year int, month time.Month, zone *time.Location) span {
	from := time.Date(year, month, 1, 0, 0, 0, 0, zone)
	return span{from.Format("2006-01"), from, from.AddDate(0, 1, 0)}
}

// quarterSpan is a quarter of a year; n is 1 to 4.
func quarterSpan(year, n int, zone *time.Location) span {
	from := time.Date(year, time.Month(3*n-2), 1, 0, 0, 0, 0, zone)
	return span{
		fmt.Sprintf("%d-Q%d", year, n),
		from, from.AddDate(0, 3, 0),
	}
}

func yearSpan(year int, zone *time.Location) span {
	from := time.Date(year, time.January, 1, 0, 0, 0, 0, zone)
	return span{strconv.Itoa(year), from, from.AddDate(1, 0, 0)}
}

// readSpan reads the name of a span.
func readSpan(text string, zone *time.Location) (s span, ok bool) {
	if t, err := time.Parse("2006-01", text); err == nil {
		s = monthSpan(t.Year(), t.Month(), zone)
	} else if year, n, isQuarter := strings.Cut(text, "-Q"); isQuarter {
		t, err := time.Parse("2006", year)
		if i := strings.Index("1234", n); err == nil && len(n) == 1 && i >= 0 {
			s = quarterSpan(t.Year(), i+1, zone)
		}
	} else if t, err := time.Parse("2006", text); err == nil {
		s = yearSpan(t.Year(), zone)
	}
	return s, s.name == text && !s.from.Before(firstDay) && s.until.Before(endOfDays)
}

// spans are those that a merchant hands to an accountant, the newest first.
func spans(now time.Time) []span {
	zone, year, month := now.Location(), now.Year(), now.Month()
	last := time.Date(year, month, 1, 0, 0, 0, 0, zone).AddDate(0, -1, 0)
	quarter := time.Date(year, month-(month-1)%3, 1, 0, 0, 0, 0, zone).AddDate(0, -3, 0)
	return []span{
		monthSpan(year, month, zone),
		monthSpan(last.Year(), last.Month(), zone),
		quarterSpan(quarter.Year(), (int(quarter.Month())+2)/3, zone),
		yearSpan(year, zone),
		yearSpan(year-1, zone),
	}
}

// getExports offers what was paid in each of the spans, and the list as it is filtered.
func (d *Surface) getExports(c echo.Context, who session.Principal) error {
	ctx, now, filter := c.Request().Context(), d.now(who), filterOf(c.QueryParams())
	q, _, problem := d.paymentQuery(ctx, filter, who)
	p := dashboard.ExportsProps{Frame: d.Frame(c, who, "Export", paymentsPath), Zone: now.Location().String()}
	if problem == "" {
		list := shell.Said(p.Locale(), sentenceOfQuery(q))
		p.List = exportLinks(list, "", session.WithQuery(paymentsPath+".csv", filter))
	}
	all := spans(now)
	from, until := now, now
	for _, s := range all {
		from, until = earlier(from, s.from), later(until, s.until)
	}
	days, err := d.Reports.Days(ctx, who.KeyIDs(), from, until)
	if err != nil {
		return err
	}
	labels := []string{"This month so far", "Last month", "Last quarter", "This year so far", "Last year"}
	for i, s := range all {
		sum := in("").sum(days, s.from, s.until)
		row := exportLinks(views.T(ctx, labels[i]), s.text(ctx), panel.WithQuery(paymentsPath+".csv", "paid", s.name))
		row.Count, row.Sum = sum.count, in("").words(ctx, sum)
		p.Spans = append(p.Spans, row)
	}
	return d.Show(c, http.StatusOK, p.Frame, dashboard.Exports(p))
}

func exportLinks(title, about, csv string) dashboard.ExportRow {
	and := "?"
	if strings.Contains(csv, "?") {
		and = "&"
	}
	return dashboard.ExportRow{Title: title, About: about, CSV: csv, Excel: csv + and + "for=excel"}
}
