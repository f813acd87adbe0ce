package web

import (
	"html"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// TestAuditLog_Actions: each act is said in each language.
func TestAuditLog_Actions(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../internal/audit/audit.go")
	must(t, err)
	actions := regexp.MustCompile(`Action = "(.+)"`).FindAllStringSubmatch(string(source), -1)
	if len(actions) < 80 {
		t.Fatalf("found %d actions", len(actions))
	}
	for _, l := range views.Languages()[1:] {
		locale := views.LocaleFor(l.Tag)
		for _, action := range actions {
			row := session.AuditRow(locale, audit.Entry{Action: audit.Action(action[1])})
			if !locale.Has(row.Action) {
				t.Errorf("%s: %q is said in English", l.Tag, row.Action)
			}
		}
	}
}

// inGerman fails unless each language has the words of all entries, and the page of a user shows the user's in German.
func (d *diary) inGerman(s *surfer, user int64) {
	t := d.b.t
	t.Helper()
	german := views.LocaleFor("de")
	page := html.UnescapeString(s.get("/dashboard/security?lang=de").body)
	shows := func(text string) bool {
		return strings.Contains(page, ">"+text+"<") || strings.Contains(page, "("+text+")")
	}
	for _, id := range d.of {
		entries, err := d.b.store.Merchant().AuditLog(t.Context(), id, id, 0, 500)
		must(t, err)
		for i, e := range entries {
			for _, text := range []string{e.Subject, e.Detail} {
				for _, l := range views.Languages()[1:] {
					if locale := views.LocaleFor(l.Tag); !shell.Knows(locale, mail.Words{Below: text}) {
						t.Errorf("%s lacks words of %q: %q", l.Tag, e.Action, inEnglish(text))
					}
				}
				said, english := shell.Said(german, text), inEnglish(text)
				if id != user || i >= session.PageRows || said == english {
					continue
				}
				if !shows(said) || shows(english) {
					t.Errorf("the page shows %q of %q in English, not %q", english, e.Action, said)
				}
			}
		}
	}
	for _, control := range "\x02\x1f\x03" {
		if strings.ContainsRune(page, control) {
			t.Error("the page shows words that are stored as they are stored")
		}
	}
}
