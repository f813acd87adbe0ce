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
	var price model.PriceInput
	var fields map[string]json.RawMessage
	err := json.Unmarshal(raw, &fields)
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		switch strings.ToLower(field) {
		case "amount":
			_ = price.Amount.UnmarshalJSON(fields[field]) // what is no number is refused by its name
		case "currency":
			if wrong := json.Unmarshal(fields[field], &price.Currency); wrong != nil {
				err = wrong
			}
		default:
			w := Unknown("field", field, []string{"amount", "currency"})
			o.left = append(o.left, fault.Warning{Field: name + "." + w.Field, Reason: w.Reason})
		}
	}
	if err != nil && o.err == nil {
		o.err = fault.About(fault.Invalid, name, `must be an object such as {"amount": "30.50", "currency": "EUR"}`)
	}
	return &price
}
