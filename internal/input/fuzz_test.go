package input

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzEmail(f *testing.F) {
	for _, seed := range []string{"ada@example.com", " A@B ", "a@b@c", "ada\r\n@example.com", "ädа@example.com"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Email("email", text)
		if err != nil {
			return
		}
		if again, err := Email("email", got); err != nil || again != got {
			t.Fatalf("%q is not normal: %q, %v", got, again, err)
		}
		if len(got) > maxEmail || strings.ContainsAny(got, " \r\n,;<>\"") || strings.Count(got, "@") != 1 {
			t.Fatalf("%q passes", got)
		}
	})
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{"Shop", " \t", "a\x00", "\u202e", "\xff", strings.Repeat("ü", 101)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Text("name", text, MaxName)
		if err != nil {
			return
		}
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\r\n\x1b") || utf8.RuneCountInString(got) > MaxName {
			t.Fatalf("%q passes", got)
		}
		if again, err := Text("name", got, MaxName); err != nil || again != got {
			t.Fatalf("%q is not clean: %q, %v", got, again, err)
		}
	})
}

func FuzzURL(f *testing.F) {
	for _, seed := range []string{"https://shop.example/a?b#c", "https://u:p@h", "javascript:alert(1)", "https:///", "HTTPS://[::1]:9/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := URL("website", text)
		if err != nil || got == "" {
			return
		}
		if u, err := url.Parse(got); err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
			len(got) > 4*MaxURL {
			t.Fatalf("%q passes", got)
		}
	})
}

func FuzzColour(f *testing.F) {
	for _, seed := range []string{"#09F", "#0099ff", "#", "#12", "red", "#fff;"} {
		f.Add(seed)
	}
	form := regexp.MustCompile(`^(#[0-9a-f]{6})?$`)
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := Colour("primaryColor", text); err == nil && !form.MatchString(got) {
			t.Fatalf("%q gives %q", text, got)
		}
	})
}
