package web

import (
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/shell"
)

// deskRoutes is the table of contents of the dashboard. Every route says which
// act it is; who may do that is merchant.Role's to say.
func (s *Server) deskRoutes(r shell.Router) {
	if s.d.Dashboard == nil {
		return
	}
	x := *s.d.Dashboard
	d := &desk{Server: s, x: x, letters: newLetters(s.d, s.o), cookies: shell.NewCookies(x.AuthKey, x.SealKey, s.sh.Secure(), s.d.Now), drawing: make(chan struct{}, 1)}
	r.Read(logoPath+":file", d.getLogo)
	scripts := r.With(s.sh.OwnForms)
	signIn := scripts.Renders(failurePage)
	g := scripts.Renders(dashboardFailure)

	signIn.GET("/signin", d.getSignIn)
	signIn.POST("/signin", d.postSignIn)
	signIn.POST("/signin/code", d.postSignInCode)
	scripts.POST(enterPath+"/ask", d.postAskPasskey)
	scripts.POST(enterPath, d.postEnterPasskey)
	signIn.GET("/signup", d.getSignUp)
	signIn.POST("/signup", d.postSignUp)
	signIn.POST("/signout", d.postSignOut)
	signIn.GET("/forgot", d.getForgot)
	signIn.POST("/forgot", d.postForgot)
	signIn.GET("/reset", d.getReset)
	signIn.POST("/reset", d.postReset)
	scripts.GET("/join", d.getJoin)
	scripts.POST("/join", d.postJoin)

	g.GET(shell.HomePath, d.member(merchant.ActRead, d.getOverview))
	g.GET(livePath, d.member(merchant.ActRead, d.getDeskLive))
	g.GET(quickPath, d.member(merchant.ActRead, d.getQuick))
	g.GET(paymentsPath, d.member(merchant.ActRead, d.getPayments))
	g.GET(paymentsPath+".csv", d.member(merchant.ActRead, d.getExport))
	g.GET(paymentsPath+"/:txnid", d.member(merchant.ActRead, d.getPayment))
	g.POST(paymentsPath+"/:txnid/cancel", d.member(merchant.ActPayments, d.postCancelPayment))
	g.POST(paymentsPath+"/:txnid/complete", d.member(merchant.ActComplete, d.postComplete))
	g.POST(paymentsPath+"/:txnid/accept", d.member(merchant.ActComplete, d.postAccept))
	g.POST(paymentsPath+"/:txnid/find", d.member(merchant.ActPayments, d.postFindIn))
	g.GET(createPath, d.member(merchant.ActPay, d.getCreate))
	g.POST(createPath, d.member(merchant.ActPay, d.postCreate))
	g.GET(createPath+"/:txnid", d.member(merchant.ActPay, d.getCreated))
	g.GET(linksPath, d.member(merchant.ActRead, d.getLinks))
	g.POST(linksPath, d.member(merchant.ActPay, d.postLinkNew))
	g.GET(linksPath+"/:link", d.member(merchant.ActRead, d.getOwnLink))
	g.POST(linksPath+"/:link/pause", d.member(merchant.ActPay, d.postLinkPause))
	g.POST(linksPath+"/:link/resume", d.member(merchant.ActPay, d.postLinkResume))
	g.GET(campaignsPath, d.member(merchant.ActRead, d.getCampaigns))
	g.POST(campaignsPath, d.member(merchant.ActCampaigns, d.postCampaignNew))
	g.GET(campaignsPath+"/:campaign", d.member(merchant.ActRead, d.getCampaign))
	g.GET(campaignsPath+"/:campaign/edit", d.member(merchant.ActCampaigns, d.getCampaignEdit))
	g.POST(campaignsPath+"/:campaign/edit", d.member(merchant.ActCampaigns, d.postCampaignEdit))
	g.POST(campaignsPath+"/:campaign/pause", d.member(merchant.ActCampaigns, d.postCampaignPause))
	g.POST(campaignsPath+"/:campaign/resume", d.member(merchant.ActCampaigns, d.postCampaignResume))
	g.POST(campaignsPath+"/:campaign/end", d.member(merchant.ActCampaigns, d.postCampaignEnd))
	g.POST(campaignsPath+"/:campaign/review", d.member(merchant.ActModerate, d.postReview))
	g.GET(keysPath, d.member(merchant.ActRead, d.getKeys))
	g.POST(keysPath, d.member(merchant.ActKeys, d.postKey))
	g.POST(keysPath+"/:key/label", d.member(merchant.ActKeys, d.postKeyLabel))
	g.POST(keysPath+"/:key/rotate", d.member(merchant.ActKeys, d.postKeyRotate))
	g.POST(keysPath+"/:key/revoke", d.member(merchant.ActKeys, d.postKeyRevoke))
	g.GET(creditsPath, d.member(merchant.ActRead, d.getCredits))
	g.POST(creditsPath, d.member(merchant.ActCredits, d.postCredits))
	g.GET(custodianPath, d.member(merchant.ActRead, d.getCustodian))
	g.POST(custodianPath, d.member(merchant.ActCallback, d.postCustodian))
	g.POST(custodianPath+"/options", d.member(merchant.ActMoney, d.postOptions))
	g.POST(custodianPath+"/secret", d.member(merchant.ActCallback, d.postSecret))
	g.POST(custodianPath+"/rotate", d.member(merchant.ActCallback, d.postRotateSigning))
	g.POST(custodianPath+"/retire", d.member(merchant.ActCallback, d.postRetireSigning))
	g.GET(brandingPath, d.member(merchant.ActRead, d.getBranding))
	g.POST(brandingPath, d.member(merchant.ActBranding, d.postBranding))
	g.POST(brandingPath+"/logo", d.member(merchant.ActBranding, d.postLogo))
	g.POST(brandingPath+"/logo/remove", d.member(merchant.ActBranding, d.postRemoveLogo))
	g.GET(brandingPath+"/preview", d.member(merchant.ActRead, d.getPreview))
	g.GET(developersPath, d.member(merchant.ActRead, d.getDevelopers))
	g.GET(teamPath, d.member(merchant.ActRead, d.getTeam))
	g.POST(teamPath+"/invite", d.member(merchant.ActTeam, d.postInviteMember))
	g.POST(teamPath+"/invitations/:invitation/resend", d.member(merchant.ActTeam, d.postResendInvitation))
	g.POST(teamPath+"/invitations/:invitation/revoke", d.member(merchant.ActTeam, d.postRevokeInvitation))
	g.POST(teamPath+"/members/:member/role", d.member(merchant.ActTeam, d.postMemberRole))
	g.POST(teamPath+"/members/:member/remove", d.member(merchant.ActTeam, d.postRemoveMember))
	g.POST(teamPath+"/leave", d.member(merchant.ActOwn, d.postLeave))
	g.GET("/dashboard/join", d.member(merchant.ActOwn, d.getJoining))
	g.POST("/dashboard/join", d.member(merchant.ActOwn, d.postJoining))
	g.POST("/dashboard/merchant", d.member(merchant.ActOwn, d.postMerchant))
	g.GET(securityPath, d.member(merchant.ActOwn, d.getSecurity))
	g.POST(securityPath+"/password", d.member(merchant.ActOwn, d.postPassword))
	g.POST(securityPath+"/factor", d.member(merchant.ActOwn, d.postFactor))
	g.GET(securityPath+"/factor", d.member(merchant.ActOwn, d.getFactor))
	g.POST(securityPath+"/factor/confirm", d.member(merchant.ActOwn, d.postConfirmFactor))
	g.POST(securityPath+"/factor/remove", d.member(merchant.ActOwn, d.postRemoveFactor))
	g.POST(passkeysPath, d.member(merchant.ActOwn, d.postPasskey))
	g.POST(passkeysPath+"/ask", d.member(merchant.ActOwn, d.postNewPasskey))
	g.POST(passkeysPath+"/:passkey/name", d.member(merchant.ActOwn, d.postPasskeyName))
	g.POST(passkeysPath+"/:passkey/remove", d.member(merchant.ActOwn, d.postRemovePasskey))
	g.POST(confirmPath, d.member(merchant.ActOwn, d.postAskToConfirm))
	g.POST(securityPath+"/sessions/:session/end", d.member(merchant.ActOwn, d.postEndLogin))
	g.GET(operatorPath, d.operator(d.getOperator))
	g.POST(operatorPath+"/invite", d.operator(d.postInvite))
	g.POST(operatorPath+"/ledger", d.operator(d.postLedger))
	g.GET(peoplePath, d.operator(d.getPeople))
	g.GET(peoplePath+"/:user", d.operator(d.getPerson))
	g.POST(peoplePath+"/:user/disable", d.operator(d.postUserAble(true)))
	g.POST(peoplePath+"/:user/enable", d.operator(d.postUserAble(false)))
	g.POST(peoplePath+"/:user/keys/:key/disable", d.operator(d.postKeyAble(true)))
	g.POST(peoplePath+"/:user/keys/:key/enable", d.operator(d.postKeyAble(false)))
	g.GET(topUpsPath, d.operator(d.getTopUps))
	g.GET(sweepsPath, d.operator(d.getSweeps))
	g.GET(troublePath, d.operator(d.getTrouble))
	g.GET(webhooksPath, d.member(merchant.ActRead, d.getWebhooks))
	g.POST(webhooksPath+"/ping", d.member(merchant.ActWebhooks, d.postPing))
	g.POST(webhooksPath+"/resend", d.member(merchant.ActWebhooks, d.postResendFailed))
	g.GET(webhooksPath+"/:id", d.member(merchant.ActRead, d.getWebhook))
	g.POST(webhooksPath+"/:id/resend", d.member(merchant.ActWebhooks, d.postResend))
}

// failurePage renders errors outside of the dashboard.
func failurePage(c echo.Context, r operation.Refusal) error {
	return shell.FailurePage(c, r, views.FailureProps{})
}

// dashboardFailure renders errors that the dashboard cannot show inside its frame.
func dashboardFailure(c echo.Context, r operation.Refusal) error {
	return shell.FailurePage(c, r, views.FailureProps{Again: shell.HomePath})
}
