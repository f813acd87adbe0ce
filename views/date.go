package views

import (
	"strconv"
	"strings"
	"time"
)

// calendar is how a language writes a date with a short month (Unicode CLDR, skeleton yMMMd). Digits are 0 to 9
// everywhere, as in amounts.
type calendar struct {
	// pattern has {d}, {m} and {y} where day, month and year go; months are parted by spaces, "_" being a space inside.
	pattern, months string
}

var calendars = map[string]calendar{
	"en": {"{m} {d}, {y}", "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec"},
	"es": {"{d} {m} {y}", "ene feb mar abr may jun jul ago sept oct nov dic"},
	"pt": {"{d} de {m} de {y}", "jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez."},
	"fr": {"{d} {m} {y}", "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc."},
	"de": {"{d}. {m} {y}", "Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez."},
	"tr": {"{d} {m} {y}", "Oca Şub Mar Nis May Haz Tem Ağu Eyl Eki Kas Ara"},
	"ar": {"{d} {m} {y}", "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر"},
	"zh": {"{y}年{m}月{d}日", "1 2 3 4 5 6 7 8 9 10 11 12"},
	"hi": {"{d} {m} {y}", "जन॰ फ़र॰ मार्च अप्रैल मई जून जुल॰ अग॰ सित॰ अक्टू॰ नव॰ दिस॰"},
	"ru": {"{d} {m} {y} г.", "янв. февр. мар. апр. мая июн. июл. авг. сент. окт. нояб. дек."},
	"id": {"{d} {m} {y}", "Jan Feb Mar Apr Mei Jun Jul Agu Sep Okt Nov Des"},
	"vi": {"{d} {m}, {y}", "thg_1 thg_2 thg_3 thg_4 thg_5 thg_6 thg_7 thg_8 thg_9 thg_10 thg_11 thg_12"},
}

// Date writes the day of t, in UTC: what is shown where no script knows the reader's own clock.
func (l *Locale) Date(t time.Time) string { return l.date(t.UTC(), calendars[l.Tag].pattern) }

func (l *Locale) date(t time.Time, pattern string) string {
	month := strings.ReplaceAll(strings.Fields(calendars[l.Tag].months)[t.Month()-1], "_", " ")
	return strings.NewReplacer(
		"{d}", strconv.Itoa(t.Day()), "{m}", month, "{y}", strconv.Itoa(t.Year()),
	).Replace(pattern)
}

// yearless takes the year and what joins it to the day from a pattern.
var yearless = strings.NewReplacer("{y}年", "", " de {y}", "", ", {y}", "", " {y} г.", "", " {y}", "")

// Day writes the day of t in its own zone, for merchants: in English, too, the day comes first.
func (l *Locale) Day(t time.Time) string { return l.date(t, l.merchantPattern()) }

// DayOfYear is Day without the year.
func (l *Locale) DayOfYear(t time.Time) string {
	return l.date(t, yearless.Replace(l.merchantPattern()))
}

func (l *Locale) merchantPattern() string {
	if l == LocaleFor("en") {
		return "{d} {m} {y}"
	}
	return calendars[l.Tag].pattern
}

// Time writes t in UTC, to the minute.
func (l *Locale) Time(t time.Time) string {
	return l.Date(t) + " · " + t.UTC().Format("15:04") + " UTC"
}
