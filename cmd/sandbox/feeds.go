package main

import (
	"context"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/sandbox/devchain"
)

// referencePath serves the sandbox's reference rates, as the European Central Bank writes its own.
const referencePath = "/sandbox/eurofxref-daily.xml"

// referenceDollars and referenceYen are what a euro is by the reference rates.
const (
	referenceDollars = "1.1615"
	referenceYen     = "180.25"
)

// firstPrices are what the feeds say at the start, in dollars.
var firstPrices = map[string]money.Micros{"EUR": 1_161_520, "JPY": 6_444, "USDC": 1_000_000, "USDT": 1_000_000}

// feedMaxAge is as long as a feed may rest: the sandbox sets its feeds when it starts.
const feedMaxAge = "168h"

// feedSettings are the feeds of a chain, as an operator would write them.
func feedSettings() string {
	var texts []string
	for _, f := range devchain.Feeds() {
		texts = append(texts, f.Of+"="+f.Address.Hex()+"@"+feedMaxAge)
	}
	return strings.Join(texts, ",")
}

// FeedAct is what a tester does to the price feeds of the euro.
type FeedAct string

// The acts.
const (
	feedsNow      FeedAct = ""         // all say the price that they have at the start
	FeedsMove     FeedAct = "move"     // all say the given price
	FeedsDisagree FeedAct = "disagree" // each says another one, two per cent apart
	FeedsStop     FeedAct = "stop"     // none answers
	FeedsMend     FeedAct = "mend"     // all say again what they said at the start
)

// setFeeds does it on every chain; price is what the euro is worth.
func (s *Sandbox) setFeeds(ctx context.Context, price string, act FeedAct) error {
	euro := firstPrices["EUR"]
	if act == FeedsMove {
		var err error
		if euro, err = money.ParseMicros("the price of a euro", strings.TrimSpace(price)); err != nil {
			return err
		}
	}
	for i, n := range networks {
		dev := s.chains[n.network]
		for _, f := range devchain.Feeds() {
			micros := firstPrices[f.Of]
			if f.Of == "EUR" {
				micros = euro
				if act == FeedsDisagree {
					micros += micros / 50 * money.Micros(i)
				}
			} else if act != feedsNow {
				continue
			}
			err := dev.SetFeed(ctx, f, big.NewInt(int64(micros)*100), time.Now())
			if act == FeedsStop {
				err = dev.StopFeed(ctx, f)
			}
			if err != nil {
				return fmt.Errorf("the price feeds of %s: %w", n.network, err)
			}
		}
		dev.Commit()
	}
	return nil
}

// feeds changes what the price feeds of the euro say.
func (p *pages) feeds(w http.ResponseWriter, r *http.Request) {
	act := FeedAct(r.PostFormValue("act"))
	notices := map[FeedAct]string{
		FeedsMove: "The feeds say another price of the euro.", FeedsDisagree: "The feeds disagree.",
		FeedsStop: "The feeds have stopped.", FeedsMend: "The feeds say again what they said at the start.",
	}
	notice, ok := notices[act]
	if !ok {
		p.refuse(w, r, fault.New(fault.Invalid, "act must be move, disagree, stop or mend"))
		return
	}
	if err := p.sandbox.setFeeds(r.Context(), r.PostFormValue("price"), act); err != nil {
		p.refuse(w, r, err)
		return
	}
	p.back(w, r, notice, "feeds")
}

// reference serves the reference rates of the last working day.
func (*pages) reference(w http.ResponseWriter, _ *http.Request) {
	day := time.Now().UTC()
	for day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
		day = day.AddDate(0, 0, -1)
	}
	w.Header().Set("Content-Type", "text/xml")
	_, _ = fmt.Fprintf(w, `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
<gesmes:subject>Reference rates</gesmes:subject>
<Cube><Cube time='%s'><Cube currency='USD' rate='%s'/><Cube currency='JPY' rate='%s'/></Cube></Cube>
</gesmes:Envelope>
`, day.Format(time.DateOnly), referenceDollars, referenceYen)
}
