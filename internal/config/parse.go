package config

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
)

// The parsers of values. Their errors are the reasons the operator reads; they
// never hold the text, which may be a secret.

func parseWhole(text string, least, most int64) (int64, error) {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil || v < least || v > most {
		return 0, fmt.Errorf("must be a whole number between %d and %d", least, most)
	}
	return v, nil
}

func parseBool(text string) (bool, error) {
	switch strings.ToLower(text) {
	case "true", "1", "yes", "on":
		return true, nil
	case "false", "0", "no", "off":
		return false, nil
	}
	return false, errors.New("must be true or false")
}

func parseTTL(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < MinTTL || d > MaxTTL {
		return 0, fmt.Errorf("must be a duration such as 60m, between %s and %s", MinTTL, MaxTTL)
	}
	return d, nil
}

// within returns the parser of a duration between two others.
func within(least, most time.Duration) func(string) (time.Duration, error) {
	return func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		if err != nil || d < least || d > most {
			return 0, fmt.Errorf("must be a duration such as 1m, between %s and %s", least, most)
		}
		return d, nil
	}
}

// weiPerMicroGwei is the scale between a price in gwei, read with 6 decimal
// places, and wei.
const weiPerMicroGwei = 1_000

// parseGwei reads a price of gas in gwei, as wei.
func parseGwei(text string) (money.Units, error) {
	m, err := money.ParseMicros("it", text)
	if err != nil || m > money.USD*1_000_000 {
		return money.Units{}, errors.New("must be a price in gwei such as 0.5, above 0, at most 1000000, with at most 6 decimal places")
	}
	return money.NewUnits(new(big.Int).Mul(big.NewInt(int64(m)), big.NewInt(weiPerMicroGwei))), nil
}

// parsePriorityFee reads a price of compute in micro-lamports a unit.
func parsePriorityFee(text string) (uint64, error) {
	v, err := parseWhole(text, 1, HighestPriorityFee)
	if err != nil {
		return 0, fmt.Errorf("must be micro-lamports a unit of compute, a whole number between 1 and %d", int64(HighestPriorityFee))
	}
	return uint64(v), nil
}

// parsePublicURL reads an address that people and programs are sent to.
func parsePublicURL(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" ||
		u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", errors.New("must be an http or https address such as https://pay.example.com, without query")
	}
	return strings.TrimRight(text, "/"), nil
}

func parseOneOf[T ~string](text string, allowed ...T) (T, error) {
	if v := T(strings.ToLower(text)); slices.Contains(allowed, v) {
		return v, nil
	}
	names := make([]string, len(allowed))
	for i, a := range allowed {
		names[i] = string(a)
	}
	return "", fmt.Errorf("must be one of %s", strings.Join(names, ", "))
}

func parseSecretKey(text string) (secret.Text, error) {
	text = strings.TrimRight(text, "=")
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(text, "-_") {
		encoding = base64.RawURLEncoding
	}
	raw, err := encoding.Strict().DecodeString(text)
	if err != nil || len(raw) != secret.KeyLen {
		return secret.Text{}, fmt.Errorf("must be %d bytes in base64; make one with `florin keygen`", secret.KeyLen)
	}
	return secret.New(string(raw)), nil
}

func parseDatabaseURL(text string) (secret.Text, error) {
	if path, ok := strings.CutPrefix(text, "sqlite://"); ok && path != "" {
		return secret.New(text), nil
	}
	if u, err := url.Parse(text); err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql") {
		return secret.New(text), nil
	}
	return secret.Text{}, errors.New("must be sqlite://PATH or postgres://USER:PASSWORD@HOST/DATABASE")
}

func parseSMTPURL(text string) (secret.Text, error) {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "smtp" && u.Scheme != "smtps") || u.Hostname() == "" {
		return secret.Text{}, errors.New("must be smtp://USER:PASSWORD@HOST:PORT, or smtps:// for implicit TLS")
	}
	return secret.New(text), nil
}

func parseMailFrom(text string) (string, error) {
	if _, err := mail.ParseAddress(text); err != nil {
		return "", errors.New("must be an e-mail address such as florin@example.com or Florin <florin@example.com>")
	}
	return text, nil
}

// parseEndpoints reads RPC endpoints with commas between them.
func parseEndpoints(text string) ([]secret.Text, error) {
	var list []secret.Text
	for i, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		u, err := url.Parse(part)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
			return nil, fmt.Errorf("endpoint %d must be an http or https address; put commas between endpoints", i+1)
		}
		if endpoint := secret.New(part); slices.ContainsFunc(list, endpoint.Equal) {
			return nil, fmt.Errorf("endpoint %d is there twice: a second opinion must come from somebody else", i+1)
		}
		list = append(list, secret.New(part))
	}
	if len(list) > MaxEndpoints {
		return nil, fmt.Errorf("must have at most %d endpoints", MaxEndpoints)
	}
	return list, nil
}

// parseProxies reads networks (CIDR) and single addresses with commas between them.
func parseProxies(text string) ([]netip.Prefix, error) {
	var list []netip.Prefix
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		p, err := netip.ParsePrefix(part)
		if err != nil {
			a, failed := netip.ParseAddr(part)
			if failed != nil {
				return nil, errors.New("must be networks such as 10.0.0.0/8, with commas between them")
			}
			p = netip.PrefixFrom(a, a.BitLen())
		}
		list = append(list, p.Masked())
	}
	return list, nil
}

// maskURL shows where a URL leads and hides its credentials, path and query.
func maskURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return mask
	}
	if u.User == nil && strings.Trim(u.Path, "/") == "" && u.RawQuery == "" {
		return text
	}
	return u.Scheme + "://" + u.Host + "/" + mask
}

func maskDatabaseURL(text string) string {
	if strings.HasPrefix(text, "sqlite://") {
		return text
	}
	return maskURL(text)
}

func maskEndpoints(text string) string {
	parts := strings.Split(text, ",")
	for i, p := range parts {
		parts[i] = maskURL(strings.TrimSpace(p))
	}
	return strings.Join(parts, ",")
}
