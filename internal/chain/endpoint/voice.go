package endpoint

import (
	"encoding/binary"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/idna"
)

// Voice names who answers at the address: its host and port, in one of their spellings. Addresses of one voice differ
// in scheme, user, path or query only: whatever keys they hold, one node or provider answers, and a second opinion must
// come from another voice. It holds no credentials.
func (u URL) Voice() string { return u.voice }

func voiceOf(u *url.URL) string {
	host := canonical(u.Hostname())
	port, err := strconv.Atoi(u.Port())
	if err != nil || port == 80 || port == 443 {
		return host // http, https, ws and wss reach the same servers
	}
	return host + ":" + strconv.Itoa(port)
}

// Voices returns the first endpoint of each voice.
func Voices[E interface{ Voice() string }](endpoints []E) (first []E) {
	for _, e := range endpoints {
		if !slices.ContainsFunc(first, func(v E) bool { return v.Voice() == e.Voice() }) {
			first = append(first, e)
		}
	}
	return first
}

// Moved returns when something of each voice, such as its newest block, has moved last.
func Moved[E interface{ Voice() string }](endpoints []E, movedAt func(E) time.Time) map[string]time.Time {
	moved := make(map[string]time.Time)
	for _, e := range endpoints {
		if at := movedAt(e); at.After(moved[e.Voice()]) {
			moved[e.Voice()] = at
		}
	}
	return moved
}

// OtherVoices is Voices without that of an endpoint.
func OtherVoices[E interface{ Voice() string }](endpoints []E, voice string) []E {
	return slices.DeleteFunc(Voices(endpoints), func(e E) bool { return e.Voice() == voice })
}

// local are the names by which a machine calls itself.
var local = []string{"localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback"}

// canonical returns one spelling of a host: of a name in Punycode, of an address as netip writes it, and of this
// machine "localhost".
func canonical(host string) string {
	host = strings.ToLower(host)
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	host = strings.TrimRight(host, ".")
	addr, err := netip.ParseAddr(host)
	if err != nil {
		addr = oldForm(host)
	}
	addr = addr.Unmap()
	switch {
	case addr.IsLoopback(), addr.IsUnspecified(), slices.Contains(local, host), strings.HasSuffix(host, ".localhost"):
		return "localhost"
	case addr.IsValid():
		return addr.String()
	}
	return host
}

// oldForm reads an IPv4 address as inet_aton does, and resolvers with it: up to four numbers, decimal, octal or
// hexadecimal, of which the last fills the bytes that the others leave.
func oldForm(host string) netip.Addr {
	parts := strings.Split(host, ".")
	var address uint64
	for i, part := range parts {
		bits := 8
		if i == len(parts)-1 {
			bits = 8 * (4 - i)
		}
		n, err := strconv.ParseUint(part, 0, 32)
		if err != nil || i > 3 || n>>bits > 0 {
			return netip.Addr{}
		}
		address = address<<bits | n
	}
	return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, uint32(address)))) //nolint:gosec // four bytes
}
