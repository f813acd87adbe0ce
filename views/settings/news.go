package settings

import "github.com/florinpay/florin/views/panel"

// NewsProps are what a person of a merchant is mailed about, and where the merchant's chat is.
type NewsProps struct {
	panel.Frame

	Mails bool // mail is sent here at all
	Own   []NewsBox
	// Chat are what is posted; HasChat: there is an address, which is not shown again.
	Chat     []NewsBox
	HasChat  bool
	URL      panel.Field
	Password panel.Field
	Problem  string
}

// NewsBox is one kind of news, on or off.
type NewsBox struct {
	Name, Label string
	On          bool
}
