package dashboard

import (
	"strings"
	"time"
	"unicode/utf16"

	"github.com/florinpay/florin/views"
)

// ExportFormat is how an export is written; the zero value is plain CSV (RFC 4180), for programs.
type ExportFormat struct {
	// Excel: as Excel opens a file by a double click. It takes the encoding from a byte-order mark, separators from the
	// language of its user, and for numbers and days whatever looks like them.
	Excel bool
	// Comma: decimals begin with a comma. Semicolon: semicolons separate the cells, which then they must.
	Comma, Semicolon bool
}

// exportFor is the format that a query asks for, in the language and region of who reads it.
func exportFor(asked, language, acceptLanguage string) ExportFormat {
	comma, semicolon := views.LocaleFor(language).Decimals(acceptLanguage)
	return ExportFormat{Excel: asked == "excel", Comma: comma, Semicolon: semicolon}
}

// byteOrderMark says UTF-8 to Excel.
const byteOrderMark = "\ufeff"

// mostLiteral is how many characters a text of a formula of Excel may have, in UTF-16: an emoji is two.
const mostLiteral = 255

// excelStamp is a time as Excel reads it in every language.
const excelStamp = "2006-01-02 15:04:05"

// exportNumbers and exportTimes are the columns that hold amounts and times. All others hold texts.
var (
	exportNumbers = map[string]bool{
		"amountUsd": true, "receivedUsd": true, "refundedUsd": true, "priceAmount": true, "rate": true,
		"receivedPrice": true, "gas": true,
	}
	exportTimes = map[string]bool{
		"createdAt": true, "startedAt": true, "endedAt": true, "rateAt": true, "settledAt": true,
	}
)

// head writes the name of a column.
func (f ExportFormat) head(column string) string {
	if f.Excel && exportTimes[column] {
		return column + " (UTC)"
	}
	return column
}

// cell writes a value of the column.
func (f ExportFormat) cell(column, value string) string {
	switch {
	case !f.Excel || value == "":
		return value
	case exportNumbers[column]:
		if f.Comma {
			return strings.Replace(value, ".", ",", 1)
		}
		return value
	case exportTimes[column]:
		at, err := time.Parse(time.RFC3339, value)
		if err != nil {
			return value
		}
		return at.UTC().Format(excelStamp)
	case len(utf16.Encode([]rune(value))) > mostLiteral:
		return value // no number and no day is as long
	}
	// A reference such as 0042, 2E5 or 3-4 would become a number or a day. Quotes are doubled, so that the text ends
	// the formula nowhere.
	return `="` + strings.ReplaceAll(value, `"`, `""`) + `"`
}
