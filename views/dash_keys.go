package views

import "time"

// KeysProps is the list of API keys.
//
//	GET  /dashboard/keys                 Keys
//	POST /dashboard/keys                 fields label, wallet      → 200 Keys with Secret
//	POST /dashboard/keys/{key}/label     field label               → 303 /dashboard/keys
//	GET  /dashboard/keys/{key}/rotate    Confirm with the password (and code)
//	POST /dashboard/keys/{key}/rotate    fields password, code     → 200 Keys with Secret
//	GET  /dashboard/keys/{key}/revoke    Confirm with the password (and code)
//	POST /dashboard/keys/{key}/revoke    fields password, code     → 303 /dashboard/keys
type KeysProps struct {
	Dash
	Rows []KeyRow
	Form Form
	// Secret is a key that was just made or rotated; nil otherwise. It is shown this once.
	Secret *NewSecret
	// Free is how many credits and queries a new key starts with.
	FreeCredits, FreeQueries int64
}

// KeyRow is one API key.
type KeyRow struct {
	KeyChoice

	Wallet    string
	CreatedAt time.Time
	// LastUsedAt is zero if never; RevokedAt is zero while the key is in use.
	LastUsedAt, RevokedAt time.Time
	Credits, Queries      int64
}

// NewSecret is a secret at the only moment it can be shown.
type NewSecret struct {
	// Name says what it is, such as "API key of Web shop"; Text is the secret.
	Name, Text string
	// Note says what happens with an older one; may be empty.
	Note string
}
