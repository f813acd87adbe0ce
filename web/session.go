package web

import (
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/gorilla/sessions"

	"github.com/florinpay/florin/internal/account"
	"github.com/florinpay/florin/internal/secret"
)

// Names of the cookies. Over https they carry the prefix that lets no
// neighbouring host and no plain connection set them (RFC 6265bis section 4.1.3).
const (
	hostPrefix    = "__Host-"
	sessionCookie = "florin"
	halfCookie    = "florin-half"
	askedCookie   = "florin-asked"
	sayCookie     = "florin-say"
	deviceCookie  = "florin-device"
)

const (
	// halfTTL is how long somebody may look for their authenticator.
	halfTTL = 5 * time.Minute
	// deviceTTL is how long a browser stays known to a user who does not come.
	deviceTTL = 365 * 24 * time.Hour
	// sayTTL outlives a redirect, and not much more.
	sayTTL = time.Minute
)

// cookies is what a browser is given to carry: sealed, out of reach of scripts,
// and sent by no other site's forms. The session itself is a row of the
// database, which can be revoked; its cookie holds only the token.
type cookies struct {
	store  *sessions.CookieStore
	prefix string
	now    func() time.Time
}

// newCookies takes a key to authenticate and a key to encrypt, 32 bytes each.
func newCookies(authKey, sealKey []byte, secure bool, now func() time.Time) *cookies {
	k := &cookies{store: sessions.NewCookieStore(authKey, sealKey), now: now}
	if secure {
		k.prefix = hostPrefix
	}
	k.store.MaxAge(int(account.SessionTTL / time.Second))
	k.store.Options = &sessions.Options{Path: "/", Secure: secure, HttpOnly: true, SameSite: http.SameSiteLaxMode}
	return k
}

// put gives the browser a cookie that holds values until ttl has passed.
func (k *cookies) put(w http.ResponseWriter, name string, ttl time.Duration, values map[string]string) error {
	x := sessions.NewSession(k.store, k.prefix+name)
	options := *k.store.Options
	options.MaxAge = int(ttl / time.Second)
	x.Options = &options
	for key, value := range values {
		x.Values[key] = value
	}
	// The browser is asked to forget it; this is what makes it worthless.
	x.Values["until"] = strconv.FormatInt(k.now().Add(ttl).Unix(), 10)
	return k.store.Save(nil, w, x)
}

// get returns a value of a cookie; empty if there is none, if it was not made
// here, or if its time has passed.
func (k *cookies) get(r *http.Request, name, key string) string {
	x, err := k.store.New(r, k.prefix+name)
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

// drop takes a cookie away from the browser.
func (k *cookies) drop(w http.ResponseWriter, name string) {
	options := *k.store.Options
	options.MaxAge = -1
	http.SetCookie(w, sessions.NewCookie(k.prefix+name, "", &options))
}

// signIn gives the browser a fresh session. Whatever it carried before counts
// no more, so a session somebody else planted gains nothing.
func (k *cookies) signIn(w http.ResponseWriter, in account.SignedIn) error {
	k.drop(w, halfCookie)
	k.drop(w, askedCookie)
	if err := k.know(w, in.User); err != nil {
		return err
	}
	return k.put(w, sessionCookie, in.ExpiresAt.Sub(k.now()), map[string]string{"token": in.Token.Reveal()})
}

// know makes the browser a known one of the user: what others try at the user
// from elsewhere does not hold it up. It opens nothing by itself.
func (k *cookies) know(w http.ResponseWriter, user account.User) error {
	return k.put(w, deviceCookie, deviceTTL, map[string]string{"email": user.Email})
}

// knows reports whether the user with the address signed in from here before.
func (k *cookies) knows(r *http.Request, email string) bool {
	normal, err := account.NormalizeEmail(email)
	return err == nil && k.get(r, deviceCookie, "email") == normal
}

// token returns the session token the browser carries; it may be any text.
func (k *cookies) token(r *http.Request) secret.Text {
	return secret.New(k.get(r, sessionCookie, "token"))
}

// say keeps one line for the next page.
func (k *cookies) say(w http.ResponseWriter, text string) error {
	return k.put(w, sayCookie, sayTTL, map[string]string{"text": text})
}

// said returns the line kept for this page, and forgets it.
func (k *cookies) said(w http.ResponseWriter, r *http.Request) string {
	text := k.get(r, sayCookie, "text")
	if text != "" {
		k.drop(w, sayCookie)
	}
	return text
}

// homePath is where somebody goes who is signed in.
const homePath = "/dashboard"

// safeNext returns where to go after signing in: a page of the dashboard, or
// its first one. Anything else would lead away from here with our name on it.
func safeNext(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || u.Opaque != "" || strings.ContainsAny(text, "\\\r\n\t") {
		return homePath
	}
	if p := u.Path; path.Clean(p) != p || !inDashboard(p) {
		return homePath
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
}

// inDashboard reports whether a path or route belongs to those who are signed in.
func inDashboard(p string) bool {
	for _, root := range []string{homePath, "/operator"} {
		if p == root || strings.HasPrefix(p, root+"/") {
			return true
		}
	}
	return false
}
