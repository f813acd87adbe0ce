package session

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/shell"
)

// Guard lets signed-in users in.
type Guard struct {
	Shell     *shell.Shell
	Cookies   *shell.Cookies
	Users     *identity.Service
	Merchants *merchant.Service
	Mails     bool // mail is sent
	// Needs counts what needs the merchant; nil: nothing is counted.
	Needs func(context.Context, Principal) (int, error)
}

// Handler serves a request of a signed-in user.
type Handler func(c echo.Context, who Principal) error

// Member serves users who may do the act for the merchant they act for. It sends
// others to sign in, or names the members who may.
func (g *Guard) Member(act merchant.Act, h Handler) echo.HandlerFunc {
	return func(c echo.Context) error {
		speak(c, shell.Language(c))
		who, err := g.Principal(c)
		if fault.Is(err, fault.Unauthorized) {
			return g.toSignIn(c)
		}
		if err != nil {
			return err
		}
		if err := who.Membership.Allow(act); err != nil {
			return g.refuse(c, who, "Not yours to do", err, g.whoMay(c, who, act))
		}
		if err := g.serve(c, who, h); err != nil {
			return g.failed(c, who, err)
		}
		return nil
	}
}

// speak sets the language of the texts that are made for the request (views.T).
func speak(c echo.Context, tag string) {
	r := c.Request()
	c.SetRequest(r.WithContext(views.InLanguage(r.Context(), tag)))
}

// Operator serves operators, in English. For other users their pages do not exist.
func (g *Guard) Operator(h Handler) echo.HandlerFunc {
	return g.Member(merchant.ActOwn, func(c echo.Context, who Principal) error {
		if !who.User.Operator {
			return shell.ErrNotFound
		}
		speak(c, "en")
		return h(c, who)
	})
}

// merchantChoices lists the merchants a user can act for. A user who was removed
// from one chooses another: the session never switches by itself.
func (g *Guard) merchantChoices(ctx context.Context, m merchant.Membership) ([]panel.Choice, error) {
	memberships, err := g.Merchants.Memberships(ctx, m.User)
	if err != nil {
		return nil, err
	}
	var all []panel.Choice
	if m.Role == "" {
		all = append(all, panel.Choice{Text: views.T(ctx, "No merchant")})
	}
	for _, x := range memberships {
		all = append(all, panel.Choice{Value: x.Merchant.PublicID, Text: x.Merchant.Email})
	}
	return all, nil
}

// toSignIn sends the browser to sign in, and from there back to the page it asked
// for. A form is not sent twice: its page shows it filled in then.
func (g *Guard) toSignIn(c echo.Context) error {
	r, to := c.Request(), "/signin"
	// A request of a script may carry the token from before a renewal: the cookie that
	// replaced it is to stay.
	if !byScript(r) && !g.Cookies.Token(r).Empty() {
		g.Cookies.EndSession(c.Response())
	}
	page, err := g.keep(c)
	if err != nil {
		return err
	}
	said := ""
	if page != "" {
		said = "You have to sign in again. Your form is kept as you typed it, and stands there after that."
	}
	if r.Method == http.MethodGet && r.URL.RequestURI() != shell.HomePath {
		to += "?next=" + url.QueryEscape(shell.SafeNext(r.URL.RequestURI()))
	}
	return g.Cookies.Redirect(c, to, said)
}

// byScript reports whether a script sent the request, and shows its answer in no window.
func byScript(r *http.Request) bool {
	dest := r.Header.Get("Sec-Fetch-Dest")
	return dest != "" && dest != "document"
}

// maxNamed is how many members a refusal names.
const maxNamed = 5

// whoMay names members who may do what the principal may not.
func (g *Guard) whoMay(c echo.Context, who Principal, act merchant.Act) string {
	if who.Membership.Role == "" {
		return ""
	}
	members, err := g.Merchants.Members(c.Request().Context(), who.Membership.Merchant)
	if err != nil {
		return ""
	}
	var emails []string
	for _, m := range members {
		if m.Role.May(act) && len(emails) < maxNamed {
			emails = append(emails, m.User.Email)
		}
	}
	return strings.Join(emails, ", ")
}
