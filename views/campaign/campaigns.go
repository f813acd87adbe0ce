package campaign

import "github.com/florinpay/florin/views/panel"

// Form is the form of a campaign.
type Form struct {
	Key    panel.KeyChoice
	Title  panel.Field
	Story  panel.Field // a text area
	Fields []panel.Field
	Stored []panel.Field // what a campaign that exists holds; the story, the key and the box send it back
	// Redirect: the member may give the campaign another key, after Reauth. A new
	// campaign takes any key.
	New, Redirect bool
	KeyGone       bool // the key was revoked
	Reauth        panel.Field
	AtOnce        bool // names and messages are shown until they are hidden
}

// plain are the stored values of what is no panel.Input.
func (f Form) plain() []panel.Field {
	var all []panel.Field
	for _, x := range f.Stored {
		if x.Type == "select" || x.Type == "checkbox" || x.Name == f.Story.Name {
			all = append(all, x)
		}
	}
	return all
}

// chooses reports whether the form of a campaign that exists offers another key.
func (f Form) chooses() bool { return f.Redirect && (f.KeyGone || len(f.Key.Keys) > 1) }

// ListProps is the list of campaigns and the form of a new one.
type ListProps struct {
	panel.Frame

	Problem string
	HasKey  bool
	Rows    []Row
	Form    Form
}

// Row is a campaign of the list. Amounts have their currency; Goal is empty for none.
type Row struct {
	Slug, Title, State string
	Raised, Goal       string
	Donors, Waiting    int64
}

// EditProps is the form that changes a campaign.
type EditProps struct {
	panel.Frame

	Slug, Name, Problem string
	HasKey, KeyGone     bool
	Form                Form
}

// stateText writes the state of a campaign.
func stateText(state string) string {
	switch state {
	case "ACTIVE":
		return "Taking donations"
	case "PAUSED":
		return "Paused"
	}
	return "Ended"
}

// stateMeaning is the CSS class of its colour.
func stateMeaning(state string) string {
	switch state {
	case "ACTIVE":
		return "is-good"
	case "PAUSED":
		return "is-seen"
	}
	return "is-wait"
}
