package model

import (
	"encoding/json"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// Decimal is the Float of the schema: a decimal number of at most 13
// significant digits where it is a legal amount. A GraphQL argument has the
// shortest digits of its float64, which are those it was written with; a REST
// field has its own digits. An argument that is not a number is kept as such,
// so that the operation can refuse it by its name.
type Decimal struct {
	text   string
	number bool
	inText bool // it came as a text, which is no number
}

// Number returns the number with these digits.
func Number(text string) Decimal { return Decimal{text: text, number: true} }

// plainDecimal is a text that everybody reads as the same number, as programs write it. One that other programs write
// for thousands, such as 1.000, is not: it would be a thousandth of what is meant.
var (
	plainDecimal = regexp.MustCompile(`^(0|[1-9][0-9]*)(\.[0-9]+)?$`)
	thousands    = regexp.MustCompile(`^[1-9][0-9]{0,2}\.[0-9]{3}$`)
)

// NumberIn returns the number that a text writes, or an argument that is not a number.
func NumberIn(text string) Decimal {
	switch text = strings.TrimSpace(text); {
	case text == "":
		return NotNumber()
	case plainDecimal.MatchString(text) && !thousands.MatchString(text):
		return Number(text)
	}
	return Decimal{inText: true}
}

// NotNumber returns an argument that is not a number, such as a string or NaN.
func NotNumber() Decimal { return Decimal{} }

// DecimalOf returns an amount as results carry it.
func DecimalOf(m money.Micros) Decimal { return Number(m.String()) }

// Text returns the digits, or fault.Invalid if the argument is not a number.
// name is the argument's.
func (d Decimal) Text(name string) (string, error) {
	switch {
	case d.number:
	case d.inText:
		return "", fault.About(fault.Invalid, name,
			"must be a decimal number such as 12.50: as a text, with a point and no other signs, and never 1.000")
	default:
		return "", fault.New(
			fault.Invalid,
			"%s is required and must be a decimal number such as 12.50, not a text or anything else", name,
		)
	}
	return d.text, nil
}

// UnmarshalGQL reads an argument. It accepts every type; Text refuses what is
// not a number.
func (d *Decimal) UnmarshalGQL(v any) error {
	switch v := v.(type) {
	case int64:
		*d = Number(strconv.FormatInt(v, 10))
	case float64:
		*d = NotNumber()
		if !math.IsNaN(v) {
			*d = Number(strconv.FormatFloat(v, 'g', -1, 64))
		}
	default:
		*d = NotNumber()
	}
	return nil
}

// MarshalGQL writes the number's digits.
func (d Decimal) MarshalGQL(w io.Writer) { _, _ = io.WriteString(w, d.digits()) }

// MarshalJSON writes the number's digits.
func (d Decimal) MarshalJSON() ([]byte, error) { return []byte(d.digits()), nil }

// UnmarshalJSON reads a number by its digits.
func (d *Decimal) UnmarshalJSON(b []byte) error {
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return err
	}
	*d = Number(n.String())
	return nil
}

func (d Decimal) digits() string {
	if !d.number {
		return "null"
	}
	return d.text
}
