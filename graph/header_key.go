package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator/core"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/secret"
)

// keyArgument is the name of the API key among arguments and fields of inputs. The contract requires it, so a request
// whose key is in a header gets an empty one where it leaves it out: keyOf reads the header then.
const keyArgument = "apiKey"

// keyOf returns the API key of an argument, or else that of a header.
func keyOf(ctx context.Context, argument string) secret.Text {
	if argument != "" {
		return secret.New(argument)
	}
	return operation.CallOf(ctx).Key
}

// emptyKeys is a rule that adds the key where a document leaves it out. Its name must precede those of the rules that
// would miss it.
func emptyKeys(observers *core.Events, _ core.AddErrFunc) {
	empty := func(p *ast.Position) *ast.Value { return &ast.Value{Kind: ast.StringValue, Position: p} }
	observers.OnValue(func(_ *core.Walker, v *ast.Value) {
		if v.Kind == ast.ObjectValue && needsKey(v.Definition) && v.Children.ForName(keyArgument) == nil {
			v.Children = append(
				v.Children, &ast.ChildValue{Name: keyArgument, Value: empty(v.Position), Position: v.Position},
			)
		}
	})
	observers.OnField(func(_ *core.Walker, f *ast.Field) {
		if f.Definition != nil && f.Definition.Arguments.ForName(keyArgument) != nil &&
			f.Arguments.ForName(keyArgument) == nil {
			f.Arguments = append(
				f.Arguments, &ast.Argument{Name: keyArgument, Value: empty(f.Position), Position: f.Position},
			)
		}
	})
}

// needsKey reports whether values of the type hold an API key.
func needsKey(d *ast.Definition) bool {
	return d != nil && d.Kind == ast.InputObject && d.Fields.ForName(keyArgument) != nil
}

// emptyKeyVariables does the same with variables.
type emptyKeyVariables struct {
	named
	schema   *ast.Schema
	tokens   int
	accepted documentCache
}

// MutateOperationParameters adds an empty key to the variables that stand for one and were left out. It leaves a
// document that does not parse to the executor.
func (e emptyKeyVariables) MutateOperationParameters(ctx context.Context, r *graphql.RawParams) *gqlerror.Error {
	document, ok := e.accepted.Get(ctx, r.Query)
	if !ok {
		var err error
		if document, err = parser.ParseQueryWithTokenLimit(&ast.Source{Input: r.Query}, e.tokens); err != nil {
			return nil //nolint:nilerr // the executor reports it
		}
	}
	op := document.Operations.ForName(r.OperationName)
	if op == nil {
		return nil
	}
	keys := keyVariables(document)
	if r.Variables == nil {
		r.Variables = map[string]any{}
	}
	for _, v := range op.VariableDefinitions {
		given := r.Variables[v.Variable]
		switch object, isObject := given.(map[string]any); {
		case given == nil && v.DefaultValue == nil && keys[v.Variable]:
			r.Variables[v.Variable] = ""
		case isObject && needsKey(e.schema.Types[v.Type.NamedType]) && object[keyArgument] == nil:
			object[keyArgument] = ""
		}
	}
	return nil
}

// keyVariables returns the names of the variables that are given as a key.
func keyVariables(d *ast.QueryDocument) map[string]bool {
	found := map[string]bool{}
	take := func(name string, v *ast.Value) {
		if name == keyArgument && v.Kind == ast.Variable {
			found[v.Raw] = true
		}
	}
	var look func(set ast.SelectionSet)
	look = func(set ast.SelectionSet) {
		for _, s := range set {
			switch s := s.(type) {
			case *ast.Field:
				for _, a := range s.Arguments {
					take(a.Name, a.Value)
					for _, child := range a.Value.Children {
						take(child.Name, child.Value)
					}
				}
			case *ast.InlineFragment:
				look(s.SelectionSet)
			}
		}
	}
	for _, op := range d.Operations {
		look(op.SelectionSet)
	}
	for _, f := range d.Fragments {
		look(f.SelectionSet)
	}
	return found
}
