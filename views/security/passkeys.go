package security

import "time"

// PasskeyRow is a passkey of the user.
type PasskeyRow struct {
	ID, Name          string
	CreatedAt, UsedAt time.Time // UsedAt zero: never
}
