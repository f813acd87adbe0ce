package operator

import (
	"time"

	"github.com/florinpay/florin/views/panel"
)

// SweepsProps lists the transactions of settlement.
type SweepsProps struct {
	panel.Frame

	Waiting []panel.Notice // networks whose settlement waits, and why
	Savings []SavingRow
	Rows    []SweepRow
	NextURL string
}

// SweepRow is one transaction of settlement.
type SweepRow struct {
	ID, Network, State, Meaning, Cost, Hash, HashURL, Note string
	Addresses, Moved, Attempts                             int64
	CreatedAt, EndedAt                                     time.Time
}

// SavingRow is what the sweeps of a week cost on a network, and what they would have cost with one for every payment.
type SavingRow struct {
	Network, Cost, Singles, Saved string
	Payments, Sweeps              int
}
