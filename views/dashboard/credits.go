package dashboard

import (
	"time"

	"github.com/florinpay/florin/views/panel"
)

// CreditsProps is the ledger account of a key.
type CreditsProps struct {
	panel.Frame

	Key              panel.KeyChoice
	Free             bool // nothing is metered here, so nothing is sold
	HasKey           bool
	Problem          string
	Credits, Queries int64
	Buy              panel.Field
	Price            string
	Rows             []EntryRow
	NextURL          string
}

// EntryRow is a ledger entry.
type EntryRow struct {
	At    time.Time
	Text  string
	TxnID string // of the payment it belongs to; may be empty
	Count int64  // negative: spent
	Unit  string
}
