package docs

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/florinpay/florin/graph/generated"
	"github.com/florinpay/florin/views/docs"
)

// schemaReference is the GraphQL schema as a page shows it.
func schemaReference(f docs.Frame) docs.GraphQLProps {
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	p := docs.GraphQLProps{Frame: f, Queries: operationsOf(schema.Query), Mutations: operationsOf(schema.Mutation)}
	for _, d := range schema.Types {
		if d.BuiltIn || d == schema.Query || d == schema.Mutation {
			continue
		}
		shape := shapeOf(schema, d)
		switch d.Kind {
		case ast.Object, ast.Interface, ast.Union:
			p.Objects = append(p.Objects, shape)
		case ast.InputObject:
			p.Inputs = append(p.Inputs, shape)
		case ast.Enum:
			p.Enums = append(p.Enums, shape)
		case ast.Scalar:
			p.Scalars = append(p.Scalars, shape)
		}
	}
	for _, all := range [][]docs.Shape{p.Objects, p.Inputs, p.Enums, p.Scalars} {
		slices.SortFunc(all, func(a, b docs.Shape) int { return cmp.Compare(a.Name, b.Name) })
	}
	return p
}

func operationsOf(root *ast.Definition) []docs.Operation {
	var out []docs.Operation
	for _, f := range root.Fields {
		if strings.HasPrefix(f.Name, "__") {
			continue
		}
		o := docs.Operation{Name: f.Name, Description: f.Description, Result: typed(f.Type)}
		for _, a := range f.Arguments {
			field := typed(a.Type)
			field.Name, field.Description, field.Required = a.Name, a.Description, a.Type.NonNull
			o.Arguments = append(o.Arguments, field)
		}
		out = append(out, o)
	}
	return out
}

func shapeOf(schema *ast.Schema, d *ast.Definition) docs.Shape {
	out := docs.Shape{Name: d.Name, Description: d.Description}
	for _, f := range d.Fields {
		field := typed(f.Type)
		field.Name, field.Description = f.Name, inherited(schema, d, f)
		field.Required = d.Kind == ast.InputObject && f.Type.NonNull
		out.Fields = append(out.Fields, field)
	}
	for _, v := range d.EnumValues {
		out.Fields = append(out.Fields, docs.Field{Name: v.Name, Description: v.Description})
	}
	return out
}

// typed is a type as the schema writes it; types built into GraphQL have no
// description.
func typed(t *ast.Type) docs.Field {
	f := docs.Field{Type: t.String()}
	if name := t.Name(); scalarNames[name] == "" {
		f.Link = "#type-" + name
	}
	return f
}
