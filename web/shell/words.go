package shell

import (
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/views"
)

// Said writes a stored text in the language: the audit log, and changes that wait.
func Said(l *views.Locale, text string) string {
	return mail.Said(text, func(w mail.Words) string { return Words(l, w) })
}

// Words writes words of a mail, or such as are stored.
func Words(l *views.Locale, w mail.Words) string {
	if args, format := w.Args(func(v mail.Value) string { return value(l, v) }); format {
		return l.F(w.Text, args...)
	}
	var pairs []any
	for _, v := range w.Values {
		text := value(l, v)
		if w.Text == "" {
			return text
		}
		pairs = append(pairs, v.Name, text)
	}
	if w.One != "" {
		return l.N(w.Text, w.Count, pairs...)
	}
	return l.T(w.Text, pairs...)
}

func value(l *views.Locale, v mail.Value) string {
	switch v.Kind {
	case mail.ValueWords:
		return l.T(v.Text)
	case mail.ValueTime:
		return l.Time(v.Time())
	case mail.ValueDay:
		return l.Date(v.Time())
	case mail.ValueDate:
		return l.Day(v.Time())
	case mail.ValueAmount:
		return l.Amount(v.Text)
	case mail.ValuePrice:
		return l.Price(v.Price())
	}
	return Said(l, v.Text)
}

// Knows reports whether the language has the words, and does not say some of them in English.
func Knows(l *views.Locale, w mail.Words) bool {
	known := w.Text == "" || l.Has(w.Text)
	for _, v := range w.Values {
		known = known && (v.Kind != mail.ValueWords || l.Has(v.Text)) && saysAll(l, v.Text)
	}
	return known && saysAll(l, w.Below)
}

// saysAll reports whether the language knows all words of a stored text.
func saysAll(l *views.Locale, text string) bool {
	known := true
	mail.Said(text, func(w mail.Words) string {
		known = known && Knows(l, w)
		return ""
	})
	return known
}
