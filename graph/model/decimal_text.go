package model

import (
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"
)

// DecimalText is the Decimal of the schema: a decimal number that is read from a text or a number, and written as a
// text. What is neither is empty, so that the operation can refuse it by its name.
type DecimalText string

// UnmarshalGQL reads an argument of any type.
func (d *DecimalText) UnmarshalGQL(v any) error {
	switch v := v.(type) {
	case string:
		*d = DecimalText(strings.TrimSpace(v))
	case int64:
		*d = DecimalText(strconv.FormatInt(v, 10))
	case float64:
		*d = ""
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			*d = DecimalText(strconv.FormatFloat(v, 'f', -1, 64))
		}
	default:
		*d = ""
	}
	return nil
}

// MarshalGQL writes the number as a text.
func (d DecimalText) MarshalGQL(w io.Writer) { _, _ = io.WriteString(w, strconv.Quote(string(d))) }

// UnmarshalJSON reads a text or a number by its digits. It accepts every other value, too.
func (d *DecimalText) UnmarshalJSON(raw []byte) error {
	var text string
	var number json.Number
	switch {
	case json.Unmarshal(raw, &text) == nil:
		*d = DecimalText(strings.TrimSpace(text))
	case json.Unmarshal(raw, &number) == nil:
		*d = DecimalText(number)
		if f, err := number.Float64(); err == nil && strings.ContainsAny(string(number), "eE") {
			return d.UnmarshalGQL(f) // who writes an exponent writes a float
		}
		if strings.Contains(string(number), ".") {
			// Nobody writes thousands so in a number: 30.500 is 30.5.
			*d = DecimalText(strings.TrimSuffix(strings.TrimRight(string(number), "0"), "."))
		}
	}
	return nil
}
