package model

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// Decimal is the Float of the schema: a number by the digits it was written
// with. An argument that is not a number at all is kept as such, so that the
// operation can name the rule that was broken.
type Decimal struct {
	text   string
	number bool
}

// Number returns the number with these digits, as they stood in the request.
func Number(text string) Decimal { return Decimal{text: text, number: true} }

// NotNumber returns an argument that is no number, such as a text or NaN.
func NotNumber() Decimal { return Decimal{} }

// DecimalOf returns an amount as results carry it.
func DecimalOf(m money.Micros) Decimal { return Number(m.String()) }

// Text returns the digits, or fault.Invalid if the argument is no number. name
// is how the caller calls it.
func (d Decimal) Text(name string) (string, error) {
	if !d.number {
		return "", fault.New(fault.Invalid, "%s is required and must be a decimal number such as 12.50, not a text or anything else", name)
	}
	return d.text, nil
}

// UnmarshalGQL takes a coerced argument over. The executor makes every Float
// argument a Decimal before this is called.
func (d *Decimal) UnmarshalGQL(v any) error {
	n, ok := v.(Decimal)
	if !ok {
		return fmt.Errorf("a Float argument arrived as %T", v)
	}
	*d = n
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
