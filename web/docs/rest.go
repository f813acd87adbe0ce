package docs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/florinpay/florin/views/docs"
)

// Schema is the part of a JSON schema that the reference page shows.
type Schema struct {
	Ref         string            `json:"$ref"`
	Type        any               `json:"type"` // a name, or several
	Description string            `json:"description"`
	Enum        []string          `json:"enum"`
	Required    []string          `json:"required"`
	Properties  map[string]Schema `json:"properties"`
	Items       *Schema           `json:"items"`
	Values      *Schema           `json:"additionalProperties"` // of an object with any names
	OneOf       []Schema          `json:"oneOf"`
	Minimum     *json.Number      `json:"minimum"`
	Maximum     *json.Number      `json:"maximum"`
	MaxLength   *json.Number      `json:"maxLength"`
}

// typeLink begins the addresses of descriptions of types: pages of webhooks and prices show fields, too.
const typeLink = docs.RESTPath + "#type-"

// reference is the document as a page shows it.
func (d *Document) reference(f docs.Frame) docs.RESTProps {
	p := docs.RESTProps{Frame: f}
	for _, path := range d.order {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			p.Endpoints = append(p.Endpoints, d.endpoint(method, path, d.Paths[path][method]))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		p.Shapes = append(p.Shapes, d.shape(name))
	}
	return p
}

func (d *Document) endpoint(method, path string, o Operation) docs.Endpoint {
	e := docs.Endpoint{
		Method: strings.ToUpper(method), Path: path, Summary: o.Summary, Description: o.Description,
		Auth: auth(o.Security), Params: o.fields(d),
	}
	if content, ok := o.RequestBody.Content["application/json"]; ok {
		shape := d.shape(strings.TrimPrefix(content.Schema.Ref, SchemaPrefix))
		e.Body, e.Example = &shape, indented(content.Example)
	}
	for _, code := range slices.Sorted(maps.Keys(o.Responses)) {
		r := o.Responses[code]
		if r.Ref != "" {
			r = d.Components.Responses[strings.TrimPrefix(r.Ref, "#/components/responses/")]
		}
		a := docs.Answer{Code: code, Description: r.Description}
		if code == "200" {
			e.Answer = indented(r.Content["application/json"].Example)
		}
		if name, ok := strings.CutPrefix(r.Content["application/json"].Schema.Ref, SchemaPrefix); ok {
			a.Type, a.Link = name, typeLink+name
		}
		e.Answers = append(e.Answers, a)
	}
	return e
}

// auth describes which keys an operation accepts.
func auth(security []map[string][]string) string {
	if len(security) == 0 {
		return ""
	}
	for _, s := range security {
		if len(s) == 0 {
			return "A key may be sent as Authorization: Bearer, as x-api-key or as api-key, or in the body."
		}
	}
	return "The key is sent as Authorization: Bearer, as x-api-key or as api-key."
}

func indented(text json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, text, "", "  ") != nil {
		return ""
	}
	return b.String()
}

// fields are the parameters of an operation.
func (o Operation) fields(d *Document) []docs.Field {
	var out []docs.Field
	for _, p := range o.Parameters {
		if p.Ref != "" {
			p = d.Components.Parameters[strings.TrimPrefix(p.Ref, "#/components/parameters/")]
		}
		text, link := p.Schema.Words()
		out = append(
			out,
			docs.Field{
				Name: p.Name, Type: p.In + ", " + text, Link: link, Required: p.Required, Description: p.Description,
			},
		)
	}
	return out
}

// shape is a schema with its fields, required ones first.
func (d *Document) shape(name string) docs.Shape {
	s := d.Components.Schemas[name]
	out := docs.Shape{Name: name, Description: s.Description}
	for _, value := range s.Enum {
		out.Fields = append(out.Fields, docs.Field{Name: value})
	}
	names := slices.Sorted(maps.Keys(s.Properties))
	slices.SortStableFunc(names, func(a, b string) int { return place(s, a) - place(s, b) })
	for _, field := range names {
		of := s.Properties[field]
		text, link := of.Words()
		if of.Description == "" && of.Ref != "" {
			of.Description = d.Components.Schemas[strings.TrimPrefix(of.Ref, SchemaPrefix)].Description
		}
		out.Fields = append(out.Fields, docs.Field{
			Name: field, Type: text, Link: link, Description: of.Description,
			Required: strings.HasSuffix(name, "Request") && slices.Contains(s.Required, field),
		})
	}
	return out
}

// place orders required fields as the schema lists them; the others follow.
func place(s Schema, field string) int {
	if i := slices.Index(s.Required, field); i >= 0 {
		return i
	}
	return len(s.Required)
}

// Words describes the values of a field, with a link to its type.
func (s Schema) Words() (text, link string) {
	switch {
	case s.Ref != "":
		name := strings.TrimPrefix(s.Ref, SchemaPrefix)
		return name, typeLink + name
	case len(s.OneOf) == 2:
		text, link = s.OneOf[0].Words()
		return text + " or null", link
	case len(s.Enum) > 0:
		var values []string
		for _, v := range s.Enum {
			values = append(values, fmt.Sprintf("%q", v))
		}
		return strings.Join(values, ", "), ""
	case s.Items != nil:
		text, link = s.Items.Words()
		return "list of " + text, link
	}
	switch kind := s.Type.(type) {
	case string:
		text = kind
	case []any:
		var names []string
		for _, k := range kind {
			names = append(names, fmt.Sprint(k))
		}
		text = strings.Join(names, " or ")
	}
	return text + s.bounds(), ""
}

func (s Schema) bounds() string {
	switch {
	case s.Minimum != nil && s.Maximum != nil:
		return ", " + s.Minimum.String() + " to " + s.Maximum.String()
	case s.MaxLength != nil:
		return ", at most " + s.MaxLength.String() + " characters"
	}
	return ""
}
