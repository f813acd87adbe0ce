package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/exchange/reference"
)

// None is the value that switches something off.
const None = "none"

// rateEvery is how often the sources of rates are read while somebody prices in another currency. What was read counts
// for two and a half minutes, so one reading may fail.
const rateEvery = time.Minute

// parseFence reads where reference rates come from.
func parseFence(text string) (string, error) {
	switch name := strings.ToLower(text); name {
	case None:
		return "", nil
	case reference.ECB, reference.Frankfurter:
		return name, nil
	}
	_, ok := parseURL(text, "http", "https")
	return accept(text, ok, "must be ecb, frankfurter, none, or an http or https address that answers in ECB's form")
}

// addSource reads a source of rates beside the price feeds.
func addSource(list []string, part string) ([]string, error) {
	name, address, elsewhere := strings.Cut(part, "=")
	known := reference.Known(strings.ToLower(name))
	switch {
	case known && !elsewhere:
		part = strings.ToLower(name)
	case known:
		part = strings.ToLower(name) + "=" + address
	default:
		address = part
	}
	if _, ok := parseURL(address, "http", "https"); !ok && (!known || elsewhere) {
		return nil, fmt.Errorf("must be a list of %s, or http or https addresses of your own: %q is none of them",
			strings.Join(reference.Tickers(), ", "), part)
	}
	twice := func(x string) bool { return reference.NameOf(x) == reference.NameOf(part) }
	return accept(append(list, part), !slices.ContainsFunc(list, twice), "has %q twice: one server has one voice", part)
}
