// Package security serves the page on which a user keeps their own sign-in safe:
// password, second factor, passkeys, sessions and audit log.
package security

import (
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// Surface serves users who are signed in.
type Surface struct{ *session.Guard }

// New returns the surface.
func New(g *session.Guard) *Surface { return &Surface{g} }

// The script of the passkey forms first asks for the options of the browser's
// request, and then sends the browser's answer as a form.
const (
	passkeysPath = session.SecurityPath + "/passkeys"
	confirmPath  = "/dashboard/confirm"
)

// Routes adds the pages of security. Every user may use them, whatever their role.
func (d *Surface) Routes(r shell.Router) {
	p := d.Pages(r)
	p.Get(session.SecurityPath, merchant.ActOwn, d.getSecurity)
	p.Form(languagePath, merchant.ActOwn, d.postLanguage)
	p.Post(emailPath, merchant.ActOwn, d.postEmail)
	p.Form(session.SecurityPath+"/password", merchant.ActOwn, d.postPassword)
	p.Post(session.SecurityPath+"/verify", merchant.ActOwn, d.postVerification)
	p.Post(session.SecurityPath+"/factor", merchant.ActOwn, d.postFactor)
	p.Get(session.SecurityPath+"/factor", merchant.ActOwn, d.getFactor)
	p.Form(session.SecurityPath+"/factor/confirm", merchant.ActOwn, d.postConfirmFactor)
	p.Form(session.SecurityPath+"/factor/remove", merchant.ActOwn, d.postRemoveFactor)
	p.Form(passkeysPath, merchant.ActOwn, d.postPasskey)
	p.Post(passkeysPath+"/ask", merchant.ActOwn, d.postNewPasskey)
	p.Form(passkeysPath+"/:passkey/name", merchant.ActOwn, d.postPasskeyName)
	p.Form(passkeysPath+"/:passkey/remove", merchant.ActOwn, d.postRemovePasskey)
	p.Post(confirmPath, merchant.ActOwn, d.postAskToConfirm)
	p.Post(sessionsPath+"/end", merchant.ActOwn, d.postEndLogins)
	p.Post(sessionsPath+"/:session/end", merchant.ActOwn, d.postEndLogin)
}
