package input

import (
	"net/netip"
	"net/url"
	"strings"
	"unicode"

	"github.com/florinpay/florin/internal/fault"
)

// Bounds of DNS (RFC 1035 section 2.3.4).
const (
	maxHost  = 253
	maxLabel = 63
)

// checkHost refuses, with fault.Invalid, a URL whose host cannot exist: an address with a zone, which is known to one
// machine alone, or a name that DNS has no room for. An international name may be written in its own letters.
func checkHost(field string, u *url.URL) error {
	host := u.Hostname()
	if addr, err := netip.ParseAddr(host); err == nil {
		if addr.Zone() != "" {
			return fault.About(fault.Invalid, field, "must not hold an address with a zone")
		}
		return nil
	}
	ascii := asciiHost(strings.TrimSuffix(host, "."))
	switch {
	case !HostName(ascii):
		return fault.About(fault.Invalid, field, "must name a host that can exist, such as shop.example")
	case EndsInNumber(ascii):
		return fault.About(fault.Invalid, field, "must write an IPv4 address as four decimal numbers")
	}
	return nil
}

// asciiHost returns a name in lower case, with an x for each letter of another script.
func asciiHost(host string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r > '~' && !unicode.IsSpace(r) {
			return 'x'
		}
		return r
	}, host))
}

// HostName checks the syntax of a DNS name in lower case; an underscore is allowed, since such names do resolve.
func HostName(host string) bool {
	if len(host) > maxHost {
		return false
	}
	for label := range strings.SplitSeq(host, ".") {
		if label == "" || len(label) > maxLabel || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for _, c := range []byte(label) {
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return false
			}
		}
	}
	return true
}

// EndsInNumber reports whether some resolvers read the name as an IPv4 address: 2130706433, 0x7f000001, 0177.0.0.1,
// 127.1 (WHATWG URL "ends in a number"). The name is in lower case.
func EndsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last != "" && strings.Trim(last, "0123456789") == "" {
		return true
	}
	hex, ok := strings.CutPrefix(last, "0x")
	return ok && strings.Trim(hex, "0123456789abcdef") == ""
}
