// Package team serves the members of a merchant account: who they are, invitations,
// roles, joining, and the choice of the merchant one acts for.
package team

import (
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// Surface serves the members of merchant accounts.
type Surface struct{ *session.Guard }

// New returns the surface.
func New(g *session.Guard) *Surface { return &Surface{g} }

// Routes adds the pages of the team.
func (t *Surface) Routes(r shell.Router) {
	p := t.Pages(r)
	p.Get(teamPath, merchant.ActRead, t.getTeam)
	p.Post(teamPath+"/invite", merchant.ActTeam, t.postInviteMember)
	p.Post(teamPath+"/invitations/:invitation/resend", merchant.ActTeam, t.postResendInvitation)
	p.Post(teamPath+"/invitations/:invitation/revoke", merchant.ActTeam, t.postRevokeInvitation)
	p.Post(teamPath+"/members/:member/role", merchant.ActTeam, t.postMemberRole)
	p.Post(teamPath+"/members/:member/remove", merchant.ActTeam, t.postRemoveMember)
	p.Post(teamPath+"/leave", merchant.ActOwn, t.postLeave)
	p.Get("/dashboard/join", merchant.ActOwn, t.getJoining)
	p.Form("/dashboard/join", merchant.ActOwn, t.postJoining)
	p.Form("/dashboard/merchant", merchant.ActOwn, t.postMerchant)
}
