// Package mail is what Florin has to say to people. Package smtp passes it to a mail server.
package mail

import (
	"time"

	"github.com/florinpay/florin/internal/secret"
)

// Mail is one text on its way.
type Mail struct {
	ID      string // the same in every attempt to send it; part of the Message-ID
	To      string // an address
	Subject string
	Text    secret.Text // it may have a link that opens an account
	At      time.Time
}
