package input

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/florinpay/florin/internal/fault"
)

// A text may not hold what a reader cannot see: it makes two names look alike, or
// one read as another.
func TestCheckText_Invisible(t *testing.T) {
	t.Parallel()
	for name, runes := range map[string][]rune{
		"bidirectional controls": {
			'\u061c', '\u200e', '\u200f', '\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066',
			'\u2067', '\u2068',
			'\u2069',
		},
		"no width":             {'\u200b', '\u2060', '\ufeff', '\u00ad', '\u034f', '\u180e'},
		"invisible operators":  {'\u2061', '\u2062', '\u2063', '\u2064'},
		"deprecated formats":   {'\u206a', '\u206b', '\u206c', '\u206d', '\u206e', '\u206f'},
		"blank letters":        {'\u115f', '\u1160', '\u3164', '\uffa0', '\u17b4', '\u17b5', '\u2800'},
		"tags":                 {'\U000e0001', '\U000e0041', '\U000e007f'},
		"variation selectors":  {'\ufe00', '\ufe0e', '\ufe0f', '\U000e0100', '\u180b'},
		"joiners":              {'\u200c', '\u200d'},
		"annotations":          {'\ufff9', '\ufffa', '\ufffb'},
		"musical formats":      {'\U0001d173', '\U0001d17a'},
		"separators":           {'\u2028', '\u2029'},
		"controls":             {0, '\t', '\r', '\n', 0x1b, 0x7f, 0x85, 0x9b},
		"no characters at all": {'\ufdd0', '\ufffe', '\uffff', '\U0001ffff'},
	} {
		for _, r := range runes {
			for _, text := range []string{"a" + string(r) + "b", "Shop" + string(r) + "!", string(r) + "ab"} {
				err := CheckText("name", text, MaxName)
				if fault.KindOf(err) != fault.Invalid || fault.Of(err).Field != "name" {
					t.Errorf("%s: %+q passes: %v", name, text, err)
				}
			}
		}
	}
}

// The refusal names the character, because nobody can see it.
func TestCheckText_NamesTheCharacter(t *testing.T) {
	t.Parallel()
	err := CheckText("name", "Shop\u202e", MaxName)
	if err == nil || !strings.Contains(err.Error(), "U+202E") {
		t.Errorf("the refusal says %v", err)
	}
}

// What people write passes: emoji that are joined, Persian and Indic texts with
// joiners, right-to-left scripts, flags, and variants of symbols.
func TestCheckText_Visible(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"family":             "👨\u200d👩\u200d👧\u200d👦 shop",
		"profession":         "👩🏽\u200d🚀",
		"heart on fire":      "❤\ufe0f\u200d🔥",
		"rainbow flag":       "🏳\ufe0f\u200d🌈",
		"pirate":             "🏴\u200d☠\ufe0f",
		"runner":             "🏃🏽\u200d♀\ufe0f",
		"to the right":       "🏃\u200d➡\ufe0f, 🙂\u200d↔\ufe0f",
		"keycap":             "1\ufe0f\u20e3 #\ufe0f\u20e3",
		"England":            "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
		"country":            "🇩🇪",
		"skin":               "👍🏿",
		"text symbols":       "☎\ufe0e ©\ufe0f ™\ufe0f ↔\ufe0f ‼\ufe0f ㊗\ufe0f 〰\ufe0f",
		"Persian":            "می\u200cخواهم",
		"Persian plural":     "کتاب\u200cها",
		"Persian mark":       "نامه\u0654\u200cای",
		"Hindi":              "क्\u200dष क्\u200cष",
		"Bengali":            "র\u200d্যাব, ত্\u200d",
		"Sinhala":            "ශ්\u200dරී ලංකා",
		"Malayalam":          "ന്\u200d, അവന്\u200d വന്നു",
		"Japanese name":      "葛\U000e0100飾",
		"Mongolian":          "ᠮᠣᠩᠭᠣᠯ\u180bᠪᠢ\u180eᠠ",
		"Hebrew":             "חנות הספרים",
		"Arabic":             "متجر الكتب، ١٢٣",
		"Arabic number sign": "\u0600١٢",
		"Thai":               "ร้านหนังสือ",
		"Vietnamese":         "Tiệm sách",
		"decomposed":         "Cafe\u0301",
		"blanks":             "12\u202f500\u00a0€\u3000円",
		"Korean":             "서점",
	} {
		if err := CheckText("name", text, MaxName); err != nil {
			t.Errorf("%s: %+q is refused: %v", name, text, err)
		}
		if got := Visible(text); got != text {
			t.Errorf("%s: Visible changes %+q to %+q", name, text, got)
		}
	}
}

// A joiner, a selector or a tag where it joins nothing is invisible.
func TestCheckText_OutOfPlace(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"two joiners":             "👩\u200d\u200d🚀",
		"joiner at the end":       "👩\u200d",
		"joiner before a letter":  "👩\u200da",
		"joiner after a letter":   "a\u200d🚀",
		"non-joiner at the end":   "کتاب\u200c",
		"non-joiner and space":    "کتاب\u200c ها",
		"non-joiner and Latin":    "کتاب\u200ca",
		"two non-joiners":         "کتاب\u200c\u200cها",
		"joiner in Cyrillic":      "ма\u200dгазин",
		"joiner in Chinese":       "书\u200d店",
		"two selectors":           "❤\ufe0f\ufe0f",
		"selector of a digit":     "1\ufe0f2",
		"selector after a blank":  "a \ufe0f",
		"ideographic after Latin": "a\U000e0100",
		"tags without an end":     "🏴\U000e0067\U000e0062",
		"tags in the middle":      "🏴 \U000e0067\U000e007f",
		"a message in tags":       "🏴" + strings.Repeat("\U000e0067", 7) + "\U000e007f",
		"between accents":         "e\u0301\u200c\u0301",
		"tags of nothing":         "🏴\U000e007f",
		"tag after another emoji": "👍\U000e0067\U000e007f",
	} {
		if err := CheckText("name", text, MaxName); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %+q passes: %v", name, text, err)
		}
	}
}

// Visible drops exactly what Problem names.
func TestVisible(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                           "",
		"a\u202eb\u200bc":            "abc",
		"Mozilla/5.0 (X\x00; \xff\n": "Mozilla/5.0 (X; \n",
		"👩\u200d\u200d🚀":             "👩🚀",
		"\u200f\ufeff\U000e0041":     "",
	} {
		if got := Visible(text); got != want {
			t.Errorf("Visible(%+q) = %+q, want %+q", text, got, want)
		}
	}
}

// No format character of Unicode passes beside Latin letters, unless it prints.
func TestCheckText_EveryFormatCharacter(t *testing.T) {
	t.Parallel()
	for r := rune(1); r <= unicode.MaxRune; r++ {
		if !unicode.In(r, unicode.Cf, unicode.Cc, unicode.Bidi_Control, unicode.Other_Default_Ignorable_Code_Point,
			unicode.Variation_Selector, unicode.Noncharacter_Code_Point) ||
			unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
			continue
		}
		if err := CheckText("name", fmt.Sprintf("a%cb", r), MaxName); err == nil {
			t.Errorf("%U passes", r)
		}
	}
}

func FuzzVisible(f *testing.F) {
	for _, seed := range []string{"Shop", "a\u202eb", "👩\u200d🚀", "\xff\n", "می\u200cخواهم", "🏴\U000e0067\U000e007f"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Visible(text)
		if problem, found := Problem(got); found {
			t.Fatalf("Visible(%+q) = %+q, which holds %s", text, got, problem)
		}
		if _, found := Problem(text); !found && got != text {
			t.Fatalf("Visible changes %+q to %+q", text, got)
		}
	})
}
