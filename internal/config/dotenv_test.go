package config

import (
	"slices"
	"strings"
	"testing"
)

func TestParseDotenv(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []assignment
	}{
		"empty":           {"", nil},
		"comments":        {"# a\n\n   # b\r\n", nil},
		"bare":            {"A=b c # d", []assignment{{"A", "b c", 1}}},
		"tab comment":     {"A=b\t# d", []assignment{{"A", "b", 1}}},
		"hash inside":     {"A=b#c", []assignment{{"A", "b#c", 1}}},
		"hash first":      {"A=#c", []assignment{{"A", "", 1}}},
		"no value":        {"A=\nB= ", []assignment{{"A", "", 1}, {"B", "", 2}}},
		"spaces":          {"  A =  b  ", []assignment{{"A", "b", 1}}},
		"equal signs":     {"A=b=c==", []assignment{{"A", "b=c==", 1}}},
		"export":          {"export A=b", []assignment{{"A", "b", 1}}},
		"exported name":   {"exportA=b", []assignment{{"exportA", "b", 1}}},
		"single":          {`A='b # "c" \n $D'`, []assignment{{"A", `b # "c" \n $D`, 1}}},
		"double":          {`A="b \"c\"\n\t\\ \$D 'e'" # f`, []assignment{{"A", "b \"c\"\n\t\\ $D 'e'", 1}}},
		"dollar":          {"A=$B${C}", []assignment{{"A", "$B${C}", 1}}},
		"windows":         {"\ufeffA=b\r\nB='c'\r\n", []assignment{{"A", "b", 1}, {"B", "c", 2}}},
		"quote inside":    {"A=it's", []assignment{{"A", "it's", 1}}},
		"empty quotes":    {`A=""` + "\n" + `B=''`, []assignment{{"A", "", 1}, {"B", "", 2}}},
		"line numbers":    {"\n\nA=b", []assignment{{"A", "b", 3}}},
		"digits in names": {"_A1=b", []assignment{{"_A1", "b", 1}}},
	} {
		got, err := parseDotenv(c.text)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: parseDotenv(%q) = %v, %v; want %v", name, c.text, got, err, c.want)
		}
	}
}

func TestParseDotenv_Refuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no equal sign":     "A",
		"no name":           "=canary",
		"bad name":          "A-B=canary",
		"digit first":       "1A=canary",
		"space in name":     "A B=canary",
		"open single":       "A='canary",
		"open double":       `A="canary`,
		"escaped end":       `A="canary\"`,
		"lone backslash":    `A="canary\`,
		"unknown escape":    `A="canary\x41"`,
		"text after quotes": `A='canary'b`,
		"twice":             "A=canary\nA=canary2",
		"NUL":               "A=canary\x00",
		"not UTF-8":         "A=canary\xff",
		"too large":         "A=" + strings.Repeat("canary", maxDotenv/6+1),
	} {
		got, err := parseDotenv(text)
		if err == nil {
			t.Errorf("%s: parseDotenv gave %d assignments; want an error", name, len(got))
		} else if strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: the message holds the value: %v", name, err)
		}
	}
}

func FuzzParseDotenv(f *testing.F) {
	for _, seed := range []string{"A=b", "export A='b' # c", `A="b\n\"c"`, "\ufeff#\r\n", "A=\nB==", `A="\\`, "é=ü"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseDotenv(text)
		if err != nil {
			if list != nil {
				t.Fatalf("assignments %v came with the error %v", list, err)
			}
			return
		}
		for i, a := range list {
			if !assigns.MatchString(a.name+"=") || a.line < 1 || i > 0 && a.line <= list[i-1].line {
				t.Fatalf("assignment %+v", a)
			}
			again, err := parseDotenv(a.name + "=" + quoteValue(a.value))
			if err != nil || len(again) != 1 || again[0].value != a.value {
				t.Fatalf("%q does not survive being written: %v, %v", a.value, again, err)
			}
		}
	})
}
