package operator

import (
	"time"

	"github.com/florinpay/florin/views/panel"
)

// TroubleProps lists what waits for a person, or for too long.
type TroubleProps struct {
	panel.Frame

	Notices    []panel.Notice
	Deliveries []LateRow
	Sweeps     []SweepRow
	Deposits   []LeftRow
	Reorged    []ReorgRow
	Most       int // of each list
}

// LateRow is a webhook that is overdue.
type LateRow struct {
	TxnID, Email, Event string
	Made                int64
	DueAt               time.Time
}

// LeftRow is money that is not on its way to the merchant.
type LeftRow struct {
	TxnID, Email, Network, Amount, Why string
	// Command is what brings it home, cut where a line may end.
	Command []string
	FinalAt time.Time
}

// ReorgRow is a payment whose money vanished after it was completed.
type ReorgRow struct {
	TxnID, Email, Network, Amount, Hash, HashURL string
	EndedAt                                      time.Time
}
