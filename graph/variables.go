package graph

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/florinpay/florin/graph/model"
)

// coercer reads variables by their declared types, as section 6.1.2 of the
// GraphQL specification (October 2021) says, with one addition: a Float keeps
// its digits, and what is not a number where a Float belongs is left for the
// operation to refuse.
type coercer struct{ schema *ast.Schema }

// variables returns the variables of the operation, or an error that names the
// one that is wrong.
func (c coercer) variables(op *ast.OperationDefinition, given map[string]any) (map[string]any, gqlerror.List) {
	out := make(map[string]any, len(op.VariableDefinitions))
	for _, def := range op.VariableDefinitions {
		v, ok := given[def.Variable]
		if !ok && def.DefaultValue != nil {
			v, ok = plain(def.DefaultValue), true
		}
		if !ok {
			if def.Type.NonNull {
				return nil, badVariable(def, "is required")
			}
			continue
		}
		coerced, problem := c.value(def.Type, v, "")
		if problem != "" {
			return nil, badVariable(def, problem)
		}
		out[def.Variable] = coerced
	}
	return out, nil
}

func badVariable(def *ast.VariableDefinition, problem string) gqlerror.List {
	err := gqlerror.ErrorPosf(def.Position, "variable $%s %s", def.Variable, problem)
	errcode.Set(err, errcode.ValidationFailed)
	return gqlerror.List{err}
}

// value coerces one value. path says where it stands inside the variable. The
// second result says what is wrong; empty when nothing is.
func (c coercer) value(t *ast.Type, v any, path string) (any, string) {
	if v == nil {
		if t.NonNull {
			return nil, wrong(path, "must not be null")
		}
		return nil, ""
	}
	if t.Elem != nil {
		return c.list(t, v, path)
	}
	def := c.schema.Types[t.NamedType]
	switch def.Kind {
	case ast.InputObject:
		return c.object(def, v, path)
	case ast.Enum:
		return enum(def, v, path)
	default:
		return scalar(t.NamedType, v, path)
	}
}

func (c coercer) list(t *ast.Type, v any, path string) (any, string) {
	items, ok := v.([]any)
	if !ok {
		items = []any{v} // a single value stands for a list of one
	}
	out := make([]any, len(items))
	for i, item := range items {
		coerced, problem := c.value(t.Elem, item, path+"["+strconv.Itoa(i)+"]")
		if problem != "" {
			return nil, problem
		}
		out[i] = coerced
	}
	return out, ""
}

func (c coercer) object(def *ast.Definition, v any, path string) (any, string) {
	given, ok := v.(map[string]any)
	if !ok {
		return nil, wrong(path, "must be an object")
	}
	for name := range given {
		if def.Fields.ForName(name) == nil {
			return nil, wrong(path, fmt.Sprintf("has no field %q", name))
		}
	}
	out := make(map[string]any, len(given))
	for _, f := range def.Fields {
		x, ok := given[f.Name]
		if !ok && f.DefaultValue != nil {
			x, ok = plain(f.DefaultValue), true
		}
		if !ok {
			if f.Type.NonNull {
				return nil, wrong(path+"."+f.Name, "is required")
			}
			continue
		}
		coerced, problem := c.value(f.Type, x, path+"."+f.Name)
		if problem != "" {
			return nil, problem
		}
		out[f.Name] = coerced
	}
	return out, ""
}

func enum(def *ast.Definition, v any, path string) (any, string) {
	name, ok := v.(string)
	if !ok || def.EnumValues.ForName(name) == nil {
		names := make([]string, len(def.EnumValues))
		for i, x := range def.EnumValues {
			names[i] = x.Name
		}
		return nil, wrong(path, fmt.Sprintf("must be one of %q", slices.Clip(names)))
	}
	return name, ""
}

func scalar(name string, v any, path string) (any, string) {
	switch name {
	case floatType:
		if n, ok := v.(json.Number); ok {
			return model.Number(n.String()), ""
		}
		return model.NotNumber(), ""
	case "Int":
		n, ok := v.(json.Number)
		i, err := strconv.ParseInt(n.String(), 10, 32)
		if !ok || err != nil {
			return nil, wrong(path, "must be a whole number of 32 bits")
		}
		return i, ""
	case "String":
		if s, ok := v.(string); ok {
			return s, ""
		}
		return nil, wrong(path, "must be a text")
	case "Boolean":
		if b, ok := v.(bool); ok {
			return b, ""
		}
		return nil, wrong(path, "must be true or false")
	case "ID":
		if s, ok := v.(string); ok {
			return s, ""
		}
		if n, ok := v.(json.Number); ok {
			return n.String(), ""
		}
		return nil, wrong(path, "must be an id")
	}
	return v, "" // a scalar of our own judges for itself
}

func wrong(path, problem string) string {
	if path == "" {
		return problem
	}
	return "at " + path + " " + problem
}

// plain turns a value written in a document into what the same value would be
// in the variables.
func plain(v *ast.Value) any {
	switch v.Kind {
	case ast.IntValue, ast.FloatValue:
		return json.Number(v.Raw)
	case ast.BooleanValue:
		return v.Raw == "true"
	case ast.ListValue:
		list := make([]any, len(v.Children))
		for i, child := range v.Children {
			list[i] = plain(child.Value)
		}
		return list
	case ast.ObjectValue:
		object := make(map[string]any, len(v.Children))
		for _, child := range v.Children {
			object[child.Name] = plain(child.Value)
		}
		return object
	case ast.StringValue, ast.BlockValue, ast.EnumValue:
		return v.Raw
	}
	return nil // null; a variable cannot stand in a default value
}
