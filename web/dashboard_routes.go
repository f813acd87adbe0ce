package web

import (
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/account"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/shell"
)

// deskRoutes is the table of contents of the dashboard. Every route says which
// act it is; who may do that is account.Role's to say.
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

	g.GET(shell.HomePath, d.member(account.ActRead, d.getOverview))
	g.GET(livePath, d.member(account.ActRead, d.getDeskLive))
	g.GET(quickPath, d.member(account.ActRead, d.getQuick))
	g.GET(paymentsPath, d.member(account.ActRead, d.getPayments))
	g.GET(paymentsPath+".csv", d.member(account.ActRead, d.getExport))
	g.GET(paymentsPath+"/:txnid", d.member(account.ActRead, d.getPayment))
	g.POST(paymentsPath+"/:txnid/cancel", d.member(account.ActPayments, d.postCancelPayment))
	g.POST(paymentsPath+"/:txnid/complete", d.member(account.ActComplete, d.postComplete))
	g.POST(paymentsPath+"/:txnid/accept", d.member(account.ActComplete, d.postAccept))
	g.POST(paymentsPath+"/:txnid/find", d.member(account.ActPayments, d.postFindIn))
	g.GET(createPath, d.member(account.ActPay, d.getCreate))
	g.POST(createPath, d.member(account.ActPay, d.postCreate))
	g.GET(createPath+"/:txnid", d.member(account.ActPay, d.getCreated))
	g.GET(linksPath, d.member(account.ActRead, d.getLinks))
	g.POST(linksPath, d.member(account.ActPay, d.postLinkNew))
	g.GET(linksPath+"/:link", d.member(account.ActRead, d.getOwnLink))
	g.POST(linksPath+"/:link/pause", d.member(account.ActPay, d.postLinkPause))
	g.POST(linksPath+"/:link/resume", d.member(account.ActPay, d.postLinkResume))
	g.GET(campaignsPath, d.member(account.ActRead, d.getCampaigns))
	g.POST(campaignsPath, d.member(account.ActCampaigns, d.postCampaignNew))
	g.GET(campaignsPath+"/:campaign", d.member(account.ActRead, d.getCampaign))
	g.GET(campaignsPath+"/:campaign/edit", d.member(account.ActCampaigns, d.getCampaignEdit))
	g.POST(campaignsPath+"/:campaign/edit", d.member(account.ActCampaigns, d.postCampaignEdit))
	g.POST(campaignsPath+"/:campaign/pause", d.member(account.ActCampaigns, d.postCampaignPause))
	g.POST(campaignsPath+"/:campaign/resume", d.member(account.ActCampaigns, d.postCampaignResume))
	g.POST(campaignsPath+"/:campaign/end", d.member(account.ActCampaigns, d.postCampaignEnd))
	g.POST(campaignsPath+"/:campaign/review", d.member(account.ActModerate, d.postReview))
	g.GET(keysPath, d.member(account.ActRead, d.getKeys))
	g.POST(keysPath, d.member(account.ActKeys, d.postKey))
	g.POST(keysPath+"/:key/label", d.member(account.ActKeys, d.postKeyLabel))
	g.POST(keysPath+"/:key/rotate", d.member(account.ActKeys, d.postKeyRotate))
	g.POST(keysPath+"/:key/revoke", d.member(account.ActKeys, d.postKeyRevoke))
	g.GET(creditsPath, d.member(account.ActRead, d.getCredits))
	g.POST(creditsPath, d.member(account.ActCredits, d.postCredits))
	g.GET(custodianPath, d.member(account.ActRead, d.getCustodian))
	g.POST(custodianPath, d.member(account.ActCallback, d.postCustodian))
	g.POST(custodianPath+"/options", d.member(account.ActMoney, d.postOptions))
	g.POST(custodianPath+"/secret", d.member(account.ActCallback, d.postSecret))
	g.POST(custodianPath+"/rotate", d.member(account.ActCallback, d.postRotateSigning))
	g.POST(custodianPath+"/retire", d.member(account.ActCallback, d.postRetireSigning))
	g.GET(brandingPath, d.member(account.ActRead, d.getBranding))
	g.POST(brandingPath, d.member(account.ActBranding, d.postBranding))
	g.POST(brandingPath+"/logo", d.member(account.ActBranding, d.postLogo))
	g.POST(brandingPath+"/logo/remove", d.member(account.ActBranding, d.postRemoveLogo))
	g.GET(brandingPath+"/preview", d.member(account.ActRead, d.getPreview))
	g.GET(developersPath, d.member(account.ActRead, d.getDevelopers))
	g.GET(teamPath, d.member(account.ActRead, d.getTeam))
	g.POST(teamPath+"/invite", d.member(account.ActTeam, d.postInviteMember))
	g.POST(teamPath+"/invitations/:invitation/resend", d.member(account.ActTeam, d.postResendInvitation))
	g.POST(teamPath+"/invitations/:invitation/revoke", d.member(account.ActTeam, d.postRevokeInvitation))
	g.POST(teamPath+"/members/:member/role", d.member(account.ActTeam, d.postMemberRole))
	g.POST(teamPath+"/members/:member/remove", d.member(account.ActTeam, d.postRemoveMember))
	g.POST(teamPath+"/leave", d.member(account.ActOwn, d.postLeave))
	g.GET("/dashboard/join", d.member(account.ActOwn, d.getJoining))
	g.POST("/dashboard/join", d.member(account.ActOwn, d.postJoining))
	g.POST("/dashboard/merchant", d.member(account.ActOwn, d.postMerchant))
	g.GET(securityPath, d.member(account.ActOwn, d.getSecurity))
	g.POST(securityPath+"/password", d.member(account.ActOwn, d.postPassword))
	g.POST(securityPath+"/factor", d.member(account.ActOwn, d.postFactor))
	g.GET(securityPath+"/factor", d.member(account.ActOwn, d.getFactor))
	g.POST(securityPath+"/factor/confirm", d.member(account.ActOwn, d.postConfirmFactor))
	g.POST(securityPath+"/factor/remove", d.member(account.ActOwn, d.postRemoveFactor))
	g.POST(passkeysPath, d.member(account.ActOwn, d.postPasskey))
	g.POST(passkeysPath+"/ask", d.member(account.ActOwn, d.postNewPasskey))
	g.POST(passkeysPath+"/:passkey/name", d.member(account.ActOwn, d.postPasskeyName))
	g.POST(passkeysPath+"/:passkey/remove", d.member(account.ActOwn, d.postRemovePasskey))
	g.POST(confirmPath, d.member(account.ActOwn, d.postAskToConfirm))
	g.POST(securityPath+"/sessions/:session/end", d.member(account.ActOwn, d.postEndLogin))
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
	g.GET(webhooksPath, d.member(account.ActRead, d.getWebhooks))
	g.POST(webhooksPath+"/ping", d.member(account.ActWebhooks, d.postPing))
	g.POST(webhooksPath+"/resend", d.member(account.ActWebhooks, d.postResendFailed))
	g.GET(webhooksPath+"/:id", d.member(account.ActRead, d.getWebhook))
	g.POST(webhooksPath+"/:id/resend", d.member(account.ActWebhooks, d.postResend))
}

// failurePage renders errors outside of the dashboard.
func failurePage(c echo.Context, r operation.Refusal) error {
	return shell.FailurePage(c, r, views.FailureProps{})
}

// dashboardFailure renders errors that the dashboard cannot show inside its frame.
func dashboardFailure(c echo.Context, r operation.Refusal) error {
	return shell.FailurePage(c, r, views.FailureProps{Again: shell.HomePath})
}
