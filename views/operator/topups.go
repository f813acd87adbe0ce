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
	Credits                                                     int64
	CreatedAt                                                   time.Time
}
