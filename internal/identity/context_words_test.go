package identity

import (
	"errors"
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

// Passwords that everybody guesses first are refused, however they are written.
func TestCheckPassword_Common(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"1234567890", "qwertyuiop", "password123", "PASSWORD123", "Password1234", " password123 ",
		"iloveyou123", "letmein123", "sunshine123", "monkey12345", "Sunshine2024!", "m0nkey12345",
		"P@ssw0rd2026", "123monkey123",
		"Summer2026!", "dragon1234567890", "monkey111111111", "tigertiger12", "Bitcoin2025", "qwertz12345",
		"!!!Welcome1",
		"123qweasdzxc", "1q2w3e4r5t6y", "ｐａｓｓｗｏｒｄ１２３", "california", "Christopher", "supersecret",
		"aaaaaaaaaa", "1111111111111", "abababababab", "ÜÜÜÜÜÜÜÜÜÜÜÜ", "          ", "0101010101",
	} {
		wantInvalid(t, text, checkPassword(secret.New(text), email), "password")
	}
	for _, text := range []string{
		password, "sandbox-merchant", "monkey81746302", "sunshine and 123 rain", "brassy-tigers-4",
		"correct horse battery staple",
		"password123 is not all of it", "vier Worte auf Deutsch", "πέντε λέξεις",
	} {
		if err := checkPassword(secret.New(text), email); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// The list has the ten thousand most common passwords that are long enough for anybody to have.
func TestCommonPasswords(t *testing.T) {
	t.Parallel()
	all := commonPasswords()
	if len(all) != 10_000 {
		t.Errorf("the list has %d passwords", len(all))
	}
	for p := range all {
		if err := checkPassword(secret.New(strings.ToUpper(p)), email); err == nil {
			t.Errorf("%q passes in capitals", p)
		}
	}
}

// Every way to a new password refuses common ones.
func TestService_CommonPassword(t *testing.T) {
	t.Parallel()
	b := newBundle()
	u := b.mustCreateUser(t)
	common := secret.New("Password123")
	_, err := b.CreateUser(t.Context(), NewUser{Email: "eve@example.com", Password: common}, audit.Act{})
	wantInvalid(t, "a new user", err, "password")
	_, err = b.Prepare(t.Context(), NewUser{Email: "eve@example.com", Password: common})
	wantInvalid(t, "a new member of a team", err, "password")
	_, err = b.ChangePassword(t.Context(), u, secret.New(password), common, audit.Act{})
	wantInvalid(t, "a changed password", err, "password")
	token, _ := resetToken.New(b.opts.Random)
	if _, err = b.FinishReset(t.Context(), token.Reveal(), common, audit.Act{}); errors.Is(err, ErrBadReset) {
		t.Error("the link was used up before the password was checked")
	}
	wantInvalid(t, "a reset password", err, "password")
}
