package webhook

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/input"
)

const (
	// MaxURL bounds a callback URL, as browsers and proxies do.
	MaxURL = 2048
	// firstFreePort: the ports below it are for mail, remote shells and the
	// like; of those a callback may use only 443.
	firstFreePort = 1024
	httpsPort     = 443
)

// localNames are never public: RFC 6761 (localhost), RFC 6762 (local),
// RFC 8375 (home.arpa), reserved by ICANN (internal), and a common default of
// operating systems (localdomain).
var localNames = []string{"localhost", "local", "localdomain", "internal", "home.arpa"}

// CheckURL refuses a callback URL that webhooks would never be sent to, with
// fault.Invalid naming the rule: an absolute https URL of at most MaxURL
// characters, with a full public host name or a public address, port 443 or
// one from 1024, no user name or password, no fragment. allowPrivate, for
// development, allows http, any port and private addresses.
//
// It checks the text only. The address a name resolves to is checked whenever a
// webhook is sent, because it may change at any time.
func CheckURL(raw string, allowPrivate bool) error {
	u, err := parseURL(raw)
	if err != nil {
		return err
	}
	switch {
	case u.Scheme != "https" && !(allowPrivate && u.Scheme == "http"):
		return refuse("must begin with https://")
	case u.User != nil:
		return refuse("must not contain a user name or password; authenticity rests on the signature")
	case strings.Contains(raw, "#"):
		return refuse("must not contain a fragment (#…); it is never sent to the server")
	}
	if err := checkPort(u, allowPrivate); err != nil {
		return err
	}
	return checkHost(u.Hostname(), allowPrivate)
}

func refuse(format string, args ...any) error {
	return fault.About(fault.Invalid, "callbackUrl", format, args...)
}

func parseURL(raw string) (*url.URL, error) {
	switch {
	case raw == "":
		return nil, refuse("is empty")
	case len(raw) > MaxURL:
		return nil, refuse("must have at most %d characters", MaxURL)
	}
	for _, c := range []byte(raw) {
		if c <= ' ' || c == 0x7f || c == '\\' {
			return nil, refuse("must not contain spaces, control characters or backslashes")
		}
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, refuse("is not a URL such as https://shop.example/webhooks")
	case u.Hostname() == "":
		return nil, refuse("must name a host, such as https://shop.example/webhooks")
	}
	return u, nil
}

func checkPort(u *url.URL, allowPrivate bool) error {
	if u.Port() == "" {
		return nil // that of the scheme
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil || port == 0 {
		return refuse("has the port %s, which does not exist: ports are 1 to 65535", u.Port())
	}
	if !allowPrivate && !allowedPort(uint16(port)) {
		return refuse("must use port 443 or one from 1024")
	}
	return nil
}

func allowedPort(port uint16) bool { return port == httpsPort || port >= firstFreePort }

func checkHost(host string, allowPrivate bool) error {
	if addr, err := netip.ParseAddr(host); err == nil {
		return checkAddr(addr, allowPrivate)
	}
	host = strings.ToLower(host)
	if strings.HasSuffix(host, ".") {
		return refuse("must write the host name without a dot at its end")
	}
	if !input.HostName(host) {
		return refuse("must name a host of letters, digits and hyphens (an international name in its xn-- form)")
	}
	if input.EndsInNumber(host) {
		return refuse("must write an IPv4 address as four decimal numbers")
	}
	if allowPrivate {
		return nil
	}
	if !strings.Contains(host, ".") {
		return refuse("must use a full host name, such as shop.example")
	}
	for _, name := range localNames {
		if host == name || strings.HasSuffix(host, "."+name) {
			return refuse("must use a public host name; .%s is never reachable from outside", name)
		}
	}
	return nil
}

func checkAddr(addr netip.Addr, allowPrivate bool) error {
	switch {
	case addr.Zone() != "":
		return refuse("must not contain an address with a zone")
	case !allowPrivate && public.SafeAddr(addr) != nil:
		return refuse("must use a public address")
	}
	return nil
}
