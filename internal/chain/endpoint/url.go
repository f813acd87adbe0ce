// Package endpoint keeps the address of an RPC endpoint. Providers put keys into its user, path and query, so nothing
// but its scheme and host is ever shown: an address prints as these, and text that comes back from the endpoint passes
// Redact before it is logged or shown.
package endpoint

import (
	"context"
	"encoding/base64"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// URL is the address of an endpoint. Its zero value is no address.
type URL struct {
	target  *url.URL
	voice   string
	secrets *regexp.Regexp // nil: there are none
}

// errAddress does not show the address, which may hold credentials.
var errAddress = errors.New("an endpoint must be an http or https address")

// Parse reads an http or https address. Its error does not show the address.
func Parse(raw string) (URL, error) {
	target, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || target.Hostname() == "" || target.Scheme != "http" && target.Scheme != "https" {
		return URL{}, errAddress
	}
	target.Fragment, target.RawFragment = "", "" // it is never sent
	return URL{target: target, voice: voiceOf(target), secrets: matching(secretsOf(target))}, nil
}

// errSocket does not show the address either.
var errSocket = errors.New("an endpoint that pushes must be a ws or wss address")

// ParseSocket reads a ws or wss address. Its error does not show the address.
func ParseSocket(raw string) (URL, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || u.Hostname() == "" || u.Scheme != "ws" && u.Scheme != "wss" {
		return URL{}, errSocket
	}
	u.Fragment, u.RawFragment = "", "" // it is never sent
	return URL{target: u, voice: voiceOf(u), secrets: matching(secretsOf(u))}, nil
}

// String returns the scheme and the host, without credentials.
func (u URL) String() string {
	if u.target == nil {
		return ""
	}
	return u.target.Scheme + "://" + u.target.Host
}

// GoString returns the same as String, for %#v.
func (u URL) GoString() string { return u.String() }

// MarshalText returns the same as String, for JSON and logs.
func (u URL) MarshalText() ([]byte, error) { return []byte(u.String()), nil }

// Host returns host and port, which identify endpoints in logs and on pages.
func (u URL) Host() string {
	if u.target == nil {
		return ""
	}
	return u.target.Host
}

// Reveal returns the whole address, for making requests and nothing else.
func (u URL) Reveal() string {
	if u.target == nil {
		return ""
	}
	return u.target.String()
}

// Same reports whether both addresses reach the same node with the same credentials: one of them is superfluous.
func (u URL) Same(other URL) bool { return u.plain() == other.plain() }

// plain returns the address in one of its equivalent spellings (RFC 3986, section 6.2).
func (u URL) plain() string {
	if u.target == nil {
		return ""
	}
	t := *u.target
	port := t.Port()
	t.Host = strings.TrimSuffix(strings.ToLower(t.Hostname()), ".")
	if port != "" && port != map[string]string{"http": "80", "https": "443", "ws": "80", "wss": "443"}[t.Scheme] {
		t.Host += ":" + port
	}
	t.RawPath, t.ForceQuery = "", false
	return t.String()
}

// secretsOf lists the parts of an address that may be a credential, as they are written in it and as they may come
// back in another encoding.
func secretsOf(u *url.URL) []string {
	path := append(strings.Split(u.EscapedPath(), "/"), strings.Split(u.Path, "/")...)
	query := strings.FieldsFunc(u.RawQuery, func(r rune) bool { return r == '=' || r == '&' || r == ';' })
	for name, values := range u.Query() {
		query = append(append(query, name), values...)
	}
	var parts []string
	for _, part := range append(path, query...) {
		// A key may be a part of a segment, as in "key=0123" or "0123.json".
		parts = append(append(parts, part), strings.FieldsFunc(part, func(r rune) bool {
			return strings.ContainsRune("=,;:.@", r)
		})...)
	}
	if u.User != nil {
		password, _ := u.User.Password()
		pair := u.User.Username() + ":" + password
		parts = append(parts, u.User.String(), u.User.Username(), password, pair,
			base64.StdEncoding.EncodeToString([]byte(pair)))
	}
	for _, part := range slices.Clone(parts) {
		parts = append(parts, url.QueryEscape(part), url.PathEscape(part))
	}
	return parts
}

// shortest is the length from which a part counts as a credential: shorter ones are words such as "v1", "rpc" or
// "eth".
const shortest = 6

// ordinary are longer words of addresses that are no credential.
var ordinary = []string{"api-key", "api_key", "apikey", "api-keys", "mainnet", "testnet", "devnet", "solana", "polygon"}

// matching returns the expression that matches the secrets in any case, the longest ones first.
func matching(parts []string) *regexp.Regexp {
	parts = slices.DeleteFunc(parts, func(part string) bool {
		return len(part) < shortest || slices.Contains(ordinary, strings.ToLower(part))
	})
	if len(parts) == 0 {
		return nil
	}
	slices.SortFunc(parts, func(a, b string) int { return len(b) - len(a) })
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	return regexp.MustCompile("(?i)" + strings.Join(parts, "|"))
}

// Limits of text that comes from an endpoint, in bytes.
const (
	// shown is how much of it is kept.
	shown = 200
	// examined is how much of it is searched for credentials: enough that what is kept never ends within one.
	examined = 64 << 10
)

// Redact makes text from the endpoint safe for logs and pages: bounded, on one line, valid UTF-8, without the
// endpoint's credentials.
func (u URL) Redact(text string) string {
	text = text[:min(len(text), examined)]
	if u.secrets != nil {
		text = u.secrets.ReplaceAllString(text, "***")
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case r < ' ', r == 0x7f:
			return ' '
		case r == utf8.RuneError:
			return -1
		}
		return r
	}, text)
	if len(text) > shown {
		text = strings.ToValidUTF8(text[:shown], "") + "…"
	}
	return text
}

// Failure returns an error of the HTTP client without the address. That the time was up, or the caller gave up, is
// kept.
func (u URL) Failure(err error) error {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return context.DeadlineExceeded
	case errors.Is(err, context.Canceled):
		return context.Canceled
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return errors.New(u.Redact(err.Error()))
}
