package docs

import "strings"

// Endpoint is one method of one path of the REST interface.
type Endpoint struct {
	Method, Path, Summary, Description string
	// Auth says which key is needed; empty: none.
	Auth    string
	Params  []Field
	Body    *Shape
	Example string // a body; may be empty
	Answer  string // of a success; may be empty
	Answers []Answer
}

// anchor is the id of its heading.
func (e Endpoint) anchor() string {
	return strings.ToLower(e.Method) + strings.NewReplacer("/", "-", "{", "", "}", "", ".", "-").Replace(e.Path)
}

// Answer is one status of an endpoint's responses.
type Answer struct {
	Code, Description string
	Type, Link        string // of the body
}

// Shape is an object or a list of values.
type Shape struct {
	Name, Description string
	Fields            []Field
}

// RESTProps is the reference of the REST interface.
type RESTProps struct {
	Frame

	Endpoints []Endpoint
	Shapes    []Shape
}

// Operation is one field of the roots of the GraphQL schema.
type Operation struct {
	Name, Description string
	Arguments         []Field
	Result            Field
}

// GraphQLProps is the reference of the GraphQL schema.
type GraphQLProps struct {
	Frame

	Queries, Mutations []Operation
	// Objects, Inputs, Enums and Scalars in the order of their names.
	Objects, Inputs, Enums, Scalars []Shape
}
