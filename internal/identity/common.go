package identity

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"
)

// commonList holds the 10,000 most common passwords of at least MinPassword characters, in lower case, one a line. They
// come from “10 Million Passwords” by Mark Burnett and the 10,000 most common of OWASP SecLists
// (https://github.com/danielmiessler/SecLists), under CC BY-SA 3.0 and MIT.
//
//go:embed common_passwords.txt.gz
var commonList []byte

// commonPasswords returns the list. It is read when the first password is set.
var commonPasswords = sync.OnceValue(func() map[string]struct{} {
	z, err := gzip.NewReader(bytes.NewReader(commonList))
	if err != nil {
		panic("identity: the list of common passwords: " + err.Error())
	}
	text, err := io.ReadAll(z)
	if err != nil {
		panic("identity: the list of common passwords: " + err.Error())
	}
	list := make(map[string]struct{}, bytes.Count(text, []byte("\n")))
	for line := range strings.Lines(string(text)) {
		list[strings.TrimSuffix(line, "\n")] = struct{}{}
	}
	return list
})

// minDistinct is how many different characters a password needs: "1212121212" is guessed as early as a common one.
const minDistinct = 4

// isCommon reports whether a password is guessed by its first ten thousand tries: it is on the list, whatever its case
// and form of characters, or repeats very few characters (NIST SP 800-63B, section 3.1.1.2).
func isCommon(password string) bool {
	text := strings.ToLower(strings.TrimSpace(norm.NFKC.String(password)))
	distinct := make(map[rune]struct{})
	for _, r := range text {
		distinct[r] = struct{}{}
	}
	_, listed := commonPasswords()[text]
	return listed || len(distinct) < minDistinct
}
