package config

import (
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/mail/smtp"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/webhook"
)

// The parsers of values. Their errors are the reasons that the operator reads; they never contain the text, which may
// be a secret.

// accept returns a valid value, or the reason to refuse it.
func accept[T any](v T, valid bool, reason string, args ...any) (T, error) {
	if !valid {
		return *new(T), fmt.Errorf(reason, args...)
	}
	return v, nil
}

// whole returns the parser of a whole number within bounds.
func whole[T ~int | int64 | uint64](least, most int64) func(string) (T, error) {
	return func(text string) (T, error) {
		v, err := strconv.ParseInt(text, 10, 64)
		return accept(T(v), err == nil && least <= v && v <= most,
			"must be a whole number between %d and %d", least, most)
	}
}

// duration returns the parser of a duration within bounds.
func duration(least, most time.Duration) func(string) (time.Duration, error) {
	return func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		return accept(d, err == nil && least <= d && d <= most,
			"must be a duration such as 60m, between %s and %s", least, most)
	}
}

// forever is how long something is kept that is never dropped.
const forever = "forever"

// parseKeep returns the parser of how long something is kept: days such as 90d, a duration such as 36h, or forever,
// which is 0.
func parseKeep(least time.Duration) func(string) (time.Duration, error) {
	const most = 100 * 365 * day
	return func(text string) (time.Duration, error) {
		if text == forever {
			return 0, nil
		}
		d, err := time.ParseDuration(text)
		if days, ok := strings.CutSuffix(text, "d"); ok {
			var n int
			n, err = whole[int](1, int64(most/day))(days)
			d = time.Duration(n) * day
		}
		return accept(d, err == nil && least <= d && d <= most,
			"must be days such as 90d, at least %g, or %s", least.Hours()/day.Hours(), forever)
	}
}

func parseBool(text string) (bool, error) {
	text = strings.ToLower(text)
	on := slices.Contains([]string{"true", "1", "yes", "on"}, text)
	return accept(on, on || slices.Contains([]string{"false", "0", "no", "off"}, text), "must be true or false")
}

// listed returns the parser of a list with commas, semicolons or white space between its parts. Each is added to those
// before it.
func listed[L ~[]T, T any](add func(list L, part string) (L, error)) func(string) (L, error) {
	return func(text string) (list L, err error) {
		for _, part := range separated(text) {
			if list, err = add(list, part); err != nil {
				return nil, err
			}
		}
		return accept(list, len(list) > 0, "has nothing between its commas; leave it empty, or out")
	}
}

// separated splits a list.
func separated(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' || unicode.IsSpace(r) })
}

// addHost reads a host name; *.name stands for every name below one.
func addHost(hosts []string, part string) ([]string, error) {
	h := strings.TrimSuffix(strings.ToLower(part), ".")
	name := strings.TrimPrefix(h, "*.")
	valid := strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789.-:") == "" && !strings.HasPrefix(name, ".")
	return accept(append(hosts, h), name != "" && valid,
		"must be host names, such as shop.example or *.shop.example, with commas between them")
}

// parsePerSecond reads times a second, "0.5", or times in how many seconds, "1/30".
func parsePerSecond(text string) (float64, error) {
	times, seconds, slow := strings.Cut(text, "/")
	if !slow {
		seconds = "1"
	}
	v, err := strconv.ParseFloat(times, 64)
	in, failed := strconv.ParseFloat(seconds, 64)
	v /= in
	return accept(v, err == nil && failed == nil && minPerSecond <= v && v <= maxPerSecond,
		"must be times a second such as 0.5, or in how many seconds such as 1/30, between 1/1000 and %d", maxPerSecond)
}

func parseAmount(text string) (money.Micros, error) {
	m, err := money.ParseMicros("the amount", text)
	if err != nil {
		return 0, err
	}
	return accept(m, m <= maxAmount, "must be at most %s", maxAmount)
}

// Unlimited is the budget of calls of a node of one's own.
const Unlimited = "unlimited"

// Bounds of a budget of calls a day. Fewer would not read a network while payments are open.
const (
	minBudget = 5_000
	maxBudget = 1_000_000_000
)

// addBudget reads a budget of calls a day, of which there is one for all endpoints or one for each; 0 is unlimited.
func addBudget(list []int64, part string) ([]int64, error) {
	v, err := whole[int64](minBudget, maxBudget)(part)
	return accept(append(list, v), err == nil || part == Unlimited, "must be calls a day, a whole number between %d and %d, "+
		"or %s for a node of your own; one for all endpoints, or one for each, with commas between them",
		minBudget, maxBudget, Unlimited)
}

// address returns the parser of an address on the network.
func address(n chain.Network) func(string) (chain.Address, error) {
	return func(text string) (chain.Address, error) {
		w, err := chain.ParseAddress(n, text)
		return w.Address, err
	}
}

// parseChainID reads the chain id of an EVM network (EIP-155).
func parseChainID(text string) (uint64, error) {
	v, err := strconv.ParseUint(text, 10, 63)
	return accept(v, err == nil && v != 0, "must be the chain's number (EIP-155), such as 56")
}

// oneOf returns the parser of one of the texts, in any case.
func oneOf[T ~string](allowed ...T) func(string) (T, error) {
	return func(text string) (T, error) {
		v := T(strings.ToLower(text))
		return accept(v, slices.Contains(allowed, v),
			"must be one of %s", strings.Join(strings.Fields(strings.Trim(fmt.Sprint(allowed), "[]")), ", "))
	}
}

func parseLogLevel(text string) (level slog.Level, err error) {
	err = level.UnmarshalText([]byte(strings.ToUpper(text)))
	return accept(level, err == nil, "must be debug, info, warn or error")
}

func parseHostPort(text string) (string, error) {
	text = strings.TrimPrefix(text, "*") // every address, as other servers write it
	_, port, err := net.SplitHostPort(text)
	_, failed := strconv.ParseUint(port, 10, 16)
	return accept(text, err == nil && failed == nil, "must be host:port such as 127.0.0.1:8080")
}

// parseLoopback reads an address that only this machine reaches.
func parseLoopback(text string) (string, error) {
	text, err := parseHostPort(text)
	if err != nil {
		return "", err
	}
	host, _, _ := net.SplitHostPort(text)
	ip, err := netip.ParseAddr(host)
	return accept(text, err == nil && ip.IsLoopback() || host == "localhost",
		"must be an address of this machine alone, such as 127.0.0.1:6060: profiles show what the program does")
}

// parseURL reads a URL with a host and one of the schemes.
func parseURL(text string, schemes ...string) (*url.URL, bool) {
	u, err := url.Parse(text)
	return u, err == nil && slices.Contains(schemes, u.Scheme) && u.Hostname() != ""
}

// parsePublicURL reads an address that browsers and programs are sent to.
func parsePublicURL(text string) (string, error) {
	u, ok := parseURL(text, "http", "https")
	if ok {
		text = u.Scheme + text[len(u.Scheme):] // in lower case, as it is compared
	}
	return accept(strings.TrimRight(text, "/"), ok && u.User == nil && u.RawQuery == "" && u.Fragment == "",
		"must be an http or https address such as https://pay.example.com, without query")
}

// parseRootURL reads a public address of this program, which is served at the root of its name.
func parseRootURL(text string) (string, error) {
	text, err := parsePublicURL(text)
	if err != nil {
		return "", err
	}
	_, rest, _ := strings.Cut(text, "://")
	return accept(text, !strings.Contains(rest, "/"), "must have no path: links and scripts of its pages begin at the root. "+
		"Give it a name of its own, such as https://pay.example.com")
}

// addEndpoint reads an RPC endpoint: an address for calls, or one that pushes.
func addEndpoint(list []secret.Text, part string) ([]secret.Text, error) {
	endpoint, n := secret.New(part), len(list)+1
	_, ok := parseURL(part, "http", "https", "ws", "wss")
	switch {
	case !ok || strings.Count(part, "://") > 1:
		return nil, fmt.Errorf("endpoint %d must be an http or https address, or a ws or wss one; put commas between "+
			"endpoints, and write %%2C and %%3B where an address has a comma or a semicolon", n)
	case slices.ContainsFunc(list, endpoint.Equal):
		return nil, fmt.Errorf("endpoint %d is there twice: a second endpoint must confirm what the first reports", n)
	}
	return accept(append(list, endpoint), n <= maxEndpoints, "must have at most %d endpoints", maxEndpoints)
}

// addProxy reads a network (CIDR) or a single address.
func addProxy(list []netip.Prefix, part string) ([]netip.Prefix, error) {
	p, err := netip.ParsePrefix(part)
	if a, failed := netip.ParseAddr(part); failed == nil {
		p, err = netip.PrefixFrom(a, a.BitLen()), nil
	}
	return accept(append(list, p.Masked()), err == nil, "must be networks such as 10.0.0.0/8, with commas between them")
}

// headerName is the name of a header.
var headerName = regexp.MustCompile(`^[A-Za-z0-9-]+$`)

func parseHeader(text string) (string, error) {
	switch strings.ToLower(text) {
	case "x-forwarded-for", "forwarded":
		return "", errors.New("must be a header that names the client alone, such as CF-Connecting-IP: X-Forwarded-For is " +
			"read without it, from the proxies in FLORIN_TRUSTED_PROXIES")
	}
	return accept(text, headerName.MatchString(text), "must be the name of a header, such as CF-Connecting-IP")
}

func parseMailFrom(text string) (string, error) {
	_, err := mail.ParseAddress(text)
	return accept(text, err == nil,
		`must be an e-mail address such as florin@example.com or Florin <florin@example.com>, with quotes around a name `+
			`that has a comma or another sign`)
}

// addMail reads an e-mail address.
func addMail(list []string, part string) ([]string, error) {
	a, err := mail.ParseAddress(part)
	if err != nil || a.Address != part {
		return nil, errors.New("must be e-mail addresses such as ops@example.com, with commas between them")
	}
	if slices.Contains(list, part) {
		return list, nil
	}
	return append(list, part), nil
}

// parseHook reads the address of the operator's own webhook, which may lead into the operator's network.
func parseHook(text string) (secret.Text, error) {
	err := webhook.CheckURL(text, true)
	return accept(secret.New(text), err == nil, "must be an http or https address without user, password and fragment")
}

// parseSigningSecret reads a secret of Standard Webhooks 1.0.
func parseSigningSecret(text string) (secret.Text, error) {
	s := secret.New(text)
	_, err := webhook.Sign([]secret.Text{s}, "check", time.Unix(0, 0), nil)
	return accept(s, err == nil,
		`must be whsec_ and the base64 of 24 to 64 bytes; make one with: echo "whsec_$(openssl rand -base64 32)"`)
}

func parseSMTPURL(text string) (secret.Text, error) {
	return secret.New(text), smtp.CheckURL(text)
}

func parseDatabaseURL(text string) (secret.Text, error) {
	return secret.New(text), store.CheckURL(text)
}

func parsePath(text string) (string, error) {
	return accept(text, !strings.ContainsRune(text, 0), "must be the path of a file")
}

// ParseSecretKey reads a FLORIN_SECRET_KEY: base64 in either alphabet, with or without padding.
func ParseSecretKey(text string) (secret.Text, error) {
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		encoding = base64.RawURLEncoding
	}
	raw, err := encoding.Strict().DecodeString(strings.TrimRight(text, "="))
	return accept(secret.New(string(raw)), err == nil && len(raw) == secret.KeyLen,
		"must be %d bytes in base64; make one with `florin keygen`", secret.KeyLen)
}

// fromSecret turns a parser of secrets into one of texts.
func fromSecret[T any](parse func(secret.Text) (T, error)) func(string) (T, error) {
	return func(text string) (T, error) { return parse(secret.New(text)) }
}

// mask replaces a secret, or the part of an address that may hold one.
const mask = "***"

func maskAll(string) string { return mask }

// maskURL shows scheme and host of a URL and hides its credentials, path and query. The path of SQLite is no secret.
func maskURL(text string) string {
	u, err := url.Parse(text)
	switch {
	case strings.HasPrefix(text, "sqlite://"):
		return text
	case err != nil || u.Host == "":
		return mask
	case u.User == nil && strings.Trim(u.Path, "/") == "" && u.RawQuery == "":
		return text
	}
	return u.Scheme + "://" + u.Host + "/" + mask
}

func maskEndpoints(text string) string {
	parts := separated(text)
	for i, p := range parts {
		parts[i] = maskURL(p)
	}
	return strings.Join(parts, ",")
}
