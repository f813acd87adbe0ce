// Package signin signs users in and up, with a password, a second factor or a
// passkey, and sets forgotten passwords.
package signin

import (
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

// Services are what the surface uses.
type Services struct {
	*session.Guard

	// SignUp lets anyone create a user; Invite lets invited users sign up.
	SignUp, Invite bool
	// NewKeys is what a user's first key starts with.
	NewKeys operation.NewKeys
}

// Surface serves users who are not signed in.
type Surface struct{ Services }

// New returns the surface.
func New(s Services) *Surface { return &Surface{s} }

// passkeyPath is where a passkey signs in. Its script first asks for the options
// of the browser's request, and then sends the browser's answer as a form.
const passkeyPath = "/signin/passkey"

// Routes adds the routes of signing in and up.
func (d *Surface) Routes(r shell.Router) {
	own := r.With(d.Shell.OwnForms, d.speak)
	own.POST(passkeyPath+"/ask", d.postAskPasskey)
	own.POST(passkeyPath, d.postEnterPasskey)
	own.GET("/join", d.getJoin)
	own.POST("/join", d.postJoin)
	pages := own.Renders(failurePage)
	pages.GET("/signin", d.getSignIn)
	pages.POST("/signin", d.postSignIn)
	pages.POST("/signin/code", d.postSignInCode)
	pages.GET("/signup", d.getSignUp)
	pages.POST("/signup", func(c echo.Context) error {
		// The password is a part of what is sent: another one makes it another form.
		scope := "sign-up:" + shell.CallOf(c).Near
		return d.Shell.Once(c, scope, session.MaxForm, func() error { return d.postSignUp(c) })
	})
	pages.GET("/verify", d.getVerify)
	pages.POST("/verify", d.postVerify)
	pages.POST("/signout", d.postSignOut)
	pages.GET("/forgot", d.getForgot)
	pages.POST("/forgot", d.postForgot)
	pages.GET("/reset", d.getReset)
	pages.POST("/reset", d.postReset)
}

func failurePage(c echo.Context, r operation.Refusal) error {
	return shell.FailurePage(c, r, views.FailureProps{})
}
