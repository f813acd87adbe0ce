package shell_test

import (
	"testing"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/shell"
)

// A refusal that was stored is read in the language of its reader, with its numbers and the words within it.
func TestSaid_Refusal(t *testing.T) {
	for _, row := range []struct {
		name         string
		err          *fault.Error
		german, said string
	}{
		{
			"without a translation", fault.New(fault.Conflict, "nobody has translated this"),
			"Nobody has translated this.", "Nobody has translated this.",
		},
		{
			"a number", fault.New(fault.Conflict, "a team has at most %d members and open invitations", 50),
			"Ein Team hat höchstens 50 Mitglieder und offene Einladungen.",
			"A team has at most 50 members and open invitations.",
		},
		{
			"an amount", fault.About(fault.Invalid, "keepOver", "must be between 0 and %s", 1500*money.USD),
			"muss zwischen 0 und 1.500 liegen", "must be between 0 and 1,500",
		},
	} {
		words, _ := row.err.Sentence()
		kept := mail.Refusal(words).Kept()
		if got := shell.Said(views.LocaleFor("de"), kept); got != row.german {
			t.Errorf("%s: %q, want %q", row.name, got, row.german)
		}
		if got := shell.Said(views.LocaleFor("en"), kept); got != row.said {
			t.Errorf("%s: %q, want %q", row.name, got, row.said)
		}
		if got, want := mail.Said(kept, mail.Words.English), words.String(); got != want {
			t.Errorf("%s: %q, want %q", row.name, got, want)
		}
	}
}
