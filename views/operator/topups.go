package operator

import (
	"time"

	"github.com/florinpay/florin/views/panel"
)

// TopUpsProps lists purchases of credits.
type TopUpsProps struct {
	panel.Frame

	Rows    []TopUpRow
	NextURL string
}

// TopUpRow is a purchase of credits.
type TopUpRow struct {
	TxnID, Email, Label, Amount, Status, Network, Hash, HashURL string
	Credits, Credited                                           int64 // asked for; bought so far
	CreatedAt                                                   time.Time
}
