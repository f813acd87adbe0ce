package dashboard

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
)

// cellsOf splits a file into cells at one separator as a spreadsheet does. Quotes at
// the beginning of a cell follow RFC 4180.
func cellsOf(file string, separator rune) []string {
	var cells []string
	var cell strings.Builder
	quoted, fresh := false, true
	for _, c := range file {
		switch {
		case quoted && c == '"':
			quoted = false
		case quoted:
			cell.WriteRune(c)
		case fresh && c == '"':
			quoted, fresh = true, false
		case c == separator || c == '\n':
			cells = append(cells, cell.String())
			cell.Reset()
			fresh = true
		default:
			cell.WriteRune(c)
			fresh = false
		}
	}
	return append(cells, cell.String())
}

// formula reports whether a spreadsheet computes a cell.
func formula(cell string) bool {
	cell = strings.TrimLeftFunc(cell, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
	})
	first, _ := utf8.DecodeRuneInString(cell)
	return cell != "" && strings.ContainsRune("=+-@|%＝＋－＠", first)
}

// FuzzExportRow: no text of a customer or a merchant becomes a formula, whatever
// separator the spreadsheet uses, and the row keeps its number of cells; a harmless
// text is written unchanged.
func FuzzExportRow(f *testing.F) {
	for _, text := range []string{
		"", "order 7", "=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\u00a0=1", "\ufeff=1", "\x00=1", "＝1", "|x", "%x", "'=1", `"=1"`, `"`, `""=1`,
		"x;=cmd|'/C calc'!A0;x", "x\t=1", "x,=1", "a\nb", "a\r\n=1", ";;=1", "; =1", "x|=1", "x:=1",
		"Café, 2 × ½", "a;b", "a-b", "2026-11-21", "\xff=1", "\xff",
	} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, reference, description string) {
		p := payment.Payment{
			ID: "01KJ4Z8Y3T6Q0M5V9B2N7R1XWA", Number: 1, Kind: payment.KindMerchant,
			Amount: 10 * money.USD, Status: payment.Completed,
			CreatedAt: time.Unix(9, 0), Details: payment.Details{
				Reference: reference, Description: description, CustomerEmail: description,
			},
		}
		var file bytes.Buffer
		out := csv.NewWriter(&file)
		if err := out.Write(exportRow(report.Exported{Payment: p})); err != nil {
			t.Fatal(err)
		}
		out.Flush()
		rows, err := csv.NewReader(&file).ReadAll()
		if err != nil || len(rows) != 1 || len(rows[0]) != len(exportHead) {
			t.Fatalf("%q and %q become %q, %v", reference, description, rows, err)
		}
		if err := out.Write(exportRow(report.Exported{Payment: p})); err != nil {
			t.Fatal(err)
		}
		out.Flush()
		for _, separator := range ",;\t|" {
			for _, cell := range cellsOf(file.String(), separator) {
				if formula(cell) {
					t.Fatalf("%q and %q: a spreadsheet that separates by %q computes %q", reference, description, separator, cell)
				}
			}
		}
		if plain := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" .,-_/#", r) && r != utf8.RuneError {
				return r
			}
			return -1
		}, reference); plain == reference && !formula(plain) && rows[0][8] != reference {
			t.Fatalf("%q is written %q", reference, rows[0][8])
		}
	})
}
