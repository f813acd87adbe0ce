package graph

import (
	"math"
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// rulesFor returns the validation rules of the GraphQL specification and the
// one for amounts. Without introspection no error suggests a name of the
// schema; the executor does so for fields, and these rules for the rest.
func rulesFor(introspection, keyInHeader bool) *rules.Rules {
	r := rules.NewDefaultRules()
	// Rules run in the order of their names, so this one precedes ValuesOfCorrectType.
	r.AddRule("AmountLiterals", amountLiterals)
	r.AddRule("AmountOrPrice", amountOrPrice)
	if keyInHeader {
		r.AddRule("AbsentKeys", emptyKeys)
	}
	if !introspection {
		r.ReplaceRule(rules.KnownArgumentNamesRule.Name, rules.KnownArgumentNamesRuleWithoutSuggestions.RuleFunc)
		r.ReplaceRule(rules.KnownTypeNamesRule.Name, rules.KnownTypeNamesRuleWithoutSuggestions.RuleFunc)
		r.ReplaceRule(rules.ValuesOfCorrectTypeRule.Name, rules.ValuesOfCorrectTypeRuleWithoutSuggestions.RuleFunc)
	}
	return r
}

// amountOrPrice refuses a payment and a donation without amount and price: the default of amount is there for those
// with a price.
func amountOrPrice(observers *core.Events, addError core.AddErrFunc) {
	observers.OnField(func(_ *core.Walker, f *ast.Field) {
		if f.Name != "payment" && f.Name != "StartDonation" || f.ObjectDefinition == nil ||
			f.ObjectDefinition.Name != "Mutation" || f.Arguments.ForName("price") != nil {
			return
		}
		if f.Arguments.ForName("amount") == nil {
			const missing = `Field "%s" argument "amount" of type "Float!" is required, but it was not provided.`
			addError(core.Message(missing, f.Name), core.At(f.Position))
		}
	})
}

// amountLiterals makes a float64 of every literal where a Float is expected,
// so that the operation and not the parser refuses a bad amount, by name and
// with code 400. Not a number becomes NaN; too large a number, the largest.
func amountLiterals(observers *core.Events, _ core.AddErrFunc) {
	observers.OnValue(func(_ *core.Walker, v *ast.Value) {
		isAmount := v.Definition != nil && v.Definition.Name == "Float" && v.ExpectedType != nil &&
			v.ExpectedType.Elem == nil
		if !isAmount || v.Kind == ast.Variable || v.Kind == ast.NullValue {
			return
		}
		if v.Kind != ast.IntValue && v.Kind != ast.FloatValue {
			v.Raw, v.Children = "NaN", nil
		} else if f, err := strconv.ParseFloat(v.Raw, 64); err != nil {
			v.Raw = strconv.FormatFloat(math.Copysign(math.MaxFloat64, f), 'g', -1, 64)
		}
		v.Kind = ast.FloatValue
	})
}
