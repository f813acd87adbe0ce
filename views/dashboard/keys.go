package dashboard

import (
	"time"

	"github.com/florinpay/florin/views"
)

// CreateProps makes a payment by hand.
type CreateProps struct {
	Frame

	Key     KeyChoice
	HasKey  bool
	Problem string
	Fields  []Field
	More    []Field // what is needed less often
	Open    bool    // shows More
}

// CreatedProps is a payment that was just made.
type CreatedProps struct {
	Frame

	TxnID, Amount, Link string
	QR                  views.QR
	Snippet             string
	ExpiresAt           time.Time
}

// KeysProps lists a merchant's API keys.
type KeysProps struct {
	Frame

	Problem string
	Fresh   FreshKey
	Rows    []KeyRow
	Fields  []Field // of a new key
	Full    bool    // there are as many as there may be
	// Proof asks once more who is there.
	Proof Proof
}

// FreshKey is a key that was just made; its text is shown only now.
type FreshKey struct{ Text, Label string }

// KeyRow is one API key.
type KeyRow struct {
	ID, Label, Wallet     string
	Credits, Queries      int64
	CreatedAt, LastUsedAt time.Time
	RevokedAt, DisabledAt time.Time
	Custodian             bool
	// Problem is of the forms that change this key.
	Problem string
	Rename  Field
}

// CreditsProps is a key's book.
type CreditsProps struct {
	Frame

	Key              KeyChoice
	HasKey           bool
	Problem          string
	Credits, Queries int64
	Buy              Field
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
