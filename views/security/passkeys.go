package security

import (
	"time"

	"github.com/florinpay/florin/views/panel"
)

// PasskeyRow is a passkey of the user.
type PasskeyRow struct {
	ID, Name          string
	CreatedAt, UsedAt time.Time // UsedAt zero: never
	Rename            panel.Field
	Changed           bool // one of its forms was refused
}
