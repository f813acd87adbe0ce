package dashboard

import "github.com/florinpay/florin/views/panel"

// CampaignForm is what a merchant says about a campaign.
type CampaignForm struct {
	Key    panel.KeyChoice
	Title  panel.Field
	Story  panel.Field // of several lines
	Fields []panel.Field
	AtOnce bool // names and messages are shown until they are hidden
}

// CampaignsProps lists the campaigns, and asks for a new one.
type CampaignsProps struct {
	panel.Frame

	Problem string
	HasKey  bool
	Rows    []CampaignRow
	Form    CampaignForm
}

// CampaignRow is a campaign of the list. Amounts are plain decimals in US
// dollars; Goal is empty for none.
type CampaignRow struct {
	Slug, Title, State string
	Raised, Goal       string
	Donors, Waiting    int64
}

// CampaignEditProps changes a campaign.
type CampaignEditProps struct {
	panel.Frame

	Slug, Name, Problem string
	HasKey, KeyGone     bool
	Form                CampaignForm
}

// stateText and stateMeaning are how a campaign's state is written and coloured.
func stateText(state string) string {
	switch state {
	case "ACTIVE":
		return "Taking donations"
	case "PAUSED":
		return "Paused"
	}
	return "Ended"
}

func stateMeaning(state string) string {
	switch state {
	case "ACTIVE":
		return "is-good"
	case "PAUSED":
		return "is-seen"
	}
	return "is-wait"
}
