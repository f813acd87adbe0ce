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
	Full    bool          // no more keys are allowed
	// Reauth is the re-authentication of the forms about a key.
	Reauth panel.Reauth
}

// FreshKey is a new key. Its text is shown once.
type FreshKey struct{ Text, Label string }

// KeyRow is one API key.
type KeyRow struct {
	ID, Label, Wallet     string
	Credits, Queries      int64
	CreatedAt, LastUsedAt time.Time
	RevokedAt, DisabledAt time.Time
	Custodian             bool
	// Problem belongs to the forms that change this key.
	Problem string
	Rename  panel.Field
}
