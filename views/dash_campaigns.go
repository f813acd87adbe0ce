package views

import "time"

// CampaignsProps is the list of donation campaigns.
//
//	GET  /dashboard/campaigns                                Campaigns
//	GET  /dashboard/campaigns/new                            CampaignPage without ID
//	POST /dashboard/campaigns                                fields as CampaignProps.Form → 303 /dashboard/campaigns/{id}
//	GET  /dashboard/campaigns/{id}                           CampaignPage
//	POST /dashboard/campaigns/{id}                           the same fields → 303
//	POST /dashboard/campaigns/{id}/status                    field status: ACTIVE, PAUSED, ENDED → 303
//	POST /dashboard/campaigns/{id}/donations/{txnid}         field shown: 1 or 0 → 303
type CampaignsProps struct {
	Dash
	Rows []CampaignRow
}

// CampaignRow is one campaign in the list.
type CampaignRow struct {
	// ID is the slug of its address.
	ID, Title string
	// Status is ACTIVE, PAUSED or ENDED.
	Status string
	// Raised and Goal are plain decimals; Goal is empty for none. Percent is 0 to 100, rounded down.
	Raised, Goal string
	Percent      int
	Donors       int
	CreatedAt    time.Time
}

// CampaignProps is one campaign: its form, and when it exists its donations and how to share it. Form fields: key,
// campaignId, title, description, goalAmount, suggestedAmounts (separated by spaces), endsAt (2026-11-21), networks
// (one value each).
type CampaignProps struct {
	Dash
	CampaignRow

	// Exists: the campaign is stored. A new one chooses its address and key.
	Exists           bool
	Form             Form
	Description      string
	SuggestedAmounts string
	EndsAt           string
	// Networks are the enum values that are offered; Available those that can be.
	Networks, Available []string
	// URL is the public page, EmbedHTML the frame for another website; both when it exists.
	URL, EmbedHTML string
	Donations      []DonationRow
	Next           string
}

// DonationRow is one donation, newest first.
type DonationRow struct {
	TxnID string
	At    time.Time
	// Name and Message are the donor's words; Hidden: they are not shown in public.
	Name, Message          string
	Amount, Token, Network string
	Hidden                 bool
}
