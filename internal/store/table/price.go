package table

import (
	"strings"

	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/store/db"
)

// between stands between the sources of a rate.
const between = ","

// Price returns the price of a payment from its columns; none for most.
func Price(currency string, units, rate int64, at db.Instant, sources string, markup int64) exchange.Price {
	if currency == "" {
		return exchange.Price{}
	}
	p := exchange.Price{
		Sum:   exchange.Sum{Currency: exchange.Currency(currency), Units: units},
		Quote: exchange.Quote{Rate: exchange.Rate(rate), At: at.Time, Markup: markup},
	}
	if sources != "" {
		p.Sources = strings.Split(sources, between)
	}
	return p
}

// RateSources returns the column of the sources of a rate.
func RateSources(p exchange.Price) string { return strings.Join(p.Sources, between) }
