package identity

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/secret"
)

// around is what a person who knows the user tries first.
var around = []string{
	"ada.lovelace@nordlicht.example", "Ada", "Lovelace", "Müller & Söhne Café", "pay.kornblume.example",
}

// A password that a person guesses who knows its user is refused, however the word is
// written, and one that has more to it is taken.
func TestContextWord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"florin2026!":               "florin",
		"My-FLORIN-secret":          "florin",
		"FlorinPay123":              "florin",
		"fl0r1n-is-safe":            "florin",
		"f.l.o.r.i.n 2026":          "florin",
		"ｆｌｏｒｉｎ 2026 horse":         "florin",
		"lovelace-battery":          "lovelace",
		"Ada.Lovelace1815":          "adalovelace",
		"nordlicht and more":        "nordlicht",
		"N0RDL1CHT horse":           "nordlicht",
		"mueller kauft cafe":        "café",
		"muller kauft kaffee":       "müller",
		"Söhne gegen alle":          "söhne",
		"sohne gegen alle":          "söhne",
		"kornblume forever":         "kornblume",
		"ada1234567":                "ada",
		"ada1234567890":             "ada",
		"AdaAdaAda12":               "ada",
		"merchant2026":              "merchant",
		"Payment-Owner-1":           "payment",
		"usdtusdcusdt":              "usdc",
		"canada geese fly low":      "",
		"my wallet is a green frog": "",
		"correct horse battery":     "",
		"sandbox-merchant":          "",
	} {
		got, ok := contextWord(text, around)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q is refused for %q (%t), want %q", text, got, ok, want)
		}
	}
}

// Every way to a new password knows the words around its user, and says which it found.
func TestService_ContextWords(t *testing.T) {
	t.Parallel()
	b := newBundle()
	b.opts.Words = []string{"kornblume"}
	u := b.mustCreateUser(t)
	b.store.names = map[int64][]string{u.ID: {"Nordlicht"}}
	in := NewUser{Email: "grace.hopper@example.com", FirstName: "Rosalind", LastName: "Franklin", Team: u.ID}
	for _, word := range []string{"florin", "hopper", "rosalind", "franklin", "nordlicht", "kornblume"} {
		in.Password = secret.New("a " + word + " of 1906")
		_, err := b.Prepare(t.Context(), in)
		wantInvalid(t, word, err, "password")
		if err == nil || !strings.Contains(err.Error(), "“"+word+"”") {
			t.Errorf("%s: the refusal is %v", word, err)
		}
	}
	for _, word := range []string{"florin", "nordlicht", "kornblume"} {
		next := secret.New("the " + word + " of 1906")
		_, err := b.ChangePassword(t.Context(), u, secret.New(password), next, audit.Act{})
		wantInvalid(t, "a changed password with "+word, err, "password")
	}
}
