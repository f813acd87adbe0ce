package onboarding

import (
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
)

// StartProps is the page with the form that sets up a shop.
type StartProps struct {
	panel.Frame

	Card Card
}

// Card is the form that sets up a shop.
type Card struct {
	// NoNetwork: the server takes payments on no network yet.
	NoNetwork bool
	Problem   string
	Fields    []panel.Field
	// Tolerant: payments may be 1 % short.
	Tolerant bool
	Password panel.Field
}

// ReadyProps is a shop that takes payments.
type ReadyProps struct {
	panel.Frame

	Link, Slug string
	QR         views.QR
}
