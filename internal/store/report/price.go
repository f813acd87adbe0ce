package report

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/money"
)

// asked is an amount as somebody types it: "30,50 €", "EUR 1.030,50", "$49".
type asked struct {
	currency exchange.Currency // empty: any
	plain    []string          // its readings as plain decimals: 1.030 may be a thousand and thirty
}

// signs are those of currencies that one currency alone has.
var signs = map[string]exchange.Currency{
	"$": exchange.USD, "€": "EUR", "£": "GBP", "₹": "INR", "₺": "TRY", "₦": "NGN", "₱": "PHP", "₩": "KRW", "฿": "THB",
	"zł": "PLN", "r$": "BRL", "¥": "", "元": "CNY", "円": "JPY",
}

// readAsked reads an amount; ok is false if the text is none.
func readAsked(text string) (a asked, ok bool) {
	from, last := strings.IndexFunc(text, unicode.IsDigit), strings.LastIndexFunc(text, unicode.IsDigit)
	if from < 0 {
		return a, false
	}
	_, size := utf8.DecodeRuneInString(text[last:])
	before, number, after := text[:from], text[from:last+size], text[last+size:]
	mark := strings.ToLower(strings.TrimFunc(before+after, unicode.IsSpace))
	if currency, known := signs[mark]; known {
		a.currency = currency
	} else if _, err := money.ParseToken(strings.ToUpper(mark)); err == nil {
		a.currency = exchange.USD // tokens are worth their dollars
	} else if mark != "" {
		c, err := exchange.ParseCurrency(mark)
		if err != nil {
			return a, false
		}
		a.currency = c
	}
	a.plain = readings(number)
	return a, len(a.plain) > 0
}

// readings are the plain decimals that a number in any language's notation may be.
func readings(number string) []string {
	var b strings.Builder
	for _, r := range number {
		switch {
		case unicode.IsDigit(r):
			b.WriteByte('0' + byte(digitValue(r)))
		case r == '٫':
			b.WriteByte(',')
		case r == '.', r == ',':
			b.WriteRune(r)
		case r == '\'', r == '’', r == '٬', unicode.IsSpace(r): // thousands
		default:
			return nil
		}
	}
	text := b.String()
	point := strings.LastIndexAny(text, ".,")
	if point < 0 {
		return []string{text}
	}
	both := strings.NewReplacer(".", "", ",", "")
	whole, decimals := both.Replace(text[:point]), text[point+1:]
	thousands := len(decimals) == 3
	switch n := strings.Count(text, text[point:point+1]); {
	case n > 1 && thousands:
		return []string{whole + decimals}
	case n > 1 || decimals == "":
		return nil
	case thousands && !strings.ContainsAny(text[:point], ".,"):
		return []string{whole + "." + decimals, whole + decimals}
	}
	return []string{whole + "." + decimals}
}

// digitValue is the value of a decimal digit of any script: their code points follow each other from zero.
func digitValue(r rune) int {
	n := 0
	for n < 9 && unicode.IsDigit(r-rune(n)-1) {
		n++
	}
	return n
}

// dollars are the amounts that the readings begin with; see amounts.
func (a asked) dollars() (ranges [][2]money.Micros) {
	if a.currency != "" && a.currency != exchange.USD {
		return nil
	}
	for _, plain := range a.plain {
		if low, high, ok := amounts(plain); ok {
			ranges = append(ranges, [2]money.Micros{low, high})
		}
	}
	return ranges
}

// byPrice finds prices that begin with the digits of the amount: 30 finds 30.50 EUR. Currencies with the same number of
// decimal places share a range of the index.
func (f *finder) byPrice(a asked) (ways []*bun.RawQuery) {
	of := make(map[int][]string)
	for _, c := range exchange.Currencies() {
		if a.currency == "" || a.currency == c {
			of[c.Digits()] = append(of[c.Digits()], string(c))
		}
	}
	for places, codes := range of {
		for _, plain := range a.plain {
			low, high, ok := units(plain, places)
			if !ok {
				continue
			}
			ways = append(ways, f.last("price AS ranked, created_at", "ranked DESC, created_at DESC",
				"currency <> '' AND currency IN (?) AND price BETWEEN ? AND ?", bun.List(codes), low, high))
		}
	}
	return ways
}

// units are the prices, in the smallest unit of a currency with so many places, that are written with the digits first.
func units(plain string, places int) (low, high int64, ok bool) {
	whole, decimals, _ := strings.Cut(plain, ".")
	digits := strings.TrimLeft(whole+decimals, "0")
	if len(decimals) > places || len(digits) > maxPriceDigits {
		return 0, 0, false
	}
	for _, r := range digits {
		low = low*10 + int64(r-'0')
	}
	high = low
	for range places - len(decimals) {
		low, high = low*10, high*10+9
	}
	return low, high, true
}

// maxPriceDigits is more than a stored price has, less than an integer holds.
const maxPriceDigits = 14
