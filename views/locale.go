package views

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	iso "github.com/bojanz/currency"
	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"

	"github.com/florinpay/florin/internal/money"
)

//go:embed locales/active.*.json
var localeFiles embed.FS

// Language is one language the pages are translated into.
type Language struct {
	// Tag is its BCP 47 tag, Name what its speakers call it, Dir its direction: ltr or rtl.
	Tag, Name, Dir string
	separators     separators
}

// languages in the order of the menu; the first is the fallback. A test holds the separators
// against CLDR.
var languages = []Language{
	{"en", "English", "ltr", separators{group: ",", decimal: "."}},
	{"es", "Español", "ltr", separators{group: ".", decimal: ",", lazy: true}},
	{"pt", "Português", "ltr", separators{group: ".", decimal: ","}},
	{"fr", "Français", "ltr", separators{group: "\u202f", decimal: ","}},
	{"de", "Deutsch", "ltr", separators{group: ".", decimal: ","}},
	{"tr", "Türkçe", "ltr", separators{group: ".", decimal: ","}},
	{"ar", "العربية", "rtl", separators{group: ",", decimal: "."}},
	{"zh", "中文", "ltr", separators{group: ",", decimal: "."}},
	{"hi", "हिन्दी", "ltr", separators{group: ",", decimal: ".", lakh: true}},
	{"ru", "Русский", "ltr", separators{group: "\u00a0", decimal: ","}},
	{"id", "Bahasa Indonesia", "ltr", separators{group: ".", decimal: ","}},
	{"vi", "Tiếng Việt", "ltr", separators{group: ".", decimal: ","}},
}

// Languages are the languages of the pages, in the order of the menu.
func Languages() []Language { return append([]Language(nil), languages...) }

// HasLanguage reports whether the tag is that of one of the languages.
func HasLanguage(tag string) bool { return locales[tag] != nil }

var matcher = sync.OnceValue(func() language.Matcher {
	tags := make([]language.Tag, len(languages))
	for i, l := range languages {
		tags[i] = language.MustParse(l.Tag)
	}
	return language.NewMatcher(tags)
})

// MatchLanguage chooses the language of a page: the one of ?lang= if it is supported, else the
// best fit for the Accept-Language header, else English.
func MatchLanguage(query, acceptLanguage string) string {
	if HasLanguage(query) {
		return query
	}
	// The header is at most what a server accepts as a header; ParseAcceptLanguage itself refuses
	// more than 1000 separators.
	wanted, _, err := language.ParseAcceptLanguage(acceptLanguage)
	if err != nil || len(wanted) == 0 {
		return languages[0].Tag
	}
	_, i, confidence := matcher().Match(wanted...)
	if confidence == language.No {
		return languages[0].Tag
	}
	return languages[i].Tag
}

// Locale writes texts in one language.
type Locale struct {
	Language
	localizer *i18n.Localizer
	ids       map[string]bool // of its messages
}

// locales are loaded at first use: most installations never need most of them, and parsing all
// twelve would take longer than the rest of the start.
var locales = func() map[string]func() *Locale {
	m := make(map[string]func() *Locale, len(languages))
	for _, l := range languages {
		m[l.Tag] = sync.OnceValue(func() *Locale { return loadLocale(l) })
	}
	return m
}()

// LocaleFor is the locale of a tag in Languages, and English for anything else.
func LocaleFor(tag string) *Locale {
	if load, ok := locales[tag]; ok {
		return load()
	}
	return locales[languages[0].Tag]()
}

// loadLocale parses one embedded message file. It panics on a malformed one, which tests find.
func loadLocale(l Language) *Locale {
	text, err := localeFiles.ReadFile("locales/active." + l.Tag + ".json")
	if err != nil {
		panic("views: " + err.Error())
	}
	return parseLocale(l, text)
}

// parseLocale parses a message file: each text, or its plural forms, by its id. The bundle's own parser takes an id
// such as "Description" for a word of its format.
func parseLocale(l Language, text []byte) *Locale {
	var file map[string]json.RawMessage
	ids := make(map[string]bool)
	tag := language.MustParse(l.Tag)
	bundle := i18n.NewBundle(tag)
	err := json.Unmarshal(text, &file)
	for id, forms := range file {
		m := &i18n.Message{}
		if json.Unmarshal(forms, &m.Other) != nil {
			err = errors.Join(err, json.Unmarshal(forms, m))
		}
		m.ID, ids[id] = id, true
		err = errors.Join(err, bundle.AddMessages(tag, m))
	}
	if err != nil {
		panic("views: " + err.Error())
	}
	return &Locale{l, i18n.NewLocalizer(bundle, l.Tag), ids}
}

// Replace has a language say the texts of a message file until restored, for tests that run alone.
func Replace(tag string, text []byte) (restore func()) {
	before, replaced := locales[tag], parseLocale(LocaleFor(tag).Language, text)
	locales[tag] = func() *Locale { return replaced }
	return func() { locales[tag] = before }
}

// Has reports whether the language has the message itself, and does not say it in English.
func (l *Locale) Has(id string) bool { return l.ids[id] }

// Decimals says how spreadsheets of the language write numbers: whether decimals begin with a comma, and whether cells
// are separated by semicolons. It is the region's own way where the header names one: de-CH is 1.50, and en-ZA 1,50.
func (l *Locale) Decimals(acceptLanguage string) (comma, semicolon bool) {
	comma = l.separators.decimal == ","
	wanted, _, _ := language.ParseAcceptLanguage(acceptLanguage) //nolint:errcheck // a malformed one names no region
	for _, tag := range wanted {
		base, _ := tag.Base()
		region, known := tag.Region()
		if base.String() != l.Tag || known != language.Exact {
			continue
		}
		sample, err := iso.NewAmount("1.5", "USD")
		text := iso.NewFormatter(iso.NewLocale(l.Tag + "-" + region.String())).Format(sample)
		if err == nil && strings.ContainsAny(text, ".,") { // other digits have other signs
			comma = strings.Contains(text, ",")
		}
		return comma, comma || region.String() == "CH" || region.String() == "LI"
	}
	return comma, comma
}

// T is the message id; args are name, value pairs for its template. What the language lacks is said in English, and
// what English lacks is the text itself: the pages of merchants name a message by its English text. Without args it is
// no template, so a value that is no message, as users write them, is shown as it is.
func (l *Locale) T(id string, args ...any) string {
	return l.localize(&i18n.LocalizeConfig{MessageID: id, TemplateData: l.data(args)})
}

// N is the message id in the plural form of n, which its template reads as {{.N}}.
func (l *Locale) N(id string, n int, args ...any) string {
	data := l.data(append(args, "N", l.Integer(n)))
	return l.localize(&i18n.LocalizeConfig{MessageID: id, TemplateData: data, PluralCount: n})
}

func (l *Locale) localize(c *i18n.LocalizeConfig) string {
	s, err := l.localizer.Localize(c)
	switch english := LocaleFor(languages[0].Tag); {
	case err == nil && l.Dir == "rtl" && strings.IndexAny(s, "\u2067\u2068") == 0:
		return "\u200f" + s // or a bdi element takes its direction from the value
	case err == nil:
		return s
	case l != english:
		return english.localize(c)
	case c.DefaultMessage == nil && (c.PluralCount != nil || hasData(c)):
		c.DefaultMessage = &i18n.Message{ID: c.MessageID, Other: c.MessageID}
		return l.localize(c)
	}
	return c.MessageID
}

// hasData reports whether the message has values.
func hasData(c *i18n.LocalizeConfig) bool {
	values, ok := c.TemplateData.(map[string]any)
	return ok && len(values) > 0
}

// F is a text that is a format of package fmt, such as that of a refusal, with its arguments. An amount among them is
// written as the language writes it, and inside a right-to-left sentence every argument is isolated (see data).
func (l *Locale) F(format string, args ...any) string {
	for i, a := range args {
		switch v := a.(type) {
		case money.Micros:
			args[i] = l.Amount(v.String())
		case interface{ FromNow() time.Duration }:
			args[i] = l.in(v.FromNow())
		}
	}
	format = l.T(format)
	if l.Dir == "rtl" {
		format = verb.ReplaceAllString(format, "\u2068$0\u2069")
	}
	return fmt.Sprintf(format, args...)
}

// in says how long from now something may be done, rounded up.
func (l *Locale) in(d time.Duration) string {
	switch seconds := int((d + time.Second - 1) / time.Second); {
	case seconds < 90:
		return l.N("in {{.N}} seconds", max(seconds, 1))
	case seconds < 90*60:
		return l.N("in {{.N}} minutes", (seconds+59)/60)
	default:
		return l.N("in {{.N}} hours", (seconds+3599)/3600)
	}
}

var verb = regexp.MustCompile(`%[^%]*?[a-zA-Z]`)

type localeKey struct{}

// InLanguage is a context whose texts are in the language of the tag: see T and N.
func InLanguage(ctx context.Context, tag string) context.Context {
	return context.WithValue(ctx, localeKey{}, LocaleFor(tag))
}

// LocaleOf is the locale of the context; English if it has none.
func LocaleOf(ctx context.Context) *Locale {
	if l, ok := ctx.Value(localeKey{}).(*Locale); ok {
		return l
	}
	return LocaleFor(languages[0].Tag)
}

// Spoken is the address of a part of a page, which answers in the language of the page.
func Spoken(ctx context.Context, path string) string {
	with := "?"
	if strings.Contains(path, "?") {
		with = "&"
	}
	return path + with + "lang=" + LocaleOf(ctx).Tag
}

// T is an English text in the language of the context. It may be a template; args are its name, value pairs.
func T(ctx context.Context, text string, args ...any) string { return LocaleOf(ctx).T(text, args...) }

// N is like T with the plural form for n, which the text reads as {{.N}}; the text is the English plural.
func N(ctx context.Context, text string, n int, args ...any) string {
	return LocaleOf(ctx).N(text, n, args...)
}

// data turns name, value pairs into template data. Inside a right-to-left sentence every value is
// wrapped in a Unicode isolate (UAX #9), or "0.37 USDC" would be drawn as "USDC 0.37".
func (l *Locale) data(args []any) map[string]any {
	if len(args) == 0 {
		return nil
	}
	m := make(map[string]any, len(args)/2)
	for i := 0; i+1 < len(args); i += 2 {
		name, _ := args[i].(string)
		v := args[i+1]
		if s, ok := v.(string); ok && l.Dir == "rtl" {
			isolate := "\u2068"
			if strings.ContainsAny(s, "\u2067\u2068") {
				isolate = "\u2067" // a text of this language: a value inside must not set its direction
			}
			v = isolate + s + "\u2069"
		}
		m[name] = v
	}
	return m
}
