package merchant

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/florinpay/florin/internal/fault"
)

// MaxSources bounds the source networks of a key: every request compares with each.
const MaxSources = 20

// Sources are the networks that a key may be used from, in CIDR notation separated
// by spaces. Empty: from everywhere. It is comparable and stored as it is.
type Sources string

// ParseSources reads networks (CIDR) and single addresses, separated by spaces,
// commas or lines, or fails with fault.Invalid about the field "networks".
func ParseSources(texts ...string) (Sources, error) {
	var list []string
	for _, one := range strings.FieldsFunc(strings.Join(texts, " "), between) {
		p, err := parseSource(one)
		if err != nil {
			return "", fault.About(fault.Invalid, "networks",
				"must be networks such as 203.0.113.0/24 or 2001:db8::/48, or single addresses")
		}
		if text := p.String(); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	if len(list) > MaxSources {
		return "", fault.About(fault.Invalid, "networks", "must be at most %d networks", MaxSources)
	}
	return Sources(strings.Join(list, " ")), nil
}

func between(r rune) bool { return strings.ContainsRune(" ,;\t\r\n", r) }

// parseSource returns the network without the bits of hosts. An IPv4 network in
// IPv6 notation is one of IPv4, since callers are compared as such.
func parseSource(text string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(text); err == nil {
		a = a.Unmap().WithZone("")
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("source network: %w", err)
	}
	const mapped = 96 // the bits before the IPv4 address in ::ffff:0:0/96
	if p.Addr().Is4In6() && p.Bits() >= mapped {
		p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-mapped)
	}
	return p.Masked(), nil
}

// List returns the networks.
func (s Sources) List() []string { return strings.Fields(string(s)) }

// Allow reports whether the key may be used from the address. A caller whose
// address is not known is not in any network.
func (s Sources) Allow(from netip.Addr) bool {
	if s == "" {
		return true
	}
	from = from.Unmap().WithZone("")
	return slices.ContainsFunc(s.List(), func(text string) bool {
		p, err := netip.ParsePrefix(text)
		return err == nil && p.Contains(from)
	})
}

// ErrWrongSource refuses a key that is used from outside its networks. It does not
// name them: the caller may be a thief.
var ErrWrongSource = fault.New(fault.Forbidden, "this API key is not accepted from your network address")
