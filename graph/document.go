package graph

import (
	"fmt"
	"maps"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"github.com/florinpay/florin/graph/model"
)

// floatType is the schema's type of amounts.
const floatType = "Float"

// document is a parsed and valid document, ready to be executed any number of
// times. It is immutable.
type document struct {
	query *ast.QueryDocument
	// literals are the numbers written in the document, by the names of the
	// variables that took their place.
	literals map[string]any
}

// maxErrors is the most errors an answer lists.
const maxErrors = 10

// parse makes a document of the text, or returns what is wrong with it.
func (e *executor) parse(text string) (*document, gqlerror.List) {
	query, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, e.limits.Tokens)
	if err != nil {
		return nil, asList(err, errcode.ParseFailed)
	}
	if len(query.Operations) == 0 {
		return nil, asList(gqlerror.Errorf("the document holds no operation"), errcode.ValidationFailed)
	}
	if err := e.limits.check(query); err != nil {
		return nil, asList(err, errcode.ValidationFailed)
	}
	if errs := validator.ValidateWithRules(e.schema.Schema(), query, rulesFor(e.introspection)); len(errs) > 0 {
		for _, err := range errs {
			errcode.Set(err, errcode.ValidationFailed)
		}
		return nil, errs[:min(len(errs), maxErrors)]
	}
	d := &document{query: query, literals: make(map[string]any)}
	for _, op := range query.Operations {
		d.takeNumbers(op.SelectionSet)
	}
	for _, f := range query.Fragments {
		d.takeNumbers(f.SelectionSet)
	}
	return d, nil
}

func asList(err error, code string) gqlerror.List {
	wrapped := gqlerror.Wrap(err)
	if g, ok := err.(*gqlerror.Error); ok { //nolint:errorlint // the parser returns the type itself
		wrapped = g
	}
	errcode.Set(wrapped, code)
	return gqlerror.List{wrapped}
}

// takeNumbers puts a variable in the place of every Float written in the
// selections, so that the generated code finds the digits and not a float64.
func (d *document) takeNumbers(set ast.SelectionSet) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			for _, arg := range s.Arguments {
				d.takeNumber(arg.Value)
			}
			d.takeNumbers(s.SelectionSet)
		case *ast.InlineFragment:
			d.takeNumbers(s.SelectionSet)
		}
	}
}

func (d *document) takeNumber(v *ast.Value) {
	if isFloat(v) {
		if v.Kind == ast.Variable || v.Kind == ast.NullValue {
			return
		}
		// No document can declare a variable of this name.
		name := fmt.Sprintf("literal %d", len(d.literals))
		d.literals[name] = decimalOf(v)
		*v = ast.Value{Kind: ast.Variable, Raw: name, Position: v.Position, Definition: v.Definition, ExpectedType: v.ExpectedType}
		return
	}
	for _, child := range v.Children {
		d.takeNumber(child.Value)
	}
}

func decimalOf(v *ast.Value) model.Decimal {
	if v.Kind == ast.IntValue || v.Kind == ast.FloatValue {
		return model.Number(v.Raw)
	}
	return model.NotNumber()
}

func isFloat(v *ast.Value) bool {
	return v.Definition != nil && v.Definition.Name == floatType && v.ExpectedType != nil && v.ExpectedType.Elem == nil
}

// variables returns what the document is executed with: the caller's
// variables and its own numbers.
func (d *document) variables(given map[string]any) map[string]any {
	if len(d.literals) == 0 {
		return given
	}
	maps.Copy(given, d.literals)
	return given
}

// rulesFor returns the rules of the GraphQL specification. What is written
// where a Float belongs is not judged by them, but by the operation, which can
// say what is wrong with it. Without introspection no name of the schema is
// suggested either.
func rulesFor(introspection bool) *rules.Rules {
	r := rules.NewDefaultRules()
	values := rules.ValuesOfCorrectTypeRule
	if !introspection {
		for plain, quiet := range map[string]core.Rule{
			rules.FieldsOnCorrectTypeRule.Name: rules.FieldsOnCorrectTypeRuleWithoutSuggestions,
			rules.KnownArgumentNamesRule.Name:  rules.KnownArgumentNamesRuleWithoutSuggestions,
			rules.KnownTypeNamesRule.Name:      rules.KnownTypeNamesRuleWithoutSuggestions,
			rules.ScalarLeafsRule.Name:         rules.ScalarLeafsRuleWithoutSuggestions,
		} {
			r.RemoveRule(plain)
			r.AddRule(quiet.Name, quiet.RuleFunc)
		}
		values = rules.ValuesOfCorrectTypeRuleWithoutSuggestions
		r.AddRule("NoIntrospection", noIntrospection)
	}
	r.RemoveRule(rules.ValuesOfCorrectTypeRule.Name)
	r.AddRule(values.Name, exceptFloats(values.RuleFunc))
	return r
}

// exceptFloats drops a rule's errors about values where a Float belongs, save
// for null where null is not allowed.
func exceptFloats(rule core.RuleFunc) core.RuleFunc {
	return func(observers *core.Events, addError core.AddErrFunc) {
		var current *ast.Value
		observers.OnValue(func(_ *core.Walker, v *ast.Value) { current = v })
		rule(observers, func(options ...core.ErrorOption) {
			if current != nil && isFloat(current) && current.Kind != ast.NullValue {
				return
			}
			addError(options...)
		})
	}
}

// noIntrospection refuses to tell the schema.
func noIntrospection(observers *core.Events, addError core.AddErrFunc) {
	observers.OnField(func(_ *core.Walker, f *ast.Field) {
		if f.Name == "__schema" || f.Name == "__type" {
			addError(core.Message("introspection is switched off"), core.At(f.Position))
		}
	})
}
