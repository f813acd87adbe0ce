package settings

import "github.com/florinpay/florin/views/panel"

// BrandingProps is how the payment page looks.
type BrandingProps struct {
	panel.Frame

	Key        panel.KeyChoice
	HasKey     bool
	Exists     bool
	Problem    string
	Fields     []panel.Field
	Reauth     panel.Reauth
	Theme      string
	Stored     panel.Field // the theme as it is stored
	PreviewURL string
	// Readable says how well the colours can be read.
	Readable []string
	// Logo is the address of the uploaded picture; empty without one.
	Logo, LogoProblem string
}

// step is one of the three steps of the checkout that the preview shows.
type step struct{ Value, Text string }

var previewSteps = []step{{"choose", "1. Choose"}, {"send", "2. Send"}, {"done", "3. Done"}}

var themeChoices = []panel.Choice{
	{Value: "AUTO", Text: "As the customer's device"},
	{Value: "LIGHT", Text: "Light"},
	{Value: "DARK", Text: "Dark"},
}
