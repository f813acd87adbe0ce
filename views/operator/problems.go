package operator

import (
	"time"

	"github.com/florinpay/florin/views/panel"
)

// ProblemsProps lists work that waits for the operator, or waits for too long.
type ProblemsProps struct {
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

// LeftRow is a final deposit that no settlement transaction moves.
type LeftRow struct {
	TxnID, Email, Network, Amount, Why string
	// Command moves it to the merchant, in parts where a line may break.
	Command []string
	FinalAt time.Time
}

// ReorgRow is a completed payment whose deposit a reorg removed.
type ReorgRow struct {
	TxnID, Email, Network, Amount, Hash, HashURL string
	EndedAt                                      time.Time
}
