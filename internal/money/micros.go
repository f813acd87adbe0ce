// Package money holds amounts as integers with an explicit scale.
//
// Its one invariant: no amount ever passes through a float. Text is parsed to
// an integer at the edge and printed from it at the edge.
package money

import (
	"math"
	"strconv"
	"strings"

	"github.com/florinpay/florin/internal/fault"
)

// Micros is an amount of US dollars in millionths: 1 USD is 1,000,000.
// One unit of an accepted token counts as 1 USD.
type Micros int64

// MicrosDecimals is the scale of Micros.
const MicrosDecimals = 6

// USD is one dollar.
const USD Micros = 1_000_000

// MaxAmountText bounds the length of an amount's text, so that a huge exponent or a megabyte of digits costs nothing.
const MaxAmountText = 64

// ParseMicros reads a decimal number in the grammar of JSON (RFC 8259, exponent allowed) and returns it exactly. It
// fails with fault.Invalid, naming the broken rule, for anything that is not a number, is negative or zero, has more
// than 6 decimal places, or exceeds the range of Micros. name is the caller's name of the input.
func ParseMicros(name, text string) (Micros, error) {
	digits, exponent, err := splitNumber(name, text)
	if err != nil {
		return 0, err
	}
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return 0, fault.About(fault.Invalid, name, "must be greater than 0")
	}
	trimmed := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(trimmed)
	if exponent < -MicrosDecimals {
		return 0, fault.About(fault.Invalid, name, "must have at most %d decimal places", MicrosDecimals)
	}
	shift := exponent + MicrosDecimals
	if len(trimmed)+shift > 18 {
		return 0, fault.About(fault.Invalid, name, "is too large")
	}
	v, err := strconv.ParseInt(trimmed+strings.Repeat("0", shift), 10, 64)
	if err != nil {
		return 0, fault.About(fault.Invalid, name, "is too large")
	}
	return Micros(v), nil
}

// splitNumber checks the grammar of a JSON number and returns its digits
// without the point, and the power of ten they are to be multiplied by.
func splitNumber(name, text string) (digits string, exponent int, err error) {
	notNumber := fault.About(fault.Invalid, name, "must be a decimal number such as 12.50")
	if text == "" || len(text) > MaxAmountText {
		return "", 0, notNumber
	}
	if text[0] == '-' {
		if _, _, err := splitNumber(name, text[1:]); err != nil || len(text) > 1 && text[1] == '-' {
			return "", 0, notNumber
		}
		return "", 0, fault.About(fault.Invalid, name, "must be greater than 0")
	}
	mantissa, exp, hasExp := strings.Cut(strings.ToLower(text), "e")
	if hasExp {
		exponent, err = strconv.Atoi(strings.TrimPrefix(exp, "+"))
		if err != nil || exp == "" || strings.HasPrefix(exp, "+-") {
			if exp != "" && allDigits(strings.TrimLeft(exp, "+-")) {
				return "", 0, fault.About(fault.Invalid, name, "has an exponent out of range")
			}
			return "", 0, notNumber
		}
		if exponent > 100 || exponent < -100 {
			return "", 0, fault.About(fault.Invalid, name, "has an exponent out of range")
		}
	}
	whole, fraction, hasPoint := strings.Cut(mantissa, ".")
	if !allDigits(whole) || hasPoint && !allDigits(fraction) || len(whole) > 1 && whole[0] == '0' {
		return "", 0, notNumber
	}
	return whole + fraction, exponent - len(fraction), nil
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// String returns the amount as the shortest decimal number: "12.5", "0.01".
func (m Micros) String() string {
	s := m.Fixed()
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// Fixed returns the amount with all 6 decimal places: "12.500000".
func (m Micros) Fixed() string {
	sign, v := "", uint64(m) //nolint:gosec // two's complement, negated below
	if m < 0 {
		sign, v = "-", -v
	}
	frac := strconv.FormatUint(v%uint64(USD), 10)
	return sign + strconv.FormatUint(v/uint64(USD), 10) + "." + strings.Repeat("0", MicrosDecimals-len(frac)) + frac
}

// Display returns the amount as pages show it: at least two decimal places, more only if they are not zero: "12.50",
// "0.012345".
func (m Micros) Display() string { return Display(m.String()) }

// Display returns a plain decimal number as pages show it, with at least two decimal places.
func Display(s string) string {
	point := strings.IndexByte(s, '.')
	if point < 0 {
		return s + ".00"
	}
	if len(s)-point == 2 {
		return s + "0"
	}
	return s
}

// MarshalJSON writes the amount as a JSON number.
func (m Micros) MarshalJSON() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalJSON reads a JSON number exactly; the digits never become a float.
func (m *Micros) UnmarshalJSON(b []byte) error {
	v, err := ParseMicros("amount", string(b))
	if err != nil {
		return err
	}
	*m = v
	return nil
}

// Mul returns m × n. The second result is false if it overflows.
func (m Micros) Mul(n int64) (Micros, bool) {
	if m == 0 || n == 0 {
		return 0, true
	}
	p := int64(m) * n
	if p/n != int64(m) || (n == -1 && int64(m) == math.MinInt64) {
		return 0, false
	}
	return Micros(p), true
}
