package jsonbody

import (
	"encoding/json"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/fault"
)

// Price reads an amount in another currency, nil if there is none.
func (o *Object) Price(name string) *model.PriceInput {
	raw := o.field(name)
	if raw == nil || string(raw) == "null" {
		return nil
	}
	var price struct {
		Amount   model.DecimalText `json:"amount"`
		Currency string            `json:"currency"`
	}
	if err := json.Unmarshal(raw, &price); err != nil && o.err == nil {
		o.err = fault.About(fault.Invalid, name, `must be an object such as {"amount": "30.50", "currency": "EUR"}`)
	}
	return &model.PriceInput{Amount: price.Amount, Currency: price.Currency}
}
