package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/exchange/reference"
	"github.com/florinpay/florin/internal/money"
)

// None is the value that switches something off.
const None = "none"

// RateFeeds are the price feeds of a network. One without a contract removes the compiled-in one.
type RateFeeds []chain.Feed

// String writes the feeds as they are set.
func (f RateFeeds) String() string {
	texts := make([]string, len(f))
	for i, x := range f {
		texts[i] = fmt.Sprintf("%s=%s@%s", x.Of, x.Contract, x.MaxAge)
		if x.Contract == "" {
			texts[i] = x.Of + "=" + None
		}
	}
	return strings.Join(texts, ",")
}

// over returns the compiled-in feeds with these instead of those of the same currency or token.
func (f RateFeeds) over(compiled []chain.Feed) RateFeeds {
	all := RateFeeds(slices.DeleteFunc(compiled, func(c chain.Feed) bool {
		return slices.ContainsFunc(f, func(x chain.Feed) bool { return x.Of == c.Of })
	}))
	for _, x := range f {
		if x.Contract != "" {
			all = append(all, x)
		}
	}
	return all
}

// rateEvery is how often the sources of rates are read while somebody prices in another currency. What was read counts
// for two and a half minutes, so one reading may fail.
const rateEvery = time.Minute

// maxFeedAge is longer than the heartbeat of any feed.
const maxFeedAge = 7 * day

// addFeed returns what reads a price feed, such as EUR=0x…@26h.
func addFeed(n chain.Network) func(RateFeeds, string) (RateFeeds, error) {
	return func(list RateFeeds, part string) (_ RateFeeds, err error) {
		of, where, ok := strings.Cut(part, "=")
		contract, age, aged := strings.Cut(where, "@")
		f := chain.Feed{Of: strings.ToUpper(of), MaxAge: chain.FeedMaxAge}
		if aged {
			f.MaxAge, err = duration(time.Second, maxFeedAge)(age)
		}
		if err == nil && contract != None {
			f.Contract, err = address(n)(contract)
		}
		if !ok || err != nil || !priced(f.Of) {
			return nil, fmt.Errorf("must be feeds such as EUR=0x…@26h,USDC=0x…: a currency (ISO 4217) or a token, its "+
				"contract or %s, and how old its price may be, between 1s and %s", None, maxFeedAge)
		}
		return accept(append(list, f), !slices.ContainsFunc(list, func(x chain.Feed) bool { return x.Of == f.Of }),
			"has a currency or token twice: one network has one voice")
	}
}

// priced reports whether the text is a currency other than the dollar, or a token.
func priced(of string) bool {
	if _, err := money.ParseToken(of); err == nil {
		return true
	}
	c, err := exchange.ParseCurrency(of)
	return err == nil && c != exchange.USD
}

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
