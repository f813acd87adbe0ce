package identity

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"
	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
)

// Length of a password in characters. There are no rules on its composition: they
// make passwords worse (NIST SP 800-63B).
const (
	MinPassword = 10
	MaxPassword = 128
)

const (
	// maxHashing bounds how many passwords are hashed at once: each takes
	// 19 MiB and a core for some 40 ms.
	maxHashing = 2
	// maxWaiting bounds how many more may wait in each queue, about half a second's
	// worth; others are refused instead of piling up.
	maxWaiting = 25
)

// errHashingBusy refuses a sign-in while too many others wait.
var errHashingBusy = fault.Retry(fault.Limited, 5*time.Second, "too many users are signing in at this moment; try again in a few seconds")

// hashing is argon2id with the parameters OWASP recommends.
var hashing = &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// decoyHash is the hash of no user's password, at the cost of a user's. A sign-in for an unknown user
// is checked against it, so that it takes as long as any other and does not
// reveal who has an account.
func decoyHash(cost *argon2id.Params) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s",
		argon2.Version, cost.Memory, cost.Iterations, cost.Parallelism, "gL0EWwnkp+F2e7PGKSHRXg$h6rrFwTmZqj6S03P1YVYKBtXczLVBjP4p3/18G9euS4")
}

// checkPassword refuses a password that breaks a rule for this user.
func checkPassword(password secret.Text, email string) error {
	text := password.Reveal()
	chars := utf8.RuneCountInString(text)
	switch {
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return fault.About(fault.Invalid, "password", "must be text in UTF-8")
	case chars < MinPassword:
		return fault.About(fault.Invalid, "password", "must have at least %d characters", MinPassword)
	case chars > MaxPassword:
		return fault.About(fault.Invalid, "password", "must have at most %d characters", MaxPassword)
	case strings.EqualFold(strings.TrimSpace(text), email):
		return fault.About(fault.Invalid, "password", "must not be the e-mail address")
	case isCommon(text):
		return fault.About(fault.Invalid, "password", "is one of those that are guessed first; choose another one")
	}
	return nil
}

// checkWords refuses a password that has a word of its user, their shop, the
// installation or the service.
func (s *Service) checkWords(password secret.Text, around ...string) error {
	if word, found := contextWord(password.Reveal(), append(around, s.opts.Words...)); found {
		return fault.About(fault.Invalid, "password",
			"must not be made of “%s”: words of you, your shop and this service are guessed early", word)
	}
	return nil
}

// checkWordsOf is checkWords for a user who exists.
func (s *Service) checkWordsOf(ctx context.Context, password secret.Text, u User) error {
	shops, err := s.store.ShopNames(ctx, u.ID)
	if err != nil {
		return err
	}
	return s.checkWords(password, append(shops, u.Email, u.FirstName, u.LastName)...)
}

// normalPassword returns the password in the form it is hashed in (NFKC), so
// that the same characters typed on another keyboard match. ok is false for
// one that no user can have.
func normalPassword(password secret.Text) (p secret.Text, ok bool) {
	text := password.Reveal()
	if len(text) > MaxPassword*utf8.UTFMax || !utf8.ValidString(text) {
		return secret.Text{}, false
	}
	return secret.New(norm.NFKC.String(text)), true
}
