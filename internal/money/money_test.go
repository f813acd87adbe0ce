package money_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

func TestParseMicros(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]money.Micros{
		"1": 1_000_000, "0.01": 10_000, "12.5": 12_500_000, "0.000001": 1, "1000000": 1_000_000_000_000,
		"1e2": 100_000_000, "1E+2": 100_000_000, "1.5e-3": 1_500, "10.0000000000": 10_000_000, "0.1e1": 1_000_000,
	} {
		if got, err := money.ParseMicros("amount", text); err != nil || got != want {
			t.Errorf("%s is %d, %v; want %d", text, got, err, want)
		}
	}
	for text, rule := range map[string]string{
		"0": "greater than 0", "0.000": "greater than 0", "-1": "greater than 0", "-0": "greater than 0",
		"0.0000001": "6 decimal places", "1.1234567": "6 decimal places", "1e-7": "6 decimal places",
		"1e400": "exponent", "1e-400": "exponent", "1e99999999999999999999": "exponent",
		"1e99": "too large", "99999999999999": "too large",
		"NaN": "decimal number", "Infinity": "decimal number", "": "decimal number", `"10"`: "decimal number", "1_0": "decimal number",
		"01": "decimal number", "1.": "decimal number", ".5": "decimal number",
		"+1": "decimal number", "1e": "decimal number",
		"0x10": "decimal number", "١": "decimal number", "--1": "decimal number",
		"1 ": "decimal number", "null": "decimal number",
		strings.Repeat("1", 1000): "decimal number",
	} {
		_, err := money.ParseMicros("amount", text)
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), rule) ||
			!strings.HasPrefix(err.Error(), "amount ") {
			t.Errorf("%.20q: %v; want the rule %q", text, err, rule)
		}
	}
}

func TestMicrosText(t *testing.T) {
	t.Parallel()
	for m, want := range map[money.Micros][3]string{
		12_500_000: {
			"12.5", "12.500000", "12.50",
		}, 10_000: {"0.01", "0.010000", "0.01"}, 1: {"0.000001", "0.000001", "0.000001"},
		5_000_000: {"5", "5.000000", "5.00"}, 0: {"0", "0.000000", "0.00"},
	} {
		if got := [3]string{m.String(), m.Fixed(), m.Display()}; got != want {
			t.Errorf("%d prints as %q, want %q", m, got, want)
		}
	}
}

func TestMicrosRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := money.Micros(rapid.Int64Range(1, 999_999_999_999_999_999).Draw(t, "micros"))
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var back money.Micros
		if err := json.Unmarshal(raw, &back); err != nil || back != m {
			t.Fatalf("%d became %s became %d, %v", m, raw, back, err)
		}
	})
}

func FuzzParseMicros(f *testing.F) {
	for _, s := range []string{"1", "0.01", "1e5", "-1", "1e-7", "NaN", "00", "9e17"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, err := money.ParseMicros("amount", s)
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%q fails with %v", s, err)
			}
			return
		}
		exact, ok := new(big.Rat).SetString(s)
		if !ok || exact.Cmp(big.NewRat(int64(m), 1_000_000)) != 0 || m <= 0 {
			t.Errorf("%q was read as %d", s, m)
		}
	})
}

func TestUnits(t *testing.T) {
	t.Parallel()
	if got := money.Micros(12_500_000).Units(18).String(); got != "12500000000000000000" {
		t.Errorf("12.5 in 18 decimals is %s", got)
	}
	u, err := money.ParseUnits("123456789")
	if err != nil {
		t.Fatal(err)
	}
	for decimals, want := range map[int]string{
		0: "123456789", 6: "123.456789", 9: "0.123456789", 12: "0.000123456789",
	} {
		if got := u.Format(decimals); got != want {
			t.Errorf("with %d decimals it is %s, want %s", decimals, got, want)
		}
	}
	if got := (money.Units{}).Format(6); got != "0" {
		t.Errorf("nothing is %q", got)
	}
	for _, bad := range []string{"", "-1", "1.5", "0x1", strings.Repeat("9", 79)} {
		if _, err := money.ParseUnits(bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("%.10q was read: %v", bad, err)
		}
	}
}

func TestAttoNeverRoundsUp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		decimals := rapid.IntRange(money.MinDecimals, money.MaxDecimals).Draw(t, "decimals")
		m := money.Micros(rapid.Int64Range(1, 1_000_000_000_000).Draw(t, "micros"))
		exact := m.Units(decimals).Atto(decimals)
		if exact.Cmp(m.Atto()) != 0 || exact.Micros() != m || exact.MicrosUp() != m {
			t.Fatalf("%s in %d decimals became %s", m, decimals, exact.Micros())
		}
		if decimals > money.MicrosDecimals {
			less := m.Units(decimals).Sub(money.UnitsFromUint64(1)).Atto(decimals)
			if less.Micros() != m-1 || less.MicrosUp() != m {
				t.Fatalf("one unit less than %s is %s, rounded up %s", m, less.Micros(), less.MicrosUp())
			}
		}
	})
}

func TestAttoOfAbsurdDeposit(t *testing.T) {
	t.Parallel()
	huge := money.NewUnits(new(big.Int).Lsh(big.NewInt(1), 255)).Atto(6)
	if huge.Micros() <= 0 || huge.MicrosUp() <= 0 {
		t.Errorf("an absurd deposit wraps around to %d", huge.Micros())
	}
}

// TestUnits_Display: at least two decimal places, and every digit that is not zero.
func TestUnits_Display(t *testing.T) {
	t.Parallel()
	for want, units := range map[string]int64{
		"49.90": 49_900_000, "20.00": 20_000_000, "0.37": 370_000, "0.000001": 1, "0.00": 0,
	} {
		if got := money.UnitsFromUint64(uint64(units)).Display(6); got != want { //nolint:gosec // none is negative
			t.Errorf("%d units read %q, want %q", units, got, want)
		}
	}
}
