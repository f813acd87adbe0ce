package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/exchange/reference"
)

// rules: a rate more than 3 % from its fence on a fresh day is taken for an error, and a token more than 1 % away
// from a dollar for a depeg, as merchants are promised.
var rules = exchange.Rules{FencePercent: 3, PegPercent: 1}

// newRates returns what knows the rates of currencies. It reads nothing until somebody asks.
func newRates(c config.Config, all networks, shared exchange.Shared, now func() time.Time) *exchange.Service {
	o := exchange.Options{Rules: rules, Every: c.RateEvery, Now: now, Shared: shared}
	for _, x := range all.inOrder() {
		if len(x.feeds) > 0 {
			source := exchange.Feeds(x.Profile.Network, x.feeds, x.readFeeds)
			source.Spent = x.budgetSpent
			o.Sources = append(o.Sources, source)
		}
	}
	o.Own = func(address string) exchange.Source {
		return reference.Merchants(address, c.AllowPrivateCallbacks, now)
	}
	for _, name := range c.RateSources {
		o.Sources = append(o.Sources, reference.Source(name, now))
	}
	if c.RateFence != "" {
		o.Fence = reference.Reader(c.RateFence)
	}
	return exchange.New(o)
}

// ReadRates reads the sources of rates once, for commands.
func ReadRates(ctx context.Context, c config.Config) (exchange.Report, error) {
	all := make(networks)
	for _, n := range c.Networks {
		if !n.Profile.Network.EVM() {
			continue
		}
		x, _, err := openNetwork(c, n, func(string, string) {})
		if err != nil {
			return exchange.Report{}, err
		}
		all[n.Profile.Network] = x
	}
	defer all.close()
	s := newRates(c, all, exchange.Shared{}, Now) // a command reads for itself
	s.Refresh(ctx)
	return s.Report(), nil
}

// budgetSpent reports whether the day's budget of calls to the network is spent.
func (x *network) budgetSpent() bool { return x.calls != nil && x.spent() >= 100 }

// rateTurn is how often it is looked whether the sources of rates are to be read.
const rateTurn = time.Second

func (a *App) rateLoop() loop {
	return loop{name: "rates", every: rateTurn, turn: a.rates.Turn, failed: "rates of currencies are not read"}
}

// sourcesOf identifies the sources of rates that the settings say. Instances with the same ones share what they read.
func sourcesOf(c config.Config, all networks) string {
	var text strings.Builder
	for _, x := range all.inOrder() {
		fmt.Fprintln(&text, x.Profile.Network, x.Profile.ChainID, config.RateFeeds(x.feeds))
	}
	fmt.Fprintln(&text, c.RateSources, c.RateFence)
	sum := sha256.Sum256([]byte(text.String()))
	return hex.EncodeToString(sum[:])
}
