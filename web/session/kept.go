package session

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/shell"
)

const (
	keptCookie = "florin-kept"
	// keptTTL is how long a form waits for whoever has to sign in first, and mostKept how many of one browser wait.
	keptTTL  = time.Hour
	mostKept = 5
)

// neverKept are inputs that are never kept: secrets, which are typed again, and numbers of forms, of which a page has
// new ones.
var neverKept = []string{
	"password", "passkey", "old", "next", "code", "secret", "made", "token", "invite", views.OnceInput, "grant",
}

// keptForm is what was typed into a form whose session was over.
type keptForm struct {
	Email  string // of who typed it
	Page   string // path and query of the page
	Action string // path of the form
	Values url.Values
}

// keep stores a form that arrives without a session, sealed, for the user who was signed in with this browser last. It
// returns the page of the form; empty if nothing is kept: a file, or a browser that nobody signed in with.
func (g *Guard) keep(c echo.Context) (page string, err error) {
	r := c.Request()
	email := g.Cookies.LastUser(r)
	if r.Method != http.MethodPost || !shell.IsForm(c) || email == "" || byScript(r) {
		return "", nil
	}
	values, err := shell.ReadForm(c, MaxForm)
	if err != nil {
		return "", err
	}
	k := keptForm{Email: email, Page: pageOf(c), Action: r.URL.Path, Values: values}
	for _, name := range neverKept {
		k.Values.Del(name)
	}
	if k.Page == "" || len(k.Values) == 0 {
		return "", nil
	}
	text, err := json.Marshal(k)
	if err != nil {
		return "", err
	}
	id, err := g.Shell.Keep(r.Context(), email, mostKept, secret.New(string(text)))
	if err != nil {
		return "", err
	}
	return k.Page, g.Cookies.Put(c.Response(), keptCookie, keptTTL, map[string]string{"id": id, "page": k.Page})
}

// pageOf is the page that has the form which was posted: the one that the browser names, or the nearest page above the
// address of the form.
func pageOf(c echo.Context) string {
	from, err := url.Parse(c.Request().Referer())
	if err == nil && from.Host == c.Request().Host && shell.SafeNext(from.RequestURI()) == from.RequestURI() {
		return from.RequestURI()
	}
	route, path := c.Path(), c.Request().URL.Path
	for strings.Count(route, "/") > 1 {
		if slices.ContainsFunc(c.Echo().Routes(), func(r *echo.Route) bool {
			return r.Method == http.MethodGet && r.Path == route
		}) {
			return path
		}
		route, path = route[:strings.LastIndexByte(route, '/')], path[:strings.LastIndexByte(path, '/')]
	}
	return ""
}

// KeptPage is the page whose form waits for who signs in with the browser; empty if none does.
func (g *Guard) KeptPage(c echo.Context) string {
	return g.Cookies.Get(c.Request(), keptCookie, "page")
}

// serve shows a page. The first time after signing in, its form is filled in as it was typed.
func (g *Guard) serve(c echo.Context, who Principal, h Handler) error {
	r := c.Request()
	id := g.Cookies.Get(r, keptCookie, "id")
	if id == "" || r.Method != http.MethodGet {
		return h(c, who)
	}
	text, ok, err := g.Shell.Kept(r.Context(), id)
	if err != nil {
		return err
	}
	var k keptForm
	if ok {
		err = json.Unmarshal([]byte(text.Reveal()), &k)
	}
	if err != nil {
		return err
	}
	page, _, _ := strings.Cut(k.Page, "?")
	if ok = ok && k.Email == who.User.Email; ok && page != r.URL.Path {
		return h(c, who) // another page of theirs
	}
	g.Cookies.Drop(c.Response(), keptCookie)
	if !ok {
		return h(c, who)
	}
	w := c.Response().Writer
	held := &heldPage{header: w.Header()}
	r.Header.Del("Accept-Encoding") // it is read here
	c.Response().Writer = held
	err = h(c, who)
	c.Response().Writer = w
	if err != nil {
		return err
	}
	body := held.body.Bytes()
	if held.status == http.StatusOK {
		body = refill(body, k)
	}
	w.WriteHeader(held.status)
	_, err = w.Write(body)
	return err
}

// heldPage holds a page back.
type heldPage struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (p *heldPage) Header() http.Header { return p.header }

// WriteHeader implements http.ResponseWriter.
func (p *heldPage) WriteHeader(status int) { p.status = status }

// Write implements http.ResponseWriter.
func (p *heldPage) Write(b []byte) (int, error) { return p.body.Write(b) }
