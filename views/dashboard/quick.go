package dashboard

import "time"

// QuickProps is what the search dialog found.
type QuickProps struct {
	Text string
	Rows []PaymentRow
	Now  time.Time
}
