package settings

import "github.com/florinpay/florin/views"

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
