package dashboard

import "time"

// QuickProps is the result of the search dialog.
type QuickProps struct {
	Text string
	Rows []PaymentRow
	Now  time.Time
	// LookedTo is how far the search has come, and NextURL where it goes on, if there may be more than the rows.
	LookedTo time.Time
	NextURL  string
}
