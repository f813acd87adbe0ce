// Package input checks the texts that users and merchants enter. Every check
// takes the name of the field, and its refusal names that field.
package input

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/florinpay/florin/internal/fault"
)

// Limits in characters: enough for any name, small enough to lay out.
const (
	MaxName = 100
	MaxURL  = 2048
)

// Text returns a text of one line as it is stored, or fails with fault.Invalid: what Mended mends, without the space
// around it, and with a space where it has the end of a line.
func Text(field, text string, most int) (string, error) {
	text = strings.TrimSpace(strings.ReplaceAll(strings.TrimSpace(Mended(text)), "\n", " "))
	if err := CheckText(field, text, most); err != nil {
		return "", err
	}
	return text, nil
}

// Lines returns a text of several lines as it is stored, or fails with fault.Invalid: what Mended mends, each line
// ended by a line feed alone.
func Lines(field, text string, most int) (string, error) {
	text = Mended(text)
	if err := checkLength(field, text, most); err != nil {
		return "", err
	}
	return text, checkShown(field, text)
}

// CheckText refuses, with fault.Invalid, a text that is not UTF-8, has more than most characters or one line, or holds
// characters that do not print. It is for texts that are taken to the letter or not at all, such as secrets; a text for
// people is mended (Text, Lines).
func CheckText(field, text string, most int) error {
	if err := checkLength(field, text, most); err != nil {
		return err
	}
	if err := checkShown(field, text); err != nil {
		return err
	}
	if strings.Contains(text, "\n") {
		return fault.About(fault.Invalid, field, "must be one line")
	}
	return nil
}

func checkLength(field, text string, most int) error {
	if len(text) > most*utf8.UTFMax || utf8.RuneCountInString(text) > most {
		return fault.About(fault.Invalid, field, "must have at most %d characters", most)
	}
	return nil
}

func checkShown(field, text string) error {
	if problem, found := Problem(text); found {
		return fault.About(fault.Invalid, field, "must not hold %s", problem)
	}
	return nil
}

// URL returns an absolute https URL without credentials. An empty text is
// allowed and clears the field.
func URL(field, text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", nil
	}
	if err := CheckText(field, text, MaxURL); err != nil {
		return "", err
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" {
		return "", fault.About(fault.Invalid, field, "must be an https URL such as https://example.com/page")
	}
	return text, CheckAuthority(field, u)
}

// Origin returns the scheme and the host of an absolute http or https address; ok is false if a text is none. What
// follows them is not read: browsers take paths and queries that url.Parse refuses, such as a bare percent sign.
func Origin(text string) (u *url.URL, ok bool) {
	scheme, rest, ok := strings.Cut(text, "://")
	if end := strings.IndexAny(rest, `/?#\`); end >= 0 { // browsers read a backslash as a slash
		rest = rest[:end]
	}
	u, err := url.Parse(scheme + "://" + rest)
	if !ok || err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Hostname() == "" {
		return nil, false
	}
	return u, true
}

// CheckAuthority refuses, with fault.Invalid, a URL with a user name, with a host that cannot exist, or with a port
// that is not from 1 to 65535.
func CheckAuthority(field string, u *url.URL) error {
	if u.User != nil {
		return fault.About(fault.Invalid, field, "must not hold a user name or a password")
	}
	if err := checkHost(field, u); err != nil || u.Port() == "" {
		return err
	}
	if n, err := strconv.ParseUint(u.Port(), 10, 16); err != nil || n == 0 {
		return fault.About(fault.Invalid, field, "has the port %s, which does not exist: ports are 1 to 65535", u.Port())
	}
	return nil
}

// Colour returns a colour as #rrggbb in lower case. An empty text is allowed
// and clears the field.
func Colour(field, text string) (string, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" {
		return "", nil
	}
	digits, ok := strings.CutPrefix(text, "#")
	if !ok || strings.Trim(digits, "0123456789abcdef") != "" || (len(digits) != 3 && len(digits) != 6) {
		return "", fault.About(fault.Invalid, field, "must be a colour such as #09f or #0099ff")
	}
	if len(digits) == 3 {
		d := digits
		digits = string([]byte{d[0], d[0], d[1], d[1], d[2], d[2]})
	}
	return "#" + digits, nil
}
