package graph

import (
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/florinpay/florin/graph/generated"
)

// The schema is the reference that merchants read in the documentation and in
// GraphQL tools, so every type, field and argument needs a description.
func TestSchemaIsDescribed(t *testing.T) {
	t.Parallel()
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	described := func(place, text string) {
		t.Helper()
		if strings.TrimSpace(text) == "" {
			t.Errorf("%s has no description", place)
		}
	}
	seen := 0
	for name, d := range schema.Types {
		if d.BuiltIn {
			continue
		}
		described(name, d.Description)
		for _, f := range d.Fields {
			if strings.HasPrefix(f.Name, "__") {
				continue
			}
			seen++
			described(name+"."+f.Name, descriptionOf(schema, d, f))
			for _, a := range f.Arguments {
				described(name+"."+f.Name+"("+a.Name+")", a.Description)
			}
			if d == schema.Query || d == schema.Mutation {
				if !strings.Contains(f.Description, "Codes: ") {
					t.Errorf("%s does not say with which codes it refuses", f.Name)
				}
			}
		}
		for _, v := range d.EnumValues {
			described(name+"."+v.Name, v.Description)
		}
	}
	if seen < 150 {
		t.Errorf("only %d fields were seen: the schema was not read", seen)
	}
}

// descriptionOf is a field's own description, or that of the interface it
// implements.
func descriptionOf(schema *ast.Schema, d *ast.Definition, f *ast.FieldDefinition) string {
	if f.Description != "" {
		return f.Description
	}
	for _, name := range d.Interfaces {
		if of := schema.Types[name].Fields.ForName(f.Name); of != nil {
			return of.Description
		}
	}
	return ""
}
