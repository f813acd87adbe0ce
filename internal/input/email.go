package input

import (
	"regexp"
	"strings"
	"sync"

	"github.com/florinpay/florin/internal/fault"
)

const (
	maxEmail      = 254 // RFC 5321, errata 1690
	maxEmailLocal = 64
)

// emailForm is the grammar by which browsers validate an e-mail address in a form (HTML Living Standard, "valid e-mail
// address"), so that the page and the server agree.
var emailForm = sync.OnceValue(func() *regexp.Regexp {
	const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
	return regexp.MustCompile("^[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@" + label + "(?:\\." + label + ")*$")
})

// Email returns the address in the form users are stored under: in lower case
// and without space around it. No mail provider in use distinguishes case. It
// fails with fault.Invalid.
func Email(field, text string) (string, error) {
	if len(text) > 2*maxEmail {
		return "", fault.About(fault.Invalid, field, "must have at most %d characters", maxEmail)
	}
	email := strings.ToLower(strings.TrimSpace(text))
	if email == "" {
		return "", fault.About(fault.Invalid, field, "is missing")
	}
	local, _, _ := strings.Cut(email, "@")
	if len(email) > maxEmail || len(local) > maxEmailLocal || !emailForm().MatchString(email) {
		return "", fault.About(fault.Invalid, field, "must be an e-mail address such as name@example.com")
	}
	return email, nil
}

// OptionalEmail is Email for a field that an empty text clears.
func OptionalEmail(field, text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", nil
	}
	return Email(field, text)
}
