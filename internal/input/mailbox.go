package input

import (
	"net/netip"
	"strings"
	"unicode"
)

// Mailbox returns the address of somebody else's customer without the space around it, or an empty text if no mail
// server takes it. It is wider than Email, by which users sign in: a part before the @ may have dots anywhere, as
// carriers have handed them out, be in quotes, or in letters of any script (RFC 5321, RFC 6531).
func Mailbox(text string) string {
	address := strings.TrimSpace(Mended(text))
	at := strings.LastIndexByte(address, '@')
	if _, found := Problem(address); found || at < 0 || len(address) > maxEmail ||
		!mailLocal(address[:at]) || !mailDomain(address[at+1:]) {
		return ""
	}
	return address
}

// mailLocal checks the part before the @.
func mailLocal(text string) bool {
	if quoted, ok := strings.CutPrefix(text, `"`); ok {
		quoted, ok = strings.CutSuffix(quoted, `"`)
		plain := strings.NewReplacer(`\\`, "", `\"`, "").Replace(quoted)
		return ok && plain+quoted != "" && !strings.ContainsAny(plain, "\"\\\n")
	}
	return strings.Trim(text, ".") != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(`()<>[]:;@\,"`, r)
	})
}

// mailDomain checks the part behind the @: a host, or an address in brackets.
func mailDomain(text string) bool {
	if literal, ok := strings.CutPrefix(text, "["); ok {
		literal, ok = strings.CutSuffix(literal, "]")
		_, err := netip.ParseAddr(strings.TrimPrefix(literal, "IPv6:"))
		return ok && err == nil
	}
	ascii := asciiHost(text)
	return HostName(ascii) && !EndsInNumber(ascii)
}
