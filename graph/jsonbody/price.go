package jsonbody

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

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
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(raw, &fields) // what is no object is refused already
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		if known := []string{"amount", "currency"}; !slices.Contains(known, strings.ToLower(field)) {
			w := Unknown("field", field, known)
			o.left = append(o.left, fault.Warning{Field: name + "." + w.Field, Reason: w.Reason})
		}
	}
	return &model.PriceInput{Amount: price.Amount, Currency: price.Currency}
}
