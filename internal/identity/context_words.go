package identity

import (
	"net"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The words that a password must not be made of (ASVS 5.0, 6.1.2): those of the
// service, of the user (names, e-mail address), of their shop (names and owner's
// address), of the installation (host name), and of the trade.
var (
	// serviceWords are refused wherever a password has them.
	serviceWords = []string{"florin"}
	// tradeWords are too common in good passwords to be refused by themselves: they do
	// not count towards what a password is made of.
	tradeWords = []string{
		"account", "admin", "administrator", "business", "cash", "checkout", "coin", "coins", "company", "contact",
		"crypto", "customer", "dashboard", "developer", "example", "gmail", "hello", "info", "localhost", "login",
		"mail", "merchant", "money", "office", "online", "operator", "owner", "password", "payment", "payments",
		"root", "sales", "shop", "shops", "signin", "stablecoin", "store", "support", "team", "tether", "usdc",
		"usdt", "user", "viewer", "wallet", "welcome",
	}
)

const (
	// minContextWord is how long a word is at least that a password must not have
	// anywhere. Shorter ones are in many others.
	minContextWord = 4
	// minBesideWords is how many letters a password has beside words of its context.
	minBesideWords = 6
)

// contextWord returns the word that makes the password easy to guess for a person who
// knows its user; ok is false without one. texts are the names and addresses around
// the user. Case, accents, signs in between and digits for letters do not hide a word.
func contextWord(password string, texts []string) (word string, ok bool) {
	folded := foldWord(password)
	words := append(slices.Clone(serviceWords), wordsOf(texts)...)
	for _, w := range words {
		if f := foldWord(w); utf8.RuneCountInString(f) >= minContextWord && !slices.Contains(tradeWords, w) &&
			strings.Contains(folded, f) {
			return w, true
		}
	}
	words = append(words, tradeWords...)
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	if word, ok = onlyWords(password, words, plainWord); !ok {
		word, ok = onlyWords(password, words, foldWord)
	}
	return word, ok
}

// onlyWords returns a word of a password that has hardly any letters beside the words,
// the longest of which come first.
func onlyWords(password string, words []string, fold func(string) string) (word string, ok bool) {
	rest := fold(password)
	for _, w := range words {
		f := fold(w)
		if utf8.RuneCountInString(f) < minContextWord-1 || !strings.Contains(rest, f) {
			continue
		}
		rest = strings.ReplaceAll(rest, f, " ")
		if !ok {
			word, ok = w, true
		}
	}
	letters := 0
	for _, r := range rest {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return word, ok && letters < minBesideWords
}

// wordsOf returns the words of names and addresses in lower case, each text also as a
// whole. The last label of a host name is none.
func wordsOf(texts []string) []string {
	var words []string
	for _, text := range texts {
		local, host, isAddress := strings.Cut(strings.ToLower(text), "@")
		parts := strings.FieldsFunc(local, apart)
		if len(parts) > 1 {
			words = append(words, strings.Join(parts, ""))
		}
		words = append(words, parts...)
		if isAddress {
			words = append(words, hostWords(host)...)
		}
	}
	return words
}

// HostWords returns the words of the host name of a URL, for Options.Words.
func HostWords(base string) []string {
	u, err := url.Parse(base)
	if err != nil || net.ParseIP(u.Hostname()) != nil {
		return nil
	}
	return hostWords(u.Hostname())
}

func hostWords(host string) []string {
	labels := strings.Split(strings.ToLower(host), ".")
	if len(labels) > 1 {
		labels = labels[:len(labels)-1]
	}
	var words []string
	for _, l := range labels {
		words = append(words, strings.FieldsFunc(l, apart)...)
	}
	return words
}

func apart(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// lookalikes are signs that stand for letters in guesses.
var lookalikes = map[rune]rune{
	'0': 'o', '1': 'i', 'l': 'i', '!': 'i', '|': 'i', '3': 'e', '4': 'a', '@': 'a', '5': 's', '$': 's', '7': 't',
	'8': 'b', '9': 'g',
}

// foldWord returns a text in the form in which words are compared: lower case, without
// accents, with letters for the signs that look like them, and no other signs.
func foldWord(text string) string {
	return plainWord(strings.Map(func(r rune) rune {
		if letter, ok := lookalikes[r]; ok {
			return letter
		}
		return r
	}, strings.ToLower(norm.NFKD.String(text))))
}

// plainWord is foldWord with signs as they are.
func plainWord(text string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ToLower(text)) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == ' ' {
			b.WriteRune(r)
		}
	}
	return b.String()
}
