package session

import (
	"cmp"

	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views/panel"
)

// CurrencyField completes the input of a currency, which begins with that of the key.
func CurrencyField(k merchant.Key, x panel.Field) panel.Field {
	x.Name, x.Label, x.Value = "currency", cmp.Or(x.Label, "Currency"), string(k.Currency)
	x.Max, x.Placeholder, x.Autocomplete = "3", string(exchange.USD), "off"
	return x
}
