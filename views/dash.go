package views

import (
	"net/url"
	"time"
)

// The dashboard and its routes. Every page works without scripts: forms post and answer with 303 to a page that
// shows a [Flash], or, when something is wrong, with the page itself and the form's errors (status 422, or that of
// the fault). Every form carries the field csrf with [Dash.CSRF].
//
// Pages of one API key (custodian, branding, credits, webhooks, developers) take ?key=<public id>; without it the
// user's first key. Each file dash_<page>.go names the routes of its page beside its props.
//
//	GET  /dashboard                         Overview
//	GET  /dashboard/payments …              Payments, Payment, NewPayment
//	GET  /dashboard/keys …                  Keys
//	GET  /dashboard/credits …               Credits
//	GET  /dashboard/custodian …             CustodianPage
//	GET  /dashboard/branding …              BrandingPage
//	GET  /dashboard/webhooks …              Webhooks, Webhook
//	GET  /dashboard/campaigns …             Campaigns, CampaignPage
//	GET  /dashboard/developers              Developers
//	GET  /dashboard/security …              Security
//	GET  /dashboard/team …                  Team
//	GET  /operator …                        operator pages
//	POST /signout                           no fields → 303 /signin

// Section is a word of the rail.
type Section string

// The sections. The first nine are the rail of a merchant, the operator's have a rail of their own.
const (
	SectionOverview   Section = "overview"
	SectionPayments   Section = "payments"
	SectionKeys       Section = "keys"
	SectionCredits    Section = "credits"
	SectionCustodian  Section = "custodian"
	SectionBranding   Section = "branding"
	SectionWebhooks   Section = "webhooks"
	SectionCampaigns  Section = "campaigns"
	SectionDevelopers Section = "developers"

	SectionSecurity Section = "security"
	SectionTeam     Section = "team"

	SectionNetworks Section = "networks"
	SectionSweeps   Section = "sweeps"
	SectionUsers    Section = "users"
	SectionAllKeys  Section = "all-keys"
	SectionStuck    Section = "stuck"
	SectionLedger   Section = "ledger"
)

// Dash is what every page of the dashboard knows of its visitor. Its pages speak English.
type Dash struct {
	Page
	// CSRF is the value of the hidden field csrf in every form; without one the field is left out.
	CSRF string
	// Email is who is signed in. Operator shows the way to the operator area.
	Email    string
	Operator bool
	// Role is what the visitor may do in this account; see [Role]. Empty means RoleOwner.
	Role Role
	// Keys are the API keys in use of the account, Key the one the page is about; nil on pages about all of them.
	Keys []KeyChoice
	Key  *KeyChoice
	// Flash says what the last form did; nil for nothing.
	Flash *Flash
	// Now is the time of rendering; times are told relative to it.
	Now time.Time
	// SandboxURL is linked when set: test money only.
	SandboxURL string
}

// Role is what a user may do in an account.
type Role string

// The roles, from most to least. What a role may not do is not shown; the handler refuses it all the same.
const (
	RoleOwner     Role = "OWNER"     // everything
	RoleDeveloper Role = "DEVELOPER" // keys, webhooks, developers; no destinations of money, no team
	RoleSupport   Role = "SUPPORT"   // payments and their actions
	RoleViewer    Role = "VIEWER"    // reads
)

// can reports whether the visitor has at least one of the roles. An owner has every one.
func (d Dash) can(roles ...Role) bool {
	if d.Role == "" || d.Role == RoleOwner {
		return true
	}
	for _, r := range roles {
		if d.Role == r {
			return true
		}
	}
	return false
}

// KeyChoice is an API key as pages name it.
type KeyChoice struct {
	// ID is its public id, Label what the merchant calls it; may be empty.
	ID, Label string
}

// Name is the label, or the end of the id where there is none.
func (k KeyChoice) Name() string {
	if k.Label != "" {
		return k.Label
	}
	if len(k.ID) > 6 {
		return "Key …" + k.ID[len(k.ID)-6:]
	}
	return "Key " + k.ID
}

// Flash is one sentence about what was just done.
type Flash struct {
	// Meaning is good, seen (a warning) or bad.
	Meaning string
	Text    string
	// Href and Link lead on, where there is a next step; may be empty.
	Href, Link string
}

// Form is what was typed into a form and what is wrong with it. The zero value is a fresh form.
type Form struct {
	// Values are the fields as typed. Secrets are never put back.
	Values url.Values
	// Errors are by field: a sentence that says what is wrong and what to do.
	Errors map[string]string
	// Problem is an error of the form as a whole; may be empty.
	Problem string
}

// value is what a field shows: what was typed, or else what is stored.
func (f Form) value(name, stored string) string {
	if f.Values == nil {
		return stored
	}
	return f.Values.Get(name)
}

// chosen reports whether a box or an option is set: as typed, or else as stored.
func (f Form) chosen(name, option string, stored bool) bool {
	if f.Values == nil {
		return stored
	}
	for _, v := range f.Values[name] {
		if v == option {
			return true
		}
	}
	return false
}

// failed reports whether anything is wrong.
func (f Form) failed() bool { return f.Problem != "" || len(f.Errors) > 0 }

// dashPath is a path of the dashboard for the key of the page.
func (d Dash) dashPath(path string) string {
	if d.Key == nil || d.Key.ID == "" {
		return path
	}
	return path + "?key=" + url.QueryEscape(d.Key.ID)
}

// dashHead is the head of a page of the dashboard.
func (d Dash) dashHead(title string) head {
	return head{
		Page:        Page{Lang: "en", Nonce: d.Nonce},
		Title:       title + " · Florin",
		Description: title,
		Linked:      "dash.css",
		Scripts:     []string{"dash.js"},
		BodyClass:   "dash",
	}
}

// railItem is a word of the rail.
type railItem struct {
	Section    Section
	Name, Path string
}

// rail is the nine words.
var rail = []railItem{
	{SectionOverview, "Overview", "/dashboard"},
	{SectionPayments, "Payments", "/dashboard/payments"},
	{SectionKeys, "Keys", "/dashboard/keys"},
	{SectionCredits, "Credits", "/dashboard/credits"},
	{SectionCustodian, "Wallets", "/dashboard/custodian"},
	{SectionBranding, "Branding", "/dashboard/branding"},
	{SectionWebhooks, "Webhooks", "/dashboard/webhooks"},
	{SectionCampaigns, "Campaigns", "/dashboard/campaigns"},
	{SectionDevelopers, "Developers", "/dashboard/developers"},
}

// operatorRail is the rail of the operator area.
var operatorRail = []railItem{
	{SectionNetworks, "Networks", "/operator"},
	{SectionSweeps, "Sweeps", "/operator/sweeps"},
	{SectionStuck, "Stuck work", "/operator/stuck"},
	{SectionUsers, "Users", "/operator/users"},
	{SectionAllKeys, "Keys", "/operator/keys"},
	{SectionLedger, "Ledger", "/operator/ledger"},
}

// accountRail is below both.
var accountRail = []railItem{
	{SectionSecurity, "Security", "/dashboard/security"},
	{SectionTeam, "Team", "/dashboard/team"},
}
