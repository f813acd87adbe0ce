package dashboard

import "time"

// QuickProps is the result of the search dialog.
type QuickProps struct {
	Text string
	Rows []PaymentRow
	Now  time.Time
}
