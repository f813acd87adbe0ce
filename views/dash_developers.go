package views

// DevelopersProps is the quick start with the user's own addresses.
//
//	GET /dashboard/developers?key=   Developers
type DevelopersProps struct {
	Dash
	// BaseURL is where the API is. KeyHint stands for the key in samples; the key itself is not known any more.
	BaseURL, KeyHint string
	Samples          []Sample
	// GraphiQLURL, DocsURL and OpenAPIURL are linked when set.
	GraphiQLURL, DocsURL, OpenAPIURL string
	// Events is the catalogue of webhooks, each with a sample body.
	Events []EventSample
}

// Sample is the same request in one language.
type Sample struct{ Language, Code string }

// EventSample is a webhook as it arrives.
type EventSample struct{ Type, When, Body string }
