package dashboard

import (
	"time"

	"github.com/florinpay/florin/views/panel"
)

// KeysProps lists a merchant's API keys.
type KeysProps struct {
	panel.Frame

	Problem string
	Fresh   FreshKey
	Rows    []KeyRow
	Fields  []panel.Field // of a new key
	Full    bool          // there are as many as there may be
	// Proof asks once more who is there.
	Reauth panel.Reauth
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
	Rename  panel.Field
}
