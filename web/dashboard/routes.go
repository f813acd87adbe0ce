package dashboard

import (
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// Routes adds the pages of the dashboard. Each route names the act that its user
// must be allowed to do (merchant.Role).
func (d *Surface) Routes(r shell.Router) {
	r.Read(logoPath+":file", d.getLogo)
	g := routes{r.With(d.Shell.OwnForms).Renders(session.Failure), d.Guard}
	d.paymentsRoutes(g)
	d.collectRoutes(g)
	d.settingsRoutes(g)
	d.membersRoutes(g)
	d.securityRoutes(g)
}

func (d *Surface) paymentsRoutes(g routes) {
	g.get(shell.HomePath, merchant.ActRead, d.getOverview)
	g.get(livePath, merchant.ActRead, d.getLive)
	g.get(quickPath, merchant.ActRead, d.getQuick)
	g.get(paymentsPath, merchant.ActRead, d.getPayments)
	g.get(paymentsPath+".csv", merchant.ActRead, d.getExport)
	g.get(paymentsPath+"/:txnid", merchant.ActRead, d.getPayment)
	g.post(paymentsPath+"/:txnid/cancel", merchant.ActPayments, d.postCancelPayment)
	g.post(paymentsPath+"/:txnid/complete", merchant.ActComplete, d.postComplete)
	g.post(paymentsPath+"/:txnid/accept", merchant.ActComplete, d.postAccept)
	g.post(paymentsPath+"/:txnid/find", merchant.ActPayments, d.postFindIn)
	g.get(createPath, merchant.ActPay, d.getCreate)
	g.post(createPath, merchant.ActPay, d.postCreate)
	g.get(createPath+"/:txnid", merchant.ActPay, d.getCreated)
}

func (d *Surface) collectRoutes(g routes) {
	g.get(linksPath, merchant.ActRead, d.getLinks)
	g.post(linksPath, merchant.ActPay, d.postLinkNew)
	g.get(linksPath+"/:link", merchant.ActRead, d.getOwnLink)
	g.post(linksPath+"/:link/pause", merchant.ActPay, d.postLinkPause)
	g.post(linksPath+"/:link/resume", merchant.ActPay, d.postLinkResume)
	g.get(campaignsPath, merchant.ActRead, d.getCampaigns)
	g.post(campaignsPath, merchant.ActCampaigns, d.postCampaignNew)
	g.get(campaignsPath+"/:campaign", merchant.ActRead, d.getCampaign)
	g.get(campaignsPath+"/:campaign/edit", merchant.ActCampaigns, d.getCampaignEdit)
	g.post(campaignsPath+"/:campaign/edit", merchant.ActCampaigns, d.postCampaignEdit)
	g.post(campaignsPath+"/:campaign/pause", merchant.ActCampaigns, d.postCampaignPause)
	g.post(campaignsPath+"/:campaign/resume", merchant.ActCampaigns, d.postCampaignResume)
	g.post(campaignsPath+"/:campaign/end", merchant.ActCampaigns, d.postCampaignEnd)
	g.post(campaignsPath+"/:campaign/review", merchant.ActModerate, d.postReview)
}

func (d *Surface) settingsRoutes(g routes) {
	g.get(keysPath, merchant.ActRead, d.getKeys)
	g.post(keysPath, merchant.ActKeys, d.postKey)
	g.post(keysPath+"/:key/label", merchant.ActKeys, d.postKeyLabel)
	g.post(keysPath+"/:key/rotate", merchant.ActKeys, d.postKeyRotate)
	g.post(keysPath+"/:key/revoke", merchant.ActKeys, d.postKeyRevoke)
	g.get(creditsPath, merchant.ActRead, d.getCredits)
	g.post(creditsPath, merchant.ActCredits, d.postCredits)
	g.get(custodianPath, merchant.ActRead, d.getCustodian)
	g.post(custodianPath, merchant.ActCallback, d.postCustodian)
	g.post(custodianPath+"/options", merchant.ActMoney, d.postOptions)
	g.post(custodianPath+"/secret", merchant.ActCallback, d.postSecret)
	g.post(custodianPath+"/rotate", merchant.ActCallback, d.postRotateSigning)
	g.post(custodianPath+"/retire", merchant.ActCallback, d.postRetireSigning)
	g.get(brandingPath, merchant.ActRead, d.getBranding)
	g.post(brandingPath, merchant.ActBranding, d.postBranding)
	g.post(brandingPath+"/logo", merchant.ActBranding, d.postLogo)
	g.post(brandingPath+"/logo/remove", merchant.ActBranding, d.postRemoveLogo)
	g.get(brandingPath+"/preview", merchant.ActRead, d.getPreview)
	g.get(developersPath, merchant.ActRead, d.getDevelopers)
	g.get(webhooksPath, merchant.ActRead, d.getWebhooks)
	g.post(webhooksPath+"/ping", merchant.ActWebhooks, d.postPing)
	g.post(webhooksPath+"/resend", merchant.ActWebhooks, d.postResendFailed)
	g.get(webhooksPath+"/:id", merchant.ActRead, d.getWebhook)
	g.post(webhooksPath+"/:id/resend", merchant.ActWebhooks, d.postResend)
}

func (d *Surface) membersRoutes(g routes) {
	g.get(teamPath, merchant.ActRead, d.getTeam)
	g.post(teamPath+"/invite", merchant.ActTeam, d.postInviteMember)
	g.post(teamPath+"/invitations/:invitation/resend", merchant.ActTeam, d.postResendInvitation)
	g.post(teamPath+"/invitations/:invitation/revoke", merchant.ActTeam, d.postRevokeInvitation)
	g.post(teamPath+"/members/:member/role", merchant.ActTeam, d.postMemberRole)
	g.post(teamPath+"/members/:member/remove", merchant.ActTeam, d.postRemoveMember)
	g.post(teamPath+"/leave", merchant.ActOwn, d.postLeave)
	g.get("/dashboard/join", merchant.ActOwn, d.getJoining)
	g.post("/dashboard/join", merchant.ActOwn, d.postJoining)
	g.post("/dashboard/merchant", merchant.ActOwn, d.postMerchant)
}

func (d *Surface) securityRoutes(g routes) {
	g.get(session.SecurityPath, merchant.ActOwn, d.getSecurity)
	g.post(session.SecurityPath+"/password", merchant.ActOwn, d.postPassword)
	g.post(session.SecurityPath+"/factor", merchant.ActOwn, d.postFactor)
	g.get(session.SecurityPath+"/factor", merchant.ActOwn, d.getFactor)
	g.post(session.SecurityPath+"/factor/confirm", merchant.ActOwn, d.postConfirmFactor)
	g.post(session.SecurityPath+"/factor/remove", merchant.ActOwn, d.postRemoveFactor)
	g.post(passkeysPath, merchant.ActOwn, d.postPasskey)
	g.post(passkeysPath+"/ask", merchant.ActOwn, d.postNewPasskey)
	g.post(passkeysPath+"/:passkey/name", merchant.ActOwn, d.postPasskeyName)
	g.post(passkeysPath+"/:passkey/remove", merchant.ActOwn, d.postRemovePasskey)
	g.post(confirmPath, merchant.ActOwn, d.postAskToConfirm)
	g.post(session.SecurityPath+"/sessions/:session/end", merchant.ActOwn, d.postEndLogin)
}

// routes adds routes for signed-in users.
type routes struct {
	router shell.Router
	guard  *session.Guard
}

func (r routes) get(path string, act merchant.Act, h session.Handler) {
	r.router.GET(path, r.guard.Member(act, h))
}

func (r routes) post(path string, act merchant.Act, h session.Handler) {
	r.router.POST(path, r.guard.Member(act, h))
}
