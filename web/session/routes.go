package session

import (
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/web/shell"
)

// Pages adds the routes of signed-in users. Each names the act that its user must
// be allowed to do (merchant.Role).
type Pages struct {
	router shell.Router
	guard  *Guard
}

// Pages returns the routes of signed-in users. Their forms are accepted only from
// pages of this server, and errors render as pages.
func (g *Guard) Pages(r shell.Router) Pages {
	return Pages{r.With(g.Shell.OwnForms).Renders(Failure), g}
}

// Get adds a page.
func (p Pages) Get(path string, act merchant.Act, h Handler) {
	p.router.GET(path, p.guard.Member(act, h))
}

// Post adds a form. One with a number is done once (shell.Shell.Once).
func (p Pages) Post(path string, act merchant.Act, h Handler) {
	p.router.POST(path, p.guard.Member(act, p.guard.Once(h)))
}

// FormHandler answers a form that was posted.
type FormHandler func(c echo.Context, who Principal, f *shell.Form) error

// Form adds a form, and reads it.
func (p Pages) Form(path string, act merchant.Act, h FormHandler) {
	p.Post(path, act, func(c echo.Context, who Principal) error {
		f, err := ReadForm(c)
		if err != nil {
			return err
		}
		return h(c, who, f)
	})
}

// Once runs a form with a number once (shell.Shell.Once).
func (g *Guard) Once(h Handler) Handler {
	return func(c echo.Context, who Principal) error {
		return g.Shell.Once(c, "user:"+who.User.PublicID, MaxForm, func() error { return h(c, who) }, "password", "passkey")
	}
}
