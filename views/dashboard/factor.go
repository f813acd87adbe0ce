package dashboard

import "github.com/florinpay/florin/views"

// FactorProps sets up an authenticator.
type FactorProps struct {
	Frame

	Secret string
	QR     views.QR
	Code   Field
	// Password asks once more who is there; Problem is of the form.
	Password Field
	Problem  string
}

// CodesProps shows recovery codes, once.
type CodesProps struct {
	Frame

	Codes []string
}
