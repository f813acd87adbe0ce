package graph

import (
	"context"
	"encoding/json"
	"math"
	"reflect"
	"slices"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// withNumbers replaces every json.Number in a decoded JSON value by an int64
// or else a float64, in place. gqlgen would take a json.Number for a String.
func withNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, x := range v {
			v[name] = withNumbers(x)
		}
	case []any:
		for i, x := range v {
			v[i] = withNumbers(x)
		}
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		f, err := v.Float64()
		if err != nil { // out of range; the operation refuses the largest number as well
			f = math.Copysign(math.MaxFloat64, f)
		}
		if f == math.Trunc(f) && math.Abs(f) < 1<<53 { // a whole number, however it is written, such as 30.0
			return int64(f)
		}
		return f
	}
	return v
}

// strictVariables refuses variables that gqlgen accepts at first and refuses
// only when it resolves the field: an enum value in another case, and an Int
// that is a string, a fraction or longer than 32 bits. By then the fields
// before it have been executed.
type strictVariables struct {
	named
	schema *ast.Schema
}

// MutateOperationContext checks the variables before anything is executed.
func (s strictVariables) MutateOperationContext(_ context.Context, c *graphql.OperationContext) *gqlerror.Error {
	for _, def := range c.Operation.VariableDefinitions {
		path := ast.Path{ast.PathName("variable"), ast.PathName(def.Variable)}
		if err := s.check(path, def.Type, c.Variables[def.Variable]); err != nil {
			return invalid(err)
		}
	}
	return nil
}

func (s strictVariables) check(path ast.Path, t *ast.Type, v any) *gqlerror.Error {
	if v == nil {
		return nil
	}
	if t.Elem != nil {
		return s.checkList(path, t.Elem, reflect.ValueOf(v))
	}
	def := s.schema.Types[t.NamedType]
	switch {
	case t.NamedType == "Int":
		if i, ok := v.(int64); !ok || i != int64(int32(i)) {
			return gqlerror.ErrorPathf(path, "must be a whole number of 32 bits")
		}
	case def.Kind == ast.Enum:
		if name, ok := v.(string); !ok || def.EnumValues.ForName(name) == nil {
			return gqlerror.ErrorPathf(path, "%v is not a valid %s", v, def.Name)
		}
	case def.Kind == ast.InputObject:
		object, _ := v.(map[string]any)
		for _, f := range def.Fields {
			if err := s.check(append(slices.Clip(path), ast.PathName(f.Name)), f.Type, object[f.Name]); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkList checks each item; the executor has made a list of a single value.
func (s strictVariables) checkList(path ast.Path, t *ast.Type, list reflect.Value) *gqlerror.Error {
	for i := range list.Len() {
		if err := s.check(append(slices.Clip(path), ast.PathIndex(i)), t, list.Index(i).Interface()); err != nil {
			return err
		}
	}
	return nil
}
