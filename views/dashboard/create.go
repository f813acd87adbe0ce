package dashboard

import (
	"time"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
)

// CreateProps makes a payment by hand.
type CreateProps struct {
	panel.Frame

	Key     panel.KeyChoice
	HasKey  bool
	Problem string
	Fields  []panel.Field
	More    []panel.Field // what is needed less often
	Open    bool          // shows More
}

// CreatedProps is a payment that was just made.
type CreatedProps struct {
	panel.Frame

	TxnID, Amount, Link string
	QR                  views.QR
	Snippet             string
	ExpiresAt           time.Time
}
