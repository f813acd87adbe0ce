package account

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/florinpay/florin/internal/fault"
)

// Limits of what may be said, in characters: enough for any name, small enough
// to lay out.
const (
	maxName    = 100
	maxLabel   = 100
	maxTagline = 160
	maxSecret  = 256
	maxURL     = 2048
)

// cleanText returns the text without the space around it, or fault.Invalid
// naming the field: it must be UTF-8, at most the number of characters, and
// hold nothing that does not print.
func cleanText(field, text string, most int) (string, error) {
	text = strings.TrimSpace(text)
	if err := checkText(field, text, most); err != nil {
		return "", err
	}
	return text, nil
}

func checkText(field, text string, most int) error {
	if len(text) > most*utf8.UTFMax || utf8.RuneCountInString(text) > most {
		return fault.New(fault.Invalid, "%s must have at most %d characters", field, most)
	}
	if !utf8.ValidString(text) {
		return fault.New(fault.Invalid, "%s must be text in UTF-8", field)
	}
	if strings.ContainsFunc(text, hidden) {
		return fault.New(fault.Invalid, "%s must not hold control characters", field)
	}
	return nil
}

// hidden reports characters that do not print but change what is around them:
// controls, line separators, and the overrides of writing direction, with
// which one name can be made to look like another.
func hidden(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return true
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
		return true
	}
	return r == utf8.RuneError || r == '\ufeff'
}

// cleanWebAddress returns an absolute https URL without credentials, or an
// empty text for an empty one, which clears the field.
func cleanWebAddress(field, text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", nil
	}
	if err := checkText(field, text, maxURL); err != nil {
		return "", err
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return "", fault.New(fault.Invalid, "%s must be an https URL such as https://example.com/page", field)
	}
	return text, nil
}

// cleanColour returns a colour as #rrggbb in lower case; empty for an empty text.
func cleanColour(field, text string) (string, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" {
		return "", nil
	}
	digits, ok := strings.CutPrefix(text, "#")
	if !ok || strings.Trim(digits, "0123456789abcdef") != "" || (len(digits) != 3 && len(digits) != 6) {
		return "", fault.New(fault.Invalid, "%s must be a colour such as #09f or #0099ff", field)
	}
	if len(digits) == 3 {
		d := digits
		digits = string([]byte{d[0], d[0], d[1], d[1], d[2], d[2]})
	}
	return "#" + digits, nil
}
