package dashboard

import "github.com/florinpay/florin/views/panel"

// ExportsProps is what a merchant can take away as a file.
type ExportsProps struct {
	panel.Frame

	Zone  string      // the time zone that months begin in
	Spans []ExportRow // what was paid in a month, a quarter, a year
	List  ExportRow   // the list as it is filtered; without a title for none
}

// ExportRow is one export in its two forms.
type ExportRow struct {
	Title, About string
	Count        int64
	Sum          string
	CSV, Excel   string // addresses
}
