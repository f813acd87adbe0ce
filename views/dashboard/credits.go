package dashboard

import (
	"time"

	"github.com/florinpay/florin/views/panel"
)

// CreditsProps is a key's book.
type CreditsProps struct {
	panel.Frame

	Key              panel.KeyChoice
	HasKey           bool
	Problem          string
	Credits, Queries int64
	Buy              panel.Field
	Price            string
	Rows             []EntryRow
	NextURL          string
}

// EntryRow is a line of the book.
type EntryRow struct {
	At    time.Time
	Text  string
	TxnID string // of the payment it belongs to; may be empty
	Count int64  // negative: spent
	Unit  string
}
