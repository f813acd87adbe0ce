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
	Theme      string
	PreviewURL string
	// Logo is the address of the uploaded picture; empty without one.
	Logo, LogoProblem string
}

var themeChoices = []panel.Choice{
	{Value: "AUTO", Text: "As the customer's device"},
	{Value: "LIGHT", Text: "Light"},
	{Value: "DARK", Text: "Dark"},
}
