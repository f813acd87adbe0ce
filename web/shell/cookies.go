package shell

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
)

// Names of the cookies. Over https they carry the prefix that keeps other hosts
// and plain connections from setting them (RFC 6265bis section 4.1.3).
const (
	hostPrefix    = "__Host-"
	SessionCookie = "florin"
	HalfCookie    = "florin-half"
	AskedCookie   = "florin-asked"
	noticeCookie  = "florin-say"
	deviceCookie  = "florin-device"
	linkCookie    = "florin-link"
	// LanguageCookie is the language that was chosen before signing in.
	LanguageCookie = "florin-lang"
)

const (
	// HalfTTL is how long a user has between password and second factor.
	HalfTTL = 5 * time.Minute
	// deviceTTL is how long a browser stays known to a user without signing in.
	deviceTTL = 365 * 24 * time.Hour
	// linkTTL is how long a page that a link of a mail leads to can be loaded again, and maxToken longer than any
	// token.
	linkTTL  = time.Hour
	maxToken = 128
	// LanguageTTL is longer than signing up takes, with the mail in between.
	LanguageTTL = 7 * 24 * time.Hour
	// noticeTTL outlives a redirect, and not much more.
	noticeTTL = time.Minute
)

// Cookies are sealed, out of reach of scripts, and not sent with other sites'
// forms. The session itself is a row of the database, which can be revoked; its
// cookie holds only the token.
type Cookies struct {
	sealer  *secret.Sealer
	options sessions.Options
	prefix  string
	now     func() time.Time
}

// NewCookies returns cookies whose keys derive from those of the sealer, so that every instance reads them.
func NewCookies(sealer *secret.Sealer, secure bool, now func() time.Time) *Cookies {
	k := &Cookies{sealer: sealer, now: now, options: sessions.Options{
		Path: "/", Secure: secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	}}
	if secure {
		k.prefix = hostPrefix
	}
	return k
}

// store makes cookies with the key in use and reads those of every key that the sealer has: while the secret key is
// changed, users stay signed in.
func (k *Cookies) store() *sessions.CookieStore {
	store := sessions.NewCookieStore(k.sealer.DeriveAll("cookie authentication v1", "cookie encryption v1")...)
	store.MaxAge(int(identity.SessionTTL / time.Second))
	return store
}

// Put gives the browser a cookie that holds values until ttl has passed.
func (k *Cookies) Put(w http.ResponseWriter, name string, ttl time.Duration, values map[string]string) error {
	store := k.store()
	x := sessions.NewSession(store, k.prefix+name)
	options := k.options
	options.MaxAge = int(ttl / time.Second)
	x.Options = &options
	for key, value := range values {
		x.Values[key] = value
	}
	// The browser may keep the cookie longer; this makes it worthless then.
	x.Values["until"] = strconv.FormatInt(k.now().Add(ttl).Unix(), 10)
	return store.Save(nil, w, x)
}

// Get returns a value of a cookie; empty without one, if it was not made here, or
// if it has expired.
func (k *Cookies) Get(r *http.Request, name, key string) string {
	x, err := k.store().New(r, k.prefix+name)
	if err != nil || x.IsNew {
		return ""
	}
	until, _ := x.Values["until"].(string)
	seconds, err := strconv.ParseInt(until, 10, 64)
	if err != nil || k.now().Unix() >= seconds {
		return ""
	}
	value, _ := x.Values[key].(string)
	return value
}

// Drop removes a cookie from the browser.
func (k *Cookies) Drop(w http.ResponseWriter, name string) {
	options := k.options
	options.MaxAge = -1
	http.SetCookie(w, sessions.NewCookie(k.prefix+name, "", &options))
}

// SignIn gives the browser a fresh session in place of the one it carried, so a
// session that an attacker planted gains nothing.
func (k *Cookies) SignIn(w http.ResponseWriter, in identity.SignedIn) error {
	k.Drop(w, HalfCookie)
	k.Drop(w, AskedCookie)
	if err := k.Know(w, in.User); err != nil {
		return err
	}
	return k.PutSession(w, in.Token, in.ExpiresAt)
}

// PutSession gives the browser the token of a session.
func (k *Cookies) PutSession(w http.ResponseWriter, token secret.Text, expires time.Time) error {
	return k.Put(w, SessionCookie, expires.Sub(k.now()), map[string]string{"token": token.Reveal()})
}

// EndSession removes the session from the browser, and asks it to forget what it kept
// of its pages. The cookie of a known device stays: it grants no access, and keeps
// strangers from slowing the next sign-in down.
func (k *Cookies) EndSession(w http.ResponseWriter) {
	k.Drop(w, SessionCookie)
	k.Drop(w, HalfCookie)
	k.Drop(w, AskedCookie)
	w.Header().Set("Clear-Site-Data", `"cache", "storage"`)
}

// Know marks the browser as a known device of the user, which failed sign-ins from
// elsewhere do not slow down. It grants no access by itself.
func (k *Cookies) Know(w http.ResponseWriter, user identity.User) error {
	return k.Put(w, deviceCookie, deviceTTL, map[string]string{"email": user.Email, "id": rand.Text()})
}

// Device identifies the browser if the user with the e-mail address signed in from
// it before; it is empty for others.
func (k *Cookies) Device(r *http.Request, email string) string {
	normal, err := identity.NormalizeEmail(email)
	if err != nil || k.Get(r, deviceCookie, "email") != normal {
		return ""
	}
	return k.Get(r, deviceCookie, "id")
}

// LastUser is the address of who signed in with the browser last; empty if nobody did. It grants no access.
func (k *Cookies) LastUser(r *http.Request) string { return k.Get(r, deviceCookie, "email") }

// Token returns the session token the browser carries; it may be any text.
func (k *Cookies) Token(r *http.Request) secret.Text {
	return secret.New(k.Get(r, SessionCookie, "token"))
}

// FromLink returns the token of a link from a mail, by the name that it has in the address. A browser that comes with
// it in the address is sent on to the same page without it (sent), and carries it in a cookie: so it is in no history,
// in no Referer, and in no picture of the screen.
func (k *Cookies) FromLink(c echo.Context, name string) (token string, sent bool, err error) {
	r := c.Request()
	token = c.QueryParam(name)
	if token == "" {
		return k.Get(r, linkCookie, name), false, nil
	}
	err = k.Put(c.Response(), linkCookie, linkTTL, map[string]string{name: token[:min(len(token), maxToken)]})
	if err != nil {
		return "", false, err
	}
	rest := r.URL.Query()
	rest.Del(name)
	return "", true, c.Redirect(http.StatusSeeOther, (&url.URL{Path: r.URL.Path, RawQuery: rest.Encode()}).String())
}

// Redirect sends the browser to the page at path, so that reloading it does
// nothing twice. That page shows the notice, if there is one (Cookies.Notice).
func (k *Cookies) Redirect(c echo.Context, path, notice string) error {
	if notice != "" {
		if err := k.Put(c.Response(), noticeCookie, noticeTTL, map[string]string{"text": notice}); err != nil {
			return err
		}
	}
	return c.Redirect(http.StatusSeeOther, path)
}

// Notice returns the notice of the redirect that led to this page, and forgets it.
func (k *Cookies) Notice(c echo.Context) string {
	text := k.Get(c.Request(), noticeCookie, "text")
	if text != "" {
		k.Drop(c.Response(), noticeCookie)
	}
	return text
}

// HomePath is the first page of a user who is signed in.
const HomePath = "/dashboard"

// SafeNext returns where to go after signing in: a page of the dashboard, or its
// first one. Anything else would be an open redirect.
func SafeNext(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" ||
		strings.ContainsAny(text, "\\\r\n\t") {
		return HomePath
	}
	if p := u.Path; path.Clean(p) != p || !InDashboard(p) {
		return HomePath
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
}

// InDashboard reports whether a path or route is for users who are signed in.
func InDashboard(p string) bool {
	for _, root := range []string{HomePath, "/operator"} {
		if p == root || strings.HasPrefix(p, root+"/") {
			return true
		}
	}
	return false
}
