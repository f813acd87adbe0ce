package views

import (
	"strconv"
	"strings"
)

// separators are how a language writes numbers. Digits are always 0 to 9, also in Arabic and Hindi:
// the payer compares them with what wallets and exchanges print.
type separators struct {
	group, decimal string
	// lazy leaves four-digit numbers ungrouped; lakh groups by two after the first three.
	lazy, lakh bool
}

// Amount writes a plain decimal ("1234567.5") for reading. Any other text is returned unchanged.
func (l *Locale) Amount(plain string) string {
	whole, fraction, hasFraction := strings.Cut(plain, ".")
	if whole == "" || !digits(whole) || (hasFraction && (fraction == "" || !digits(fraction))) {
		return plain
	}
	s := l.separators.grouped(whole)
	if hasFraction {
		_, fraction, _ = strings.Cut(Unmistakable(plain), ".")
		s += l.separators.decimal + fraction
	}
	return s
}

// Unmistakable writes a plain decimal so that no language reads its fraction as thousands: 1.234 is 1.2340.
func Unmistakable(plain string) string {
	const group = 3
	whole, fraction, _ := strings.Cut(plain, ".")
	if len(fraction) == group && len(whole) <= group && whole != "0" {
		return plain + "0"
	}
	return plain
}

// Integer writes n for reading; negative numbers do not occur on our pages and are written plainly.
func (l *Locale) Integer(n int) string { return l.Amount(strconv.Itoa(n)) }

// Money writes a plain decimal and its unit, kept on one line.
func (l *Locale) Money(plain, unit string) string { return l.Amount(plain) + "\u00a0" + unit }

// grouped puts the separator between groups of digits, counted from the right.
func (s separators) grouped(digits string) string {
	if len(digits) <= 3 || (s.lazy && len(digits) == 4) {
		return digits
	}
	head, tail := digits[:len(digits)-3], digits[len(digits)-3:]
	step := 3
	if s.lakh {
		step = 2
	}
	for len(head) > step {
		tail = head[len(head)-step:] + s.group + tail
		head = head[:len(head)-step]
	}
	return head + s.group + tail
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
