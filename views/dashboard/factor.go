package dashboard

import "github.com/florinpay/florin/views"

// FactorProps sets up an authenticator.
type FactorProps struct {
	Frame

	Secret string
	QR     views.QR
	Code   Field
}

// CodesProps shows recovery codes, once.
type CodesProps struct {
	Frame

	Codes []string
}
