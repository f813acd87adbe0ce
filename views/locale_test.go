package views_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
)

// messages is one message file: every id with its text by plural category; "" is a text without plural.
func messages(t testing.TB, tag string) map[string]map[string]string {
	t.Helper()
	raw, err := views.LocaleFiles.ReadFile("locales/active." + tag + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var values map[string]any
	if err := json.Unmarshal(raw, &values); err != nil {
		t.Fatalf("%s: %v", tag, err)
	}
	all := make(map[string]map[string]string, len(values))
	for id, value := range values {
		all[id] = map[string]string{}
		switch value := value.(type) {
		case string:
			all[id][""] = value
		case map[string]any:
			for category, text := range value {
				all[id][category] = text.(string)
			}
		}
	}
	return all
}

// placeholder is what stands in a message for a value, of the server or of a script.
var placeholder = regexp.MustCompile(`\{\{\.\w+\}\}|\{\w+\}`)

func placeholders(text string) []string {
	found := placeholder.FindAllString(text, -1)
	slices.Sort(found)
	return found
}

// payerID is the form of the ids of what payers read.
var payerID = regexp.MustCompile(`^[a-z_]+\.[a-z_]+$`)

// TestMessagesTranslated compares every language with English: the same values in each message, none empty, none
// left in English. What payers read, which has ids such as pay.title, is translated whole.
func TestMessagesTranslated(t *testing.T) {
	t.Parallel()
	english := messages(t, "en")
	for _, l := range views.Languages()[1:] {
		translated := messages(t, l.Tag)
		for id := range translated {
			if _, ok := english[id]; !ok {
				t.Errorf("%s: %s is not a message of the pages", l.Tag, id)
			}
		}
		for id, texts := range english {
			if translated[id] == nil && !payerID.MatchString(id) {
				continue
			}
			if problem := compareMessage(texts, translated[id]); problem != "" {
				t.Errorf("%s: %s %s", l.Tag, id, problem)
			}
		}
	}
}

// compareMessage says what is wrong with a translation of a message, or nothing.
func compareMessage(english, translated map[string]string) string {
	model, plural := english["other"]
	if !plural {
		model = english[""]
	}
	if len(translated) == 0 {
		return "is missing"
	}
	if _, ok := translated["other"]; ok != plural {
		return "has plural forms in one language only"
	}
	for category, text := range translated {
		switch {
		case !strings.Contains(text, "%[") &&
			!slices.Equal(verbs.FindAllString(text, -1), verbs.FindAllString(model, -1)):
			return fmt.Sprintf("%q has other verbs, or in another order without [index]: %s", category, text)
		case strings.TrimSpace(text) != text || text == "":
			return fmt.Sprintf("%q is empty or has spaces at an end", category)
		case len(strings.Fields(placeholder.ReplaceAllString(model, ""))) > 2 && text == model:
			return fmt.Sprintf("%q is English", category)
		case slices.Equal(placeholders(text), placeholders(model)):
		// "No minutes", "one minute" and "two minutes" need no number where the words say it (Arabic).
		case slices.Contains([]string{"zero", "one", "two"}, category) && len(placeholders(text)) == 0:
		default:
			return fmt.Sprintf("%q has the values %v instead of %v", category, placeholders(text), placeholders(model))
		}
	}
	return ""
}

// TestPluralForms pins forms that go wrong first: Slavic and Arabic numbers, and the French one, which is 0, too.
func TestPluralForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tag  string
		n    int
		want string
	}{
		{"en", 1, "1 minute"},
		{"en", 2, "2 minutes"},
		{"es", 1, "1 minuto"},
		{"es", 2, "2 minutos"},
		{"es", 1_000_000, "1.000.000 de minutos"},
		{"pt", 1, "1 minuto"},
		{"pt", 2, "2 minutos"},
		{"fr", 0, "0 minute"},
		{"fr", 1, "1 minute"},
		{"fr", 2, "2 minutes"},
		{"de", 1, "1 Minute"},
		{"de", 29, "29 Minuten"},
		{"tr", 1, "1 dakika"},
		{"tr", 5, "5 dakika"},
		{"ar", 0, "\u200f\u20680\u2069 دقيقة"},
		{"ar", 1, "دقيقة"},
		{"ar", 2, "دقيقتان"},
		{"ar", 3, "\u200f\u20683\u2069 دقائق"},
		{"ar", 11, "\u200f\u206811\u2069 دقيقة"},
		{"ar", 100, "\u200f\u2068100\u2069 دقيقة"},
		{"ar", 103, "\u200f\u2068103\u2069 دقائق"},
		{"zh", 29, "29分钟"},
		{"hi", 29, "29 मिनट"},
		{"id", 29, "29 menit"},
		{"vi", 29, "29 phút"},
		{"ru", 1, "1 минута"},
		{"ru", 2, "2 минуты"},
		{"ru", 5, "5 минут"},
		{"ru", 11, "11 минут"},
		{"ru", 21, "21 минута"},
		{"ru", 22, "22 минуты"},
		{"ru", 112, "112 минут"},
	} {
		if got := views.LocaleFor(c.tag).N("time.minutes", c.n); got != c.want {
			t.Errorf("%s %d: %q, want %q", c.tag, c.n, got, c.want)
		}
	}
}

// TestPluralsResolve writes every plural message with many numbers: none may fall back to its id.
func TestPluralsResolve(t *testing.T) {
	t.Parallel()
	for _, l := range views.Languages() {
		for id, texts := range messages(t, l.Tag) {
			if _, plural := texts["other"]; !plural {
				continue
			}
			for _, n := range append(upTo(130), 1_000, 1_000_000, 2_000_000) {
				if said := views.LocaleFor(l.Tag).N(id, n); said == id || strings.Contains(said, "{{") {
					t.Errorf("%s: %s with %d is said as %q", l.Tag, id, n, said)
				}
			}
		}
	}
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

func TestMatchLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ query, header, want string }{
		{"", "", "en"},
		{"de", "fr", "de"},
		{"xx", "fr-CA,fr;q=0.9,en;q=0.8", "fr"},
		{"", "pt-PT", "pt"},
		{"", "zh-TW,zh;q=0.9", "zh"},
		{"", "ar-EG", "ar"},
		{"", "nl, de;q=0.5", "de"},
		{"", "en;q=0.1, vi", "vi"},
		{"", "tlh", "en"},
		{"", "*", "en"},
		{"", ";;;q=,,", "en"},
		{"", strings.Repeat("-,", 2000), "en"},
	} {
		if got := views.MatchLanguage(c.query, c.header); got != c.want {
			t.Errorf("MatchLanguage(%q, %.40q) = %s, want %s", c.query, c.header, got, c.want)
		}
	}
}

// FuzzMatchLanguage: any header and parameter yield a supported language.
func FuzzMatchLanguage(f *testing.F) {
	f.Add("de", "de-AT,de;q=0.9")
	f.Add("", "\x00,,,;q=99")
	f.Fuzz(func(t *testing.T, query, header string) {
		tag := views.MatchLanguage(query, header)
		if !slices.ContainsFunc(views.Languages(), func(l views.Language) bool { return l.Tag == tag }) {
			t.Errorf("MatchLanguage(%q, %q) = %q", query, header, tag)
		}
	})
}

// TestRightToLeft: the page is mirrored, and values keep their own direction inside Arabic sentences.
func TestRightToLeft(t *testing.T) {
	t.Parallel()
	page := render(t, checkout.Pay(checkoutSamples[0].props(t, "ar")))
	if !strings.Contains(page, `<html lang="ar" dir="rtl">`) {
		t.Error("the Arabic page does not run from right to left")
	}
	must := views.LocaleFor("ar").F("must be between 0 and %s", 5000*money.USD)
	if want := "يجب أن تكون القيمة بين 0 و\u20685,000\u2069"; must != want {
		t.Errorf("a refusal says %q, want %q", must, want)
	}
	must = views.LocaleFor("ar").F("Too many requests; try again %s.", fault.In(100*time.Second))
	if want := "طلبات كثيرة جدًا؛ أعد المحاولة \u2068بعد دقيقتين\u2069."; must != want {
		t.Errorf("a refusal that may be tried again says %q, want %q", must, want)
	}
	if got, want := views.LocaleFor("ar").Comma("a", "b", "c"), "\u200f\u2067\u200f\u2068a\u2069، \u2068b\u2069\u2069، \u2068c\u2069"; got != want {
		t.Errorf("a list inside a list is %q, want %q: it would run from left to right", got, want)
	}
	p := sampleCheckout(t, "ar")
	p.State, p.Missing = checkout.StateShort, "0.37"
	if want := "\u20680.37\u00a0USDC\u2069"; !strings.Contains(render(t, checkout.Pay(p)), want) {
		t.Errorf("the missing amount is not isolated as %q", want)
	}
}
