package reference

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/exchange"
)

// The exchanges whose public prices can be asked for. Each says what a token costs in a currency; a token that is not
// worth a dollar stops prices in other currencies, so a dollar is taken to cost as much.
const (
	Kraken    = "kraken"
	Coinbase  = "coinbase"
	CoinGecko = "coingecko"
)

const (
	// tickerAge is how old a price may be by what its server says.
	tickerAge = 10 * time.Minute
	// tickerPlaces is the scale of answers.
	tickerPlaces = exchange.RateDecimals
)

// listed are the currencies that are asked for: those of the European Central Bank's reference rates, which fence them,
// and some that have price feeds.
var listed = strings.Fields("AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF IDR ILS INR ISK JPY KRW MXN MYR NOK NZD PHP PLN " +
	"RON SEK SGD THB TRY ZAR NGN COP")

// ticker is how an exchange is asked and answers.
type ticker struct {
	address string
	of      []string
	parse   func(raw []byte, now time.Time) (map[string]price, error)
}

// price is what a unit of a currency is worth in US dollars, and since when.
type price struct {
	dollars *big.Rat
	at      time.Time
}

var tickers = map[string]ticker{
	Kraken: {
		"https://api.kraken.com/0/public/Ticker?pair=" + pairs(krakenHas), krakenHas, parseKraken,
	},
	Coinbase: {"https://api.coinbase.com/v2/exchange-rates?currency=USDC", listed, parseCoinbase},
	CoinGecko: {
		"https://api.coingecko.com/api/v3/simple/price?ids=usd-coin&include_last_updated_at=true&precision=full" +
			"&vs_currencies=" + strings.ToLower(strings.Join(listed, ",")), listed, parseCoinGecko,
	},
}

// krakenHas are the currencies in which Kraken trades USDT. A pair that it does not know spoils its whole answer.
var krakenHas = []string{"AUD", "CAD", "CHF", "EUR", "GBP", "JPY"}

func pairs(currencies []string) string {
	all := make([]string, len(currencies))
	for i, c := range currencies {
		all[i] = "USDT" + c
	}
	return strings.Join(all, ",")
}

// Tickers lists the exchanges that are known by name.
func Tickers() []string { return []string{Kraken, Coinbase, CoinGecko} }

// Known reports whether the exchange is known by name.
func Known(name string) bool { return slices.Contains(Tickers(), name) }

// NameOf is how a source is named in records: an exchange by its name, another server by its host.
func NameOf(source string) string {
	if name, _, ok := strings.Cut(source, "="); ok && Known(name) {
		return name
	}
	if u, err := url.Parse(source); err == nil && u.Host != "" {
		return u.Hostname()
	}
	return source
}

// Source returns a source of rates: kraken, coinbase or coingecko, which is asked on public addresses only;
// kraken=ADDRESS, another server that answers as it does; or an address of the operator's own.
func Source(text string, now func() time.Time) exchange.Source {
	name, address, elsewhere := strings.Cut(text, "=")
	t, known := tickers[name]
	switch {
	case !known:
		t = ticker{text, listed, parseOwn}
	case elsewhere:
		t.address = address
	}
	return source(NameOf(text), t, known && !elsewhere, now)
}

// Merchants returns a merchant's own address as a source of rates. It is asked on public addresses only, unless private
// ones are allowed as they are for callbacks.
func Merchants(address string, private bool, now func() time.Time) exchange.Source {
	return source(NameOf(address), ticker{address, listed, parseOwn}, !private, now)
}

func source(name string, t ticker, guarded bool, now func() time.Time) exchange.Source {
	client := newClient(guarded)
	return exchange.Source{Name: name, Of: t.of, Read: func(ctx context.Context) ([]exchange.Reading, error) {
		raw, err := get(ctx, client, t.address)
		if err != nil {
			return nil, err
		}
		prices, err := t.parse(raw, now())
		if err != nil {
			return nil, err
		}
		return readings(t.of, prices), nil
	}}
}

// readings returns a reading for each currency, also for those that are missing.
func readings(of []string, prices map[string]price) []exchange.Reading {
	list := make([]exchange.Reading, len(of))
	for i, c := range of {
		list[i] = exchange.Reading{Of: c, Problem: "it does not have it"}
		if p, ok := prices[c]; ok {
			list[i] = exchange.Reading{
				Of: c, Answer: rounded(p.dollars), Decimals: tickerPlaces, Places: tickerPlaces,
				Description: c + " / USD",
				UpdatedAt:   p.at, MaxAge: tickerAge,
			}
		}
	}
	return list
}

// rounded is a rate as an integer with tickerPlaces.
func rounded(x *big.Rat) *big.Int {
	scaled := new(big.Int).Mul(x.Num(), new(big.Int).Exp(big.NewInt(10), big.NewInt(tickerPlaces), nil))
	return scaled.Lsh(scaled, 1).Add(scaled, x.Denom()).Quo(scaled, new(big.Int).Lsh(x.Denom(), 1))
}

// number is a price without sign and exponent: an exponent would take all memory.
var number = regexp.MustCompile(`^[0-9]{1,12}(\.[0-9]{1,30})?$`)

// inverse returns what a unit of a currency is worth, of which a dollar costs so many.
func inverse(text string, at time.Time) (price, error) {
	p, err := parsePrice(text, at)
	if err == nil {
		p.dollars.Inv(p.dollars)
	}
	return p, err
}

func parsePrice(text string, at time.Time) (price, error) {
	if !number.MatchString(text) {
		return price{}, fmt.Errorf("%.20q is no price", text)
	}
	x, _ := new(big.Rat).SetString(text)
	if x.Sign() == 0 {
		return price{}, errors.New("a price is zero")
	}
	return price{x, at}, nil
}

// krakenKey is a pair as Kraken's answers name it: not always as it was asked for.
var krakenKey = regexp.MustCompile(`^X?USDTZ?([A-Z]{3})$`)

// parseKraken reads the answer of Kraken's /0/public/Ticker: the price of the last trade of each pair. It says its
// errors with status 200.
func parseKraken(raw []byte, now time.Time) (map[string]price, error) {
	var answer struct {
		Error  []string
		Result map[string]struct {
			C []string // price of the last trade, and its volume
		}
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, fmt.Errorf("answer of Kraken: %w", err)
	}
	if len(answer.Error) > 0 {
		return nil, fmt.Errorf("answer of Kraken: it says %.80q", answer.Error[0])
	}
	prices := make(map[string]price)
	for key, x := range answer.Result {
		m := krakenKey.FindStringSubmatch(key)
		if m == nil || len(x.C) == 0 {
			return nil, fmt.Errorf("answer of Kraken: %.20q is no pair", key)
		}
		p, err := inverse(x.C[0], now)
		if err != nil {
			return nil, fmt.Errorf("answer of Kraken: %s: %w", m[1], err)
		}
		prices[m[1]] = p
	}
	return prices, nil
}

// parseCoinbase reads the answer of Coinbase's /v2/exchange-rates for USDC: how much of each currency it costs.
func parseCoinbase(raw []byte, now time.Time) (map[string]price, error) {
	var answer struct {
		Data struct {
			Currency string
			Rates    map[string]string
		}
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, fmt.Errorf("answer of Coinbase: %w", err)
	}
	if answer.Data.Currency != "USDC" {
		return nil, fmt.Errorf("answer of Coinbase: it is about %.10q", answer.Data.Currency)
	}
	prices := make(map[string]price)
	for _, c := range listed { // it has hundreds of coins, too
		text, ok := answer.Data.Rates[c]
		if !ok {
			continue
		}
		p, err := inverse(text, now)
		if err != nil {
			return nil, fmt.Errorf("answer of Coinbase: %s: %w", c, err)
		}
		prices[c] = p
	}
	return prices, nil
}

// parseCoinGecko reads the answer of CoinGecko's /simple/price for USDC.
func parseCoinGecko(raw []byte, _ time.Time) (map[string]price, error) {
	var answer map[string]map[string]json.Number
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, fmt.Errorf("answer of CoinGecko: %w", err)
	}
	coin := answer["usd-coin"]
	seconds, err := coin["last_updated_at"].Int64()
	if err != nil {
		return nil, errors.New("answer of CoinGecko: it does not say of when it is")
	}
	prices := make(map[string]price)
	for _, c := range listed {
		text, ok := coin[strings.ToLower(c)]
		if !ok {
			continue
		}
		p, err := inverse(text.String(), time.Unix(seconds, 0))
		if err != nil {
			return nil, fmt.Errorf("answer of CoinGecko: %s: %w", c, err)
		}
		prices[c] = p
	}
	return prices, nil
}

// parseOwn reads the answer of a server of one's own, what a unit of each currency is worth in US dollars:
// {"updatedAt": "2026-11-26T14:03:00Z", "rates": {"EUR": "1.16152"}}.
func parseOwn(raw []byte, _ time.Time) (map[string]price, error) {
	var answer struct {
		UpdatedAt time.Time
		Rates     map[string]json.Number
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return nil, fmt.Errorf("the answer is not in the form of rates: %w", err)
	}
	if answer.UpdatedAt.IsZero() || len(answer.Rates) == 0 {
		return nil, errors.New("the answer needs updatedAt and rates")
	}
	prices := make(map[string]price)
	for c, text := range answer.Rates {
		p, err := parsePrice(text.String(), answer.UpdatedAt)
		if err != nil {
			return nil, fmt.Errorf("%.10q: %w", c, err)
		}
		prices[c] = p
	}
	return prices, nil
}
