package dashboard

import (
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// Routes adds the pages of the dashboard. Each route names the act that its user
// must be allowed to do (merchant.Role).
func (d *Surface) Routes(r shell.Router) {
	p := d.Pages(r)
	d.paymentsRoutes(p)
	d.settingsRoutes(p)
}

func (d *Surface) paymentsRoutes(p session.Pages) {
	p.Get(shell.HomePath, merchant.ActRead, d.getOverview)
	d.updates(p, shell.HomePath, d.openOverview)
	p.Post(stepsPath, merchant.ActPay, d.postHideSteps)
	p.Get(quickPath, merchant.ActRead, d.getQuick)
	p.Get(paymentsPath, merchant.ActRead, d.getPayments)
	p.Get(paymentsPath+".csv", merchant.ActRead, d.getExport)
	p.Get(exportsPath, merchant.ActRead, d.getExports)
	d.updates(p, paymentsPath, d.openPayments)
	p.Get(paymentsPath+"/:txnid", merchant.ActRead, d.getPayment)
	p.Post(paymentsPath+"/:txnid/cancel", merchant.ActPayments, d.postCancelPayment)
	p.Form(paymentsPath+"/:txnid/complete", merchant.ActComplete, d.postComplete)
	p.Form(paymentsPath+"/:txnid/accept", merchant.ActComplete, d.postAccept)
	p.Form(paymentsPath+"/:txnid/find", merchant.ActPayments, d.postFindIn)
	p.Form(paymentsPath+"/:txnid/resolve", merchant.ActPayments, d.postResolve)
	d.updates(p, paymentsPath+"/:txnid", d.openPayment)
	p.Form(paymentsPath+"/:txnid/refunds", merchant.ActRefund, d.postRefund)
	p.Form(paymentsPath+"/:txnid/refunds/:id/:act", merchant.ActRefund, d.postRefundAct)
	p.Post("/dashboard/refunds/:network/ask", merchant.ActRefund, d.postAskRefunds)
	p.Form("/dashboard/refunds/:network/relay", merchant.ActRefund, d.postRelayRefunds)
	p.Post("/dashboard/refunds/:network/safe", merchant.ActRefund, d.postSafe)
	p.Get(attentionPath, merchant.ActRead, d.getAttention)
	p.Form(attentionPath, merchant.ActComplete, d.postAttention)
	d.updates(p, attentionPath, d.openAttention)
	p.Get(createPath, merchant.ActPay, d.getCreate)
	p.Form(createPath, merchant.ActPay, d.postCreate)
	p.Get(createPath+"/:txnid", merchant.ActPay, d.getCreated)
}

func (d *Surface) settingsRoutes(p session.Pages) {
	p.Get(keysPath, merchant.ActRead, d.getKeys)
	p.Form(keysPath, merchant.ActKeys, d.postKey)
	p.Form(keysPath+"/:key/label", merchant.ActKeys, d.postKeyLabel)
	p.Post(keysPath+"/:key/rotate", merchant.ActKeys, d.postKeyRotate)
	p.Post(keysPath+"/:key/permissions", merchant.ActMoney, d.postKeyPermissions)
	p.Post(keysPath+"/:key/revoke", merchant.ActKeys, d.postKeyRevoke)
	p.Get(creditsPath, merchant.ActRead, d.getCredits)
	p.Form(creditsPath, merchant.ActCredits, d.postCredits)
	p.Get(developersPath, merchant.ActRead, d.getDevelopers)
	p.Get(webhooksPath, merchant.ActRead, d.getWebhooks)
	p.Form(webhooksPath+"/ping", merchant.ActWebhooks, d.postPing)
	p.Form(webhooksPath+"/resend", merchant.ActWebhooks, d.postResendFailed)
	p.Form(webhooksPath+"/stop", merchant.ActWebhooks, d.postStop)
	p.Get(webhooksPath+"/:id", merchant.ActRead, d.getWebhook)
	p.Form(webhooksPath+"/:id/resend", merchant.ActWebhooks, d.postResend)
}
