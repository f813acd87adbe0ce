package web

import (
	"net/http"

	"github.com/labstack/echo/v4"
)

// deskRoutes is the table of contents of the dashboard.
func (s *Server) deskRoutes(e *echo.Echo) {
	if s.d.Dashboard == nil {
		return
	}
	x := *s.d.Dashboard
	d := &desk{Server: s, x: x, cookies: newCookies(x.AuthKey, x.SealKey, s.secure, s.d.Now), drawing: make(chan struct{}, 1)}
	e.Match([]string{http.MethodGet, http.MethodHead}, logoPath+":file", d.getLogo)
	g := e.Group("", d.ownForms)

	g.GET("/signin", d.getSignIn)
	g.POST("/signin", d.postSignIn)
	g.POST("/signin/code", d.postSignInCode)
	g.GET("/signup", d.getSignUp)
	g.POST("/signup", d.postSignUp)
	g.POST("/signout", d.postSignOut)
	g.GET("/forgot", d.getForgot)
	g.POST("/forgot", d.postForgot)
	g.GET("/reset", d.getReset)
	g.POST("/reset", d.postReset)

	g.GET(homePath, d.member(d.getOverview))
	g.GET(paymentsPath, d.member(d.getPayments))
	g.GET(paymentsPath+".csv", d.member(d.getExport))
	g.GET(paymentsPath+"/:txnid", d.member(d.getPayment))
	g.POST(paymentsPath+"/:txnid/cancel", d.member(d.postCancelPayment))
	g.POST(paymentsPath+"/:txnid/complete", d.member(d.postComplete))
	g.POST(paymentsPath+"/:txnid/accept", d.member(d.postAccept))
	g.POST(paymentsPath+"/:txnid/find", d.member(d.postFindIn))
	g.GET(createPath, d.member(d.getCreate))
	g.POST(createPath, d.member(d.postCreate))
	g.GET(createPath+"/:txnid", d.member(d.getCreated))
	g.GET(keysPath, d.member(d.getKeys))
	g.POST(keysPath, d.member(d.postKey))
	g.POST(keysPath+"/:key/label", d.member(d.postKeyLabel))
	g.POST(keysPath+"/:key/rotate", d.member(d.postKeyRotate))
	g.POST(keysPath+"/:key/revoke", d.member(d.postKeyRevoke))
	g.GET(creditsPath, d.member(d.getCredits))
	g.POST(creditsPath, d.member(d.postCredits))
	g.GET(custodianPath, d.member(d.getCustodian))
	g.POST(custodianPath, d.member(d.postCustodian))
	g.POST(custodianPath+"/options", d.member(d.postOptions))
	g.POST(custodianPath+"/secret", d.member(d.postSecret))
	g.POST(custodianPath+"/rotate", d.member(d.postRotateSigning))
	g.POST(custodianPath+"/retire", d.member(d.postRetireSigning))
	g.GET(brandingPath, d.member(d.getBranding))
	g.POST(brandingPath, d.member(d.postBranding))
	g.POST(brandingPath+"/logo", d.member(d.postLogo))
	g.POST(brandingPath+"/logo/remove", d.member(d.postRemoveLogo))
	g.GET(brandingPath+"/preview", d.member(d.getPreview))
	g.GET(developersPath, d.member(d.getDevelopers))
	g.GET(securityPath, d.member(d.getSecurity))
	g.POST(securityPath+"/password", d.member(d.postPassword))
	g.POST(securityPath+"/factor", d.member(d.postFactor))
	g.GET(securityPath+"/factor", d.member(d.getFactor))
	g.POST(securityPath+"/factor/confirm", d.member(d.postConfirmFactor))
	g.POST(securityPath+"/factor/remove", d.member(d.postRemoveFactor))
	g.POST(securityPath+"/sessions/:session/end", d.member(d.postEndLogin))
	g.GET(operatorPath, d.operator(d.getOperator))
	g.POST(operatorPath+"/invite", d.operator(d.postInvite))
	g.GET(webhooksPath, d.member(d.getWebhooks))
	g.POST(webhooksPath+"/ping", d.member(d.postPing))
	g.POST(webhooksPath+"/resend", d.member(d.postResendFailed))
	g.GET(webhooksPath+"/:id", d.member(d.getWebhook))
	g.POST(webhooksPath+"/:id/resend", d.member(d.postResend))
}
