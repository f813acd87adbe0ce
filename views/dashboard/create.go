package dashboard

import (
	"time"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
)

// CreateProps is the form that creates a payment.
type CreateProps struct {
	panel.Frame

	Key     panel.KeyChoice
	HasKey  bool
	Problem string
	Fields  []panel.Field
	More    []panel.Field // optional inputs
	Open    bool          // shows More
}

// CreatedProps is a payment that was just created.
type CreatedProps struct {
	panel.Frame

	TxnID, Link string
	Asked       string // the amount with its currency
	QR          views.QR
	Snippet     string
	ExpiresAt   time.Time
	// Now is the payment as it stands; the page follows it live.
	Now PaymentProps
}
