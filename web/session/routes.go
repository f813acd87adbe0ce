package session

import (
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

// Post adds a form.
func (p Pages) Post(path string, act merchant.Act, h Handler) {
	p.router.POST(path, p.guard.Member(act, h))
}
