package settings

import (
	"strings"
	"unicode"

	"github.com/florinpay/florin/views"
)

// WaitingRow is a change of where money goes that waits.
type WaitingRow struct {
	What        string // completes "a change of …"
	ID, By, Due string
	Changes     []string // one line each, with old and new
}

// StopProps is the page that stops a change, for a user who is not signed in.
type StopProps struct {
	views.Page

	Token   string
	Change  WaitingRow // without an ID: nothing waits
	Stopped bool
}

// address is the address of a wallet that a word of a change is; empty: it is none.
func address(word string) string {
	word = strings.Trim(word, "\u2066\u2068\u2069") // of a text from right to left
	if len(word) < 32 || strings.ContainsFunc(word, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N) }) {
		return ""
	}
	return word
}
