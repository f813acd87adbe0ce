package graph

import (
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// amountOf returns the amount that the operation would receive.
func amountOf(t *testing.T, query, variables string) (model.Decimal, gqlerror.List) {
	t.Helper()
	op, errs := prepare(t, testExecutor(true), query, variables)
	if errs != nil {
		return model.Decimal{}, errs
	}
	field := graphql.CollectFields(op, op.Operation.SelectionSet, []string{"Mutation"})[0]
	var amount model.Decimal
	if err := amount.UnmarshalGQL(field.ArgumentMap(op.Variables)["amount"]); err != nil {
		t.Fatal(err)
	}
	return amount, nil
}

func parsed(d model.Decimal) (money.Micros, error) {
	digits, err := d.Text("amount")
	if err != nil {
		return 0, err
	}
	return money.ParseMicros("amount", digits)
}

const paymentOf = `payment(apiKey: "k", amount: `

// documents with an amount, by where it is written.
func inDocument(text string) map[string]string {
	return map[string]string{
		"Inline":   `mutation { ` + paymentOf + text + `) { code } }`,
		"Fragment": `mutation { ...f } fragment f on Mutation { ` + paymentOf + text + `) { code } }`,
	}
}

func TestAmount_Exact(t *testing.T) {
	t.Parallel()
	const withVariable = `mutation($a: Float!) { ` + paymentOf + `$a) { code } }`
	for text, want := range map[string]money.Micros{
		"10": 10_000_000, "0.1": 100_000, "12.345678": 12_345_678, "1e3": 1_000_000_000, "1.5E-2": 15_000,
		"9007199254740993e-6":           9_007_199_254_740_993,
		"1000000.01":                    1_000_000_010_000,
		"999999.999999":                 999_999_999_999,
		"0.30000000000000000":           300_000,
		"10.00000000000000000000000001": 10_000_000, // its shortest form as a float64
		"10000000000000000e-5":          100_000_000_000_000_000,
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			check := func(place, query, variables string) {
				amount, errs := amountOf(t, query, variables)
				if errs != nil {
					t.Errorf("%s: %v", place, errs)
					return
				}
				if got, err := parsed(amount); err != nil || got != want {
					t.Errorf("%s: %d, %v; want %d", place, got, err, want)
				}
			}
			for place, query := range inDocument(text) {
				check(place, query, "{}")
			}
			check("Variable", withVariable, `{"a": `+text+`}`)
			check("Default", `mutation($a: Float! = `+text+`) { `+paymentOf+`$a) { code } }`, "{}")
		})
	}
}

// The operation refuses a bad amount by its name. Only a variable of another
// type is refused before, as the GraphQL specification says.
func TestAmount_Wrong(t *testing.T) {
	t.Parallel()
	const withVariable = `mutation($a: Float!) { ` + paymentOf + `$a) { code } }`
	for _, text := range []string{
		"0", "-1", "1e400", "-1e400", "0.0000001", "99999999999999999999", `"10"`, "true", "[1]", "[99999999999999999999]",
	} {
		for place, query := range inDocument(text) {
			amount, errs := amountOf(t, query, "{}")
			if _, err := parsed(amount); errs != nil || !fault.Is(err, fault.Invalid) {
				t.Errorf("%s %s: %v, %v; want a fault.Invalid", place, text, errs, err)
			}
		}
		for place, query := range map[string]string{
			"Variable": withVariable, "Default": `mutation($a: Float! = ` + text + `) { ` + paymentOf + `$a) { code } }`,
		} {
			amount, errs := amountOf(t, query, map[string]string{"Variable": `{"a": ` + text + `}`, "Default": "{}"}[place])
			isNumber := text[0] != '[' && text[0] != 't'
			if _, err := parsed(amount); errs == nil && !fault.Is(err, fault.Invalid) ||
				errs != nil && place == "Variable" && isNumber {
				t.Errorf("%s %s: %v, %v; want a fault.Invalid", place, text, errs, err)
			}
		}
	}
	for _, text := range []string{"NaN", "Infinity", `{a: 1}`} {
		amount, errs := amountOf(t, inDocument(text)["Inline"], "{}")
		if _, err := parsed(amount); errs != nil || !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v, %v; want a fault.Invalid", text, errs, err)
		}
	}
}

func TestAmount_Null(t *testing.T) {
	t.Parallel()
	if _, errs := prepare(t, testExecutor(true), inDocument("null")["Inline"], "{}"); errs == nil {
		t.Error("null was accepted as a Float!")
	}
}
