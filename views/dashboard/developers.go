package dashboard

import "github.com/florinpay/florin/views/panel"

// DevelopersProps is the quick start.
type DevelopersProps struct {
	panel.Frame

	KeyName, BaseURL, CallbackURL string
	// ConsoleURL is the query console; empty if it is not served.
	ConsoleURL string
	// Samples create a payment, Verify check a webhook. The first of each is open.
	Samples, Verify []Sample
}

// Sample is code in one language.
type Sample struct{ Language, ID, Code string }
