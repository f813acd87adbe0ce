package config

import (
	"cmp"
	"errors"
	"net/netip"
	"net/url"
	"strings"
)

// localSuffixes end the names of hosts that the public DNS does not serve (RFC 6761, 6762, 8375, 9476).
var localSuffixes = []string{".localhost", ".local", ".internal", ".lan", ".home.arpa", ".test"}

// local reports whether an address is reached only from this machine or its own network: by a loopback, private or
// link-local IP address, or by a name without a domain.
func local(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()
	}
	for _, suffix := range localSuffixes {
		if strings.HasSuffix(host, suffix) {
			return true
		}
	}
	return !strings.Contains(host, ".")
}

// open reports whether requests to the address cross other networks unencrypted.
func open(address string) bool { return strings.HasPrefix(address, "http://") && !local(address) }

// checkPublic refuses public addresses without TLS, and open sign-up where no e-mail address could be verified. Without
// FLORIN_SIGNUP sign-up is open where addresses are verified, or where only the own network reaches the installation.
func (c *Config) checkPublic() (problems Problems) {
	if !c.AllowHTTP {
		reason := errors.New("is public and not https: passwords and deposit addresses could be read and changed on " +
			"their way; put a proxy with a certificate in front, or set FLORIN_ALLOW_HTTP=true")
		if open(c.BaseURL) {
			problems.add("FLORIN_BASE_URL", reason)
		}
		if c.CheckoutURL != c.BaseURL && open(c.CheckoutURL) {
			problems.add("FLORIN_CHECKOUT_URL", reason)
		}
	}
	verifies := !c.SMTPURL.Empty() || local(c.BaseURL)
	if c.Signup == SignupOpen && !verifies {
		problems.add("FLORIN_SIGNUP", errors.New("can be open on a public address only with FLORIN_SMTP_URL: "+
			"without mail no e-mail address is verified; use invite or closed"))
	}
	signup := SignupInvite
	if verifies {
		signup = SignupOpen
	}
	c.Signup = cmp.Or(c.Signup, signup)
	return problems
}
