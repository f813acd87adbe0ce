package mail

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
)

// Letter is a mail to a merchant before it is written: when it is sent, in the language of who gets it.
type Letter struct {
	Subject Words
	Text    []Words
	Lang    string // of who has no account; may be empty
}

// Words are a part of a letter: an English text, which names it in the catalogue, and its values. In the text of a
// letter they are a paragraph.
type Words struct {
	Text   string
	One    string // the English text for one, if the text is that of many
	Count  int    // which of them
	Values []Value
	Below  string // lines below it: addresses, what users wrote, and words that are Kept
	Near   bool   // it is the next line of the paragraph before
}

// Kind of a value: how it is written.
const (
	valueText   = ""
	ValueWords  = "words" // an English text of the catalogue
	ValueTime   = "time"
	ValueDay    = "day"
	ValueAmount = "amount"
	ValuePrice  = "price" // an amount and its currency
	ValueDate   = "date"  // a day of the zone in which it was named
	valueNumber = "number"
	valueFormat = "format" // no value: the text is a format of package fmt, and the values are its arguments
)

// Kept returns the words as a text, or a part of one, to store: Said writes them in the language of who reads it.
func (w Words) Kept() string {
	if w.Text == "" && len(w.Values) == 0 {
		return ""
	}
	parts := []string{w.Text, w.One, strconv.Itoa(w.Count)}
	for _, v := range w.Values {
		parts = append(parts, v.Name, v.Kind, v.Text)
	}
	return keptBegin + strings.Join(parts, keptPart) + keptEnd
}

// Words that are kept stand between control characters, which texts of people have none of. What names a customer stays
// as it is written, so that it is found when it is to be erased.
const keptBegin, keptPart, keptEnd = "\x02", "\x1f", "\x03"

// kept finds the innermost words of a text.
var kept = regexp.MustCompile(keptBegin + "[^" + keptBegin + keptEnd + "]*" + keptEnd)

// Said returns a stored text, of which write writes the words.
func Said(text string, write func(Words) string) string {
	for kept.MatchString(text) {
		text = kept.ReplaceAllStringFunc(text, func(found string) string {
			parts := strings.Split(strings.Trim(found, keptBegin+keptEnd), keptPart)
			w := Words{Text: parts[0]}
			if len(parts) >= 3 {
				w.One, parts = parts[1], parts[2:]
				w.Count, _ = strconv.Atoi(parts[0]) //nolint:errcheck // Kept has written it
			}
			for ; len(parts) > 3; parts = parts[3:] {
				w.Values = append(w.Values, Value{parts[1], parts[2], parts[3]})
			}
			return write(w)
		})
	}
	return text
}

// Value is a value of a template by name.
type Value struct{ Name, Kind, Text string }

// English is a value that is itself an English text of the catalogue.
type English string

// Day is a value that is a time, of which the day is written.
type Day time.Time

// T returns words with name, value pairs. A value is a string, which is written as it is; English; other words; a time;
// a Day; or an amount.
func T(text string, pairs ...any) Words {
	return Words{Text: text}.With(pairs...)
}

// Number returns words that are a plain decimal.
func Number(plain string) Words { return alone(ValueAmount, plain) }

// Price returns words that are an amount in a currency.
func Price(plain, currency string) Words { return alone(ValuePrice, plain+" "+currency) }

// Dollars returns words that are an amount in dollars.
func Dollars(m money.Micros) Words { return Price(m.Display(), "USD") }

// Date returns words that are the day of t in its zone.
func Date(t time.Time) Words { return alone(ValueDate, t.Format(time.DateOnly)) }

// Refusal returns words that are those of a fault.
func Refusal(x fault.Words) (w Words) {
	x.In(func(format string, args ...any) string { // the words within come before those around them
		w = Words{Text: format, Values: []Value{{"", valueFormat, ""}}}
		for _, a := range args {
			v := Value{"", valueText, fmt.Sprint(a)}
			switch x := a.(type) {
			case int:
				v.Kind = valueNumber
			case money.Micros:
				v.Kind, v.Text = ValueAmount, x.String()
			}
			w.Values = append(w.Values, v)
		}
		return w.Kept()
	})
	return w
}

// Args are the arguments of the text, each said by say, if the text is a format of package fmt.
func (w Words) Args(say func(Value) string) (args []any, format bool) {
	if len(w.Values) == 0 || w.Values[0].Kind != valueFormat {
		return nil, false
	}
	for _, v := range w.Values[1:] {
		if n, err := strconv.Atoi(v.Text); err == nil && v.Kind == valueNumber {
			args = append(args, n)
		} else {
			args = append(args, say(v))
		}
	}
	return args, true
}

// alone returns words that are a value and no text.
func alone(kind, text string) Words { return Words{Values: []Value{{"", kind, text}}} }

// Comma returns both words, with a comma between them.
func (w Words) Comma(more Words) Words {
	if w.Kept() == "" {
		return more
	}
	return T("{{.First}}, {{.Next}}", "First", w, "Next", more)
}

// N returns words in the plural form for n, which the text reads as {{.N}}; one is the English text for one.
func N(many, one string, n int, pairs ...any) Words {
	return Words{Text: many, One: one, Count: n}.With(pairs...)
}

// With returns the words with more values.
func (w Words) With(pairs ...any) Words {
	w.Values = append([]Value(nil), w.Values...)
	for i := 0; i+1 < len(pairs); i += 2 {
		v := Value{Name: fmt.Sprint(pairs[i])}
		switch x := pairs[i+1].(type) {
		case English:
			v.Kind, v.Text = ValueWords, string(x)
		case time.Time:
			v.Kind, v.Text = ValueTime, x.UTC().Format(time.RFC3339)
		case Day:
			v.Kind, v.Text = ValueDay, time.Time(x).UTC().Format(time.RFC3339)
		case money.Micros:
			v.Kind, v.Text = ValueAmount, x.Display()
		case Words:
			v.Text = x.Kept()
		default:
			v.Text = fmt.Sprint(x)
		}
		w.Values = append(w.Values, v)
	}
	return w
}

// Then returns the words with lines below them.
func (w Words) Then(lines ...string) Words {
	w.Below = strings.Join(lines, "\n")
	return w
}

// Next returns the words as the next line of the paragraph before.
func (w Words) Next() Words {
	w.Near = true
	return w
}

// Join writes the paragraphs, each by write.
func Join(text []Words, write func(Words) string) string {
	var b strings.Builder
	for i, w := range text {
		switch {
		case i == 0:
		case w.Near:
			b.WriteString("\n")
		default:
			b.WriteString("\n\n")
		}
		said := write(w)
		b.WriteString(said)
		if said != "" && w.Below != "" {
			b.WriteString("\n")
		}
		b.WriteString(Said(w.Below, write))
	}
	return b.String()
}

// English writes the words in English.
func (w Words) English() string {
	text := w.Text
	if args, format := w.Args(Value.english); format {
		return fmt.Sprintf(text, args...)
	}
	if text == "" && len(w.Values) > 0 {
		return w.Values[0].english()
	}
	if w.One != "" && w.Count == 1 {
		text = w.One
	}
	pairs := []string{"{{.N}}", strconv.Itoa(w.Count)}
	for _, v := range w.Values {
		pairs = append(pairs, "{{."+v.Name+"}}", v.english())
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

func (v Value) english() string {
	switch v.Kind {
	case ValueTime:
		return v.Time().Format("2 January 2006, 15:04 UTC")
	case ValueDay:
		return v.Time().Format("2 January 2006")
	case ValuePrice:
		if plain, currency := v.Price(); currency == "USD" {
			return "$" + plain
		}
	}
	return Said(v.Text, Words.English)
}

// Time is that of a value that is one, in UTC.
func (v Value) Time() time.Time {
	layout := time.RFC3339
	if v.Kind == ValueDate {
		layout = time.DateOnly
	}
	t, _ := time.Parse(layout, v.Text) //nolint:errcheck // With has written it
	return t
}

// Price is that of a value that is one: an amount and its currency.
func (v Value) Price() (plain, currency string) {
	plain, currency, _ = strings.Cut(v.Text, " ")
	return plain, currency
}

// Of returns the mail with the letter, in English.
func (m Mail) Of(l Letter) Mail {
	m.Letter, m.Subject = &l, l.Subject.English()
	m.Text = secret.New(Join(l.Text, Words.English))
	return m
}

// And returns the mail with more at its end.
func (m Mail) And(text ...Words) Mail {
	if m.Letter == nil {
		return m
	}
	l := *m.Letter
	l.Text = append(append([]Words(nil), l.Text...), text...)
	return m.Of(l)
}

// In says in which language mails are written to somebody who has no account, or none with this address.
func In(lang string, mails []Mail) []Mail {
	for _, m := range mails {
		m.Letter.Lang = lang
	}
	return mails
}

// body is what is stored of the text of a mail.
type body struct {
	Text   string  `json:"text,omitempty"`
	Letter *Letter `json:"letter,omitempty"`
}

// Body returns what Read reads, which is to be sealed.
func (m Mail) Body() secret.Text {
	b := body{m.Text.Reveal(), nil}
	if m.Letter != nil {
		b = body{"", m.Letter}
	}
	text, err := json.Marshal(b) //nolint:gosec // the store seals it
	if err != nil {
		panic("mail: " + err.Error()) // texts and numbers always can be written
	}
	return secret.New(string(text))
}

// Read returns the mail with the text that Body returned.
func (m Mail) Read(text secret.Text) (Mail, error) {
	var b body
	if err := json.Unmarshal([]byte(text.Reveal()), &b); err != nil {
		return m, fmt.Errorf("read mail %s: %w", m.ID, err)
	}
	if b.Letter != nil {
		subject := m.Subject
		m = m.Of(*b.Letter)
		m.Subject = subject
		return m, nil
	}
	m.Text = secret.New(b.Text)
	return m, nil
}
