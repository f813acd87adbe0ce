package dashboard

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// exportHead are the columns of an export.
var exportHead = []string{
	"txnid", "createdAt", "status", "kind", "amountUsd", "receivedUsd", "network", "token", "reference",
	"description", "customerEmail",
	"hash", "depositAddress", "settlementAddress", "startedAt", "endedAt", "completedByHand", "refunds", "refundedUsd",
}

// exportPrice are the columns that follow where a payment of the export was priced in another currency.
var exportPrice = []string{
	"priceAmount", "priceCurrency", "rate", "rateAt", "rateSources", "markupPercent", "receivedPrice",
}

// exportSettled are the columns that follow them in the export of what was paid in a time.
var exportSettled = []string{"settlementTx", "settledAt", "gas"}

// exportWithin bounds how long an export may run: a million payments take some
// minutes to a slow reader.
const exportWithin = 30 * time.Minute

// getExport writes the payments of a filter as CSV (RFC 4180), page by page, so
// that a million rows take no more memory than one page.
func (d *Surface) getExport(c echo.Context, who session.Principal) error {
	var err error
	q, _, problem := d.paymentQuery(c.Request().Context(), filterOf(c.QueryParams()), who)
	name := d.now(who).Format(session.DayFormat)
	if text := c.QueryParam("paid"); text != "" && problem == "" {
		span, ok := readSpan(text, who.Zone())
		if !ok {
			problem = views.T(c.Request().Context(), "There is no time such as “{{.Text}}”.", "Text", text)
		}
		q.Paid, q.From, q.Until, name = true, span.from, span.until, text
	}
	if problem != "" {
		return fault.New(fault.Invalid, "%s", strings.TrimSuffix(problem, "."))
	}
	w, format := c.Response(), exportFor(c.QueryParam("for"), shell.Language(c), c.Request().Header.Get("Accept-Language"))
	if q.Priced, err = d.Reports.Priced(c.Request().Context(), q.Keys); err != nil {
		return err
	}
	// Longer than other requests may take; a reader that goes away ends it by
	// a write that fails.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request().Context()), exportWithin)
	defer cancel()
	if err = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(exportWithin)); err != nil {
		d.Shell.Log.Debug("an export keeps the ordinary deadline", "error", err)
	}
	// An export changes nothing else, so its audit entry is written first: no data leaves without one.
	act, what := d.Act(c, who), sentenceOfQuery(q)
	if err = d.Merchants.Record(ctx, act.Account, audit.ActionExport, what, "", act); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
	w.Header().Set("Content-Disposition", `attachment; filename="payments-`+name+`.csv"`)
	w.Header().Add("Vary", "Accept-Language")
	w.WriteHeader(http.StatusOK)
	return WriteExport(ctx, w, q, d.Export, format)
}

// WriteExport writes the payments of the query as CSV. It reads pages while it writes others.
func WriteExport(ctx context.Context, w io.Writer, q report.Query, find FindPage, format ExportFormat) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // the readers end, whatever fails
	out := csv.NewWriter(w)
	head := exportHead
	if q.Priced {
		head = slices.Concat(head, exportPrice)
	}
	if q.Paid {
		head = slices.Concat(head, exportSettled)
	}
	if format.Excel {
		if format.Semicolon {
			out.Comma = ';'
		}
		if _, err := io.WriteString(w, byteOrderMark); err != nil {
			return err
		}
	}
	cells := make([]string, len(head))
	for i, column := range head {
		cells[i] = format.head(column)
	}
	if err := out.Write(cells); err != nil {
		return err
	}
	q.Limit = report.MaxExportPage
	for page := range exportPages(ctx, q, find) {
		read := <-page
		if read.err != nil {
			return read.err
		}
		for _, p := range read.payments {
			row := exportRow(p)
			if q.Priced {
				row = append(row, priceCells(p.Payment)...)
			}
			if q.Paid {
				row = append(row, settledCells(p.Settled)...)
			}
			for i, column := range head {
				row[i] = format.cell(column, row[i])
			}
			if err := out.Write(row); err != nil {
				return err
			}
		}
		if out.Flush(); out.Error() != nil {
			return out.Error()
		}
	}
	return ctx.Err()
}

// FindPage finds a page of an export.
type FindPage func(context.Context, report.Query) (report.ExportPage, error)

// exportPage is a page that was read.
type exportPage struct {
	payments []report.Exported
	err      error
}

// exportPages reads the pages of an export, three at a time at most, while others are written, until the context ends.
// They come in the order in which they are written, and not all that come have been read.
func exportPages(ctx context.Context, q report.Query, find FindPage) <-chan chan exportPage {
	pages := make(chan chan exportPage, 1)
	go func() {
		defer close(pages)
		for {
			page := make(chan exportPage, 1)
			found, err := findPage(ctx, q, find)
			if err != nil {
				page <- exportPage{err: err}
			} else {
				go func() { page <- readPage(ctx, found) }()
			}
			select {
			case pages <- page:
			case <-ctx.Done():
				return
			}
			if q.After = found.Next; err != nil || q.After == (report.Place{}) {
				return
			}
		}
	}()
	return pages
}

// findPage finds a page. A panic is its error, as it would be in the request.
func findPage(ctx context.Context, q report.Query, find FindPage) (found report.ExportPage, err error) {
	defer recovered(&err)
	return find(ctx, q)
}

// readPage reads a page; likewise.
func readPage(ctx context.Context, found report.ExportPage) (page exportPage) {
	defer recovered(&page.err)
	page.payments, page.err = found.Read(ctx)
	return page
}

func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("read a page of an export: %v", r)
	}
}

func exportRow(p report.Exported) []string {
	row := []string{
		string(p.ID), stampOf(p.CreatedAt), string(p.Status), string(p.Kind),
		p.Amount.String(), p.Received().Micros().String(), string(p.Choice.Network), string(p.Choice.Token),
		harmless(p.Reference), harmless(p.Description), harmless(p.CustomerEmail), string(p.Hash), "", "",
		stampOf(p.StartedAt), stampOf(p.EndedAt), map[bool]string{true: "yes", false: "no"}[p.ByHand], "",
		p.PaidBack().String(),
	}
	for i, x := range p.Refunds {
		if i > 0 {
			row[17] += ", "
		}
		row[17] += harmless(x.Text()) // a token that anybody can name
	}
	if route, ok := p.Route(); ok {
		row[12], row[13] = string(route.Address.Address), string(route.Settlement)
	}
	return row
}

// priceCells are the columns of exportPrice, empty where the amount was given in dollars.
func priceCells(p payment.Payment) []string {
	x := p.PriceBody()
	if x == nil {
		return make([]string, len(exportPrice))
	}
	received := exchange.Sum{Currency: x.Currency, Units: p.Price.Of(p.Received().Micros())}
	return []string{
		x.Amount, string(x.Currency), x.Rate, x.RateAt, strings.Join(x.Sources, " "), x.Markup, received.Amount(),
	}
}

// settledCells are the columns of exportSettled: the transactions that moved the money, and its share of their gas
// in the coin of the network.
func settledCells(all []report.Settled) []string {
	if len(all) == 0 {
		return make([]string, len(exportSettled))
	}
	var txs []string
	var gas money.Units
	for _, s := range all {
		txs = append(txs, string(s.Tx))
		gas = gas.Add(money.NewUnits(new(big.Int).Quo(s.Gas.Big(), big.NewInt(max(s.Shared, 1)))))
	}
	last := all[len(all)-1]
	return []string{strings.Join(txs, " "), stampOf(last.At), gas.Format(last.Network.CoinDecimals())}
}

var unbroken = strings.NewReplacer("\r\n", " ", "\r", " ", "\n", " ")

// harmless keeps a spreadsheet from reading a text as a formula: a text that begins
// like one gets an apostrophe, which spreadsheets hide (OWASP, CSV injection). Some
// spreadsheets split cells at other separators than the comma and then ignore the
// quotes, so a formula after such a separator gets one too. Line breaks become
// spaces, because some readers split rows at them.
func harmless(text string) string {
	if plain(text) {
		return text
	}
	text = unbroken.Replace(text)
	var b strings.Builder
	done, begins := 0, true
	for i, r := range text {
		if begins && strings.ContainsRune("=+-@\t|%＝＋－＠", r) {
			b.WriteString(text[done:i] + "'")
			done = i
		}
		blank := unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '"'
		begins = strings.ContainsRune(";\t|", r) || begins && blank
	}
	return b.String() + text[done:]
}

// plain reports whether the text is ASCII that harmless leaves as it is: nearly every cell.
func plain(text string) bool {
	begins := true
	for _, c := range []byte(text) {
		if c >= utf8.RuneSelf || c == '\r' || c == '\n' || begins && strings.IndexByte("=+-@\t|%", c) >= 0 {
			return false
		}
		begins = c == ';' || c == '\t' || c == '|' || begins && (c <= ' ' || c == 0x7f || c == '"')
	}
	return true
}

func stampOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(payment.TimeFormat)
}
