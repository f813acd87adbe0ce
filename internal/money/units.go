package money

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/florinpay/florin/internal/fault"
)

// Token is a stablecoin in which payments are made. chain.Asset describes it on one network: contract or mint, and
// decimals.
type Token string

// The accepted tokens.
const (
	USDT Token = "USDT"
	USDC Token = "USDC"
)

// Tokens lists the accepted tokens in the order they are offered.
func Tokens() []Token { return []Token{USDT, USDC} }

// ParseToken returns the token of that exact name, or fault.Invalid.
func ParseToken(s string) (Token, error) {
	for _, t := range Tokens() {
		if string(t) == s {
			return t, nil
		}
	}
	return "", fault.About(fault.Invalid, "token", "must be USDT or USDC")
}

// Decimals of a token contract. With less than 6, an amount in Micros could not be requested exactly; with more than
// 18, Atto could not hold a deposit exactly.
const (
	MinDecimals = 6
	MaxDecimals = 18
)

// Units is an amount of a token in its smallest unit, as the chain counts it.
// It is immutable; the zero value is 0.
type Units struct{ v *big.Int }

// NewUnits returns v as Units. v is copied.
func NewUnits(v *big.Int) Units { return Units{new(big.Int).Set(v)} }

// UnitsFromUint64 returns v as Units.
func UnitsFromUint64(v uint64) Units { return Units{new(big.Int).SetUint64(v)} }

// maxUnitsText is the number of digits of 2^256 - 1, the largest amount on a chain.
const maxUnitsText = 78

// ParseUnits reads a non-negative whole number in decimal digits.
func ParseUnits(s string) (Units, error) {
	if !allDigits(s) || len(s) > maxUnitsText {
		return Units{}, fault.New(fault.Invalid, "token units must be a whole number of at most %d digits", maxUnitsText)
	}
	v, _ := new(big.Int).SetString(s, 10)
	return Units{v}, nil
}

// Scan reads the digits of a stored amount; NULL is 0.
func (u *Units) Scan(stored any) (err error) {
	switch s := stored.(type) {
	case nil:
		*u = Units{}
	case string:
		*u, err = ParseUnits(s)
	default:
		err = fmt.Errorf("stored token units have type %T", stored)
	}
	return err
}

// MarshalText writes the digits.
func (u Units) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// UnmarshalText reads the digits.
func (u *Units) UnmarshalText(text []byte) (err error) {
	*u, err = ParseUnits(string(text))
	return err
}

// Big returns a copy as a big integer.
func (u Units) Big() *big.Int {
	if u.v == nil {
		return new(big.Int)
	}
	return new(big.Int).Set(u.v)
}

var zero = new(big.Int)

// value is Big without the copy, for arithmetic that changes no operand.
func (u Units) value() *big.Int {
	if u.v == nil {
		return zero
	}
	return u.v
}

// IsZero reports whether the amount is 0.
func (u Units) IsZero() bool { return u.v == nil || u.v.Sign() == 0 }

// Add returns u + o.
func (u Units) Add(o Units) Units { return Units{new(big.Int).Add(u.value(), o.value())} }

// Sub returns u - o, which may be negative.
func (u Units) Sub(o Units) Units { return Units{new(big.Int).Sub(u.value(), o.value())} }

// Cmp compares u and o: -1, 0 or +1.
func (u Units) Cmp(o Units) int { return u.value().Cmp(o.value()) }

// Min returns the smaller amount.
func (u Units) Min(o Units) Units {
	if o.Cmp(u) < 0 {
		return o
	}
	return u
}

// String returns the whole number of smallest units in decimal digits.
func (u Units) String() string { return u.value().String() }

// Format returns the amount in whole tokens of the given decimals, as the
// shortest decimal number.
func (u Units) Format(decimals int) string {
	s := u.String()
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	if decimals == 0 {
		return sign + s
	}
	if len(s) <= decimals {
		s = strings.Repeat("0", decimals-len(s)+1) + s
	}
	whole, frac := s[:len(s)-decimals], strings.TrimRight(s[len(s)-decimals:], "0")
	if frac == "" {
		return sign + whole
	}
	return sign + whole + "." + frac
}

// Display returns the amount as pages show it, in whole tokens of the given decimals: at least two decimal places, more
// only if they are not zero.
func (u Units) Display(decimals int) string { return Display(u.Format(decimals)) }

// Units returns the amount in the smallest units of a token with the given
// decimals (MinDecimals to MaxDecimals), exactly.
func (m Micros) Units(decimals int) Units {
	return Units{new(big.Int).Mul(big.NewInt(int64(m)), pow10(decimals-MicrosDecimals))}
}

// Atto is an amount of US dollars in units of 10^-18, the common scale in which deposits of tokens with different
// decimals are added up without rounding.
type Atto struct{ u Units }

// Atto returns the amount of a token with the given decimals on the common scale.
func (u Units) Atto(decimals int) Atto {
	return Atto{Units{new(big.Int).Mul(u.value(), pow10(MaxDecimals-decimals))}}
}

// Atto returns the amount on the common scale.
func (m Micros) Atto() Atto { return Atto{m.Units(MaxDecimals)} }

// Add returns a + o.
func (a Atto) Add(o Atto) Atto { return Atto{a.u.Add(o.u)} }

// Sub returns a - o, which may be negative.
func (a Atto) Sub(o Atto) Atto { return Atto{a.u.Sub(o.u)} }

// Cmp compares a and o: -1, 0 or +1.
func (a Atto) Cmp(o Atto) int { return a.u.Cmp(o.u) }

// IsZero reports whether the amount is 0.
func (a Atto) IsZero() bool { return a.u.IsZero() }

// Micros returns the amount rounded down to Micros, at most the largest amount that Micros can hold, so that a huge
// deposit of a broken token does not overflow.
func (a Atto) Micros() Micros {
	m, _ := a.micros()
	return m
}

// MicrosUp returns the amount rounded up to Micros: what must still be sent.
func (a Atto) MicrosUp() Micros {
	m, more := a.micros()
	if more && m < math.MaxInt64 {
		return m + 1
	}
	return m
}

// micros also reports whether rounding changed the amount.
func (a Atto) micros() (m Micros, more bool) {
	q, rest := new(big.Int).QuoRem(a.u.value(), pow10(MaxDecimals-MicrosDecimals), new(big.Int))
	if !q.IsInt64() {
		return math.MaxInt64, false
	}
	return Micros(q.Int64()), rest.Sign() > 0
}

// Basis returns the share of the amount in basis points (1/10,000), rounded
// down: 9,950 is 99.5 %.
func (a Atto) Basis(points int64) Atto {
	v := new(big.Int).Mul(a.u.value(), big.NewInt(points))
	return Atto{Units{v.Quo(v, big.NewInt(10_000))}}
}

// powers are 10^0 to 10^MaxDecimals; they are never changed.
var powers = func() (all [MaxDecimals + 1]*big.Int) {
	for i := range all {
		all[i] = new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(i)), nil)
	}
	return all
}()

func pow10(n int) *big.Int { return powers[max(n, 0)] }
