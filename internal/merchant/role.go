package merchant

import (
	"slices"

	"github.com/florinpay/florin/internal/fault"
)

// Role is what a member may do for a merchant account. An owner may do everything;
// no other role includes another.
type Role string

// The roles.
const (
	RoleOwner     Role = "owner"
	RoleDeveloper Role = "developer"
	RoleSupport   Role = "support"
	RoleViewer    Role = "viewer"
)

// Roles lists the roles, the owner first.
func Roles() []Role { return []Role{RoleOwner, RoleDeveloper, RoleSupport, RoleViewer} }

// ParseRole reads a role; ok is false for any other text.
func ParseRole(text string) (r Role, ok bool) {
	r = Role(text)
	return r, slices.Contains(Roles(), r)
}

// Act is a kind of action for a merchant. Its text completes "may …".
type Act string

// The acts.
const (
	// ActOwn is what concerns only the acting user: their password, second
	// factors, sessions, choice of merchant, and leaving. It needs no role.
	ActOwn Act = "look after their own sign-in"
	// ActRead is to read payments, keys without their text, settings and the
	// team.
	ActRead Act = "look at everything"
	// ActPay is to create what customers pay, such as payment links.
	ActPay Act = "create payments and payment links"
	// ActCampaigns is to manage donation campaigns.
	ActCampaigns Act = "create and change donation campaigns"
	// ActModerate is to decide which names and messages of donors are public.
	ActModerate Act = "approve and hide what donors wrote"
	// ActPayments is to help with an existing payment, but not to call it paid:
	// cancel it, find its money.
	ActPayments Act = "cancel payments and find their money"
	// ActWebhooks is to send webhooks again, and to test them.
	ActWebhooks Act = "send webhooks again"
	// ActKeys is to make, rotate and revoke API keys.
	ActKeys Act = "create, rotate and revoke API keys"
	// ActCallback is to set where webhooks go and how they are signed: whoever can
	// forge one makes the shop hand out goods (Direction).
	ActCallback Act = "set the callback address and its secrets"
	// ActBranding is to change the appearance of the checkout and the merchant's name.
	ActBranding Act = "change the branding"
	// ActCredits is to buy credits.
	ActCredits Act = "buy credits"
	// ActMoney is to change where the money goes and what counts as paid:
	// settlement wallets, networks, limits, finality, acceptance.
	ActMoney Act = "change wallets and what counts as paid"
	// ActComplete is to call a payment paid that is not paid in full and in time:
	// it makes the shop hand out goods. Support may not, since fraudsters talk to
	// support; developers may not, since it is not their task.
	ActComplete Act = "mark a payment as completed"
	// ActRefund is to pay money back: whoever may ask for a refund decides with how much less a payment ends.
	ActRefund Act = "pay money back"
	// ActAudit is to read who did what for the merchant, and from where.
	ActAudit Act = "read the audit log"
	// ActTeam is to manage who belongs to the merchant, in which role.
	ActTeam Act = "invite, change and remove members"
)

// mayDo lists the roles that may do each act. No other place decides it.
var mayDo = map[Act][]Role{
	ActRead:      {RoleOwner, RoleDeveloper, RoleSupport, RoleViewer},
	ActPay:       {RoleOwner, RoleDeveloper, RoleSupport},
	ActPayments:  {RoleOwner, RoleSupport},
	ActCampaigns: {RoleOwner, RoleDeveloper},
	ActModerate:  {RoleOwner, RoleSupport},
	ActWebhooks:  {RoleOwner, RoleDeveloper, RoleSupport},
	ActKeys:      {RoleOwner, RoleDeveloper},
	ActCallback:  {RoleOwner},
	ActBranding:  {RoleOwner, RoleDeveloper},
	ActCredits:   {RoleOwner},
	ActMoney:     {RoleOwner},
	ActComplete:  {RoleOwner},
	ActRefund:    {RoleOwner},
	ActAudit:     {RoleOwner, RoleDeveloper},
	ActTeam:      {RoleOwner},
}

// Acts lists the acts that need a role, the most common first.
func Acts() []Act {
	return []Act{
		ActRead, ActPay, ActPayments, ActCampaigns, ActModerate, ActWebhooks, ActKeys, ActCallback,
		ActBranding, ActAudit, ActCredits, ActMoney, ActComplete, ActRefund, ActTeam,
	}
}

// Who lists the roles that may do it; nil for ActOwn, which needs none.
func (a Act) Who() []Role { return slices.Clone(mayDo[a]) }

// May reports whether the role may do it. The empty role, of a user who belongs to
// no merchant, may do only ActOwn.
func (r Role) May(a Act) bool { return a == ActOwn || slices.Contains(mayDo[a], r) }

// whoWords names the roles that may do it, as in "an owner or a developer".
func whoWords(a Act) (who fault.Words) {
	for i, r := range mayDo[a] {
		switch noun := fault.Text(r.Noun()); i {
		case 0:
			who = noun
		case len(mayDo[a]) - 1:
			who = fault.Text("%s or %s", who, noun)
		default:
			who = fault.Text("%s, %s", who, noun)
		}
	}
	return who
}

var nouns = map[Role]string{
	RoleOwner: "an owner", RoleDeveloper: "a developer", RoleSupport: "a support member", RoleViewer: "a viewer",
}

// Noun is the role with its article.
func (r Role) Noun() string { return nouns[r] }
