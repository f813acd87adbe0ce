package docs

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/florinpay/florin/graph/generated"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/views/docs"
)

const openAPIPath = "/openapi.json"

// openAPISource holds the paths and the schemas that only REST has. Schemas of both
// surfaces are written once, in the GraphQL schema, and added from there.
//
//go:embed openapi.json
var openAPISource []byte

// Document is the served OpenAPI document, and the parts of it that the reference
// page shows.
type Document struct {
	text  []byte
	older []byte   // in OpenAPI 3.0
	order []string // paths as they stand in the source

	Paths      map[string]map[string]Operation `json:"paths"`
	Webhooks   map[string]map[string]Operation `json:"webhooks"`
	Components struct {
		Schemas    map[string]Schema    `json:"schemas"`
		Parameters map[string]parameter `json:"parameters"`
		Responses  map[string]response  `json:"responses"`
	} `json:"components"`
}

// Operation is an operation of OpenAPI 3.1.
type Operation struct {
	Summary     string                `json:"summary"`
	Description string                `json:"description"`
	Security    []map[string][]string `json:"security"`
	Parameters  []parameter           `json:"parameters"`
	RequestBody struct {
		Content map[string]content `json:"content"`
	} `json:"requestBody"`
	Responses map[string]response `json:"responses"`
}

type parameter struct {
	Ref         string `json:"$ref"`
	Name        string `json:"name"`
	In          string `json:"in"`
	Description string `json:"description"`
	Required    bool   `json:"required"`
	Schema      Schema `json:"schema"`
}

type response struct {
	Ref         string             `json:"$ref"`
	Description string             `json:"description"`
	Content     map[string]content `json:"content"`
}

type content struct {
	Schema  Schema          `json:"schema"`
	Example json.RawMessage `json:"example"`
}

// SchemaPrefix begins references to schemas of the document.
const SchemaPrefix = "#/components/schemas/"

// buildOpenAPI makes the document of a server at the public address base that takes amounts from least to most.
func buildOpenAPI(base string, least, most money.Micros) (*Document, error) {
	var whole map[string]any
	d := json.NewDecoder(bytes.NewReader(openAPISource))
	d.UseNumber()
	if err := d.Decode(&whole); err != nil {
		return nil, fmt.Errorf("read openapi.json: %w", err)
	}
	whole["servers"] = []any{map[string]any{"url": base}}
	at(whole, "info")["contact"] = map[string]any{"name": "Documentation", "url": base + docs.StartPath}
	schemas, ok := whole["components"].(map[string]any)["schemas"].(map[string]any)
	if !ok {
		return nil, errors.New("openapi.json has no components.schemas")
	}
	addEvents(schemas)
	addReasons(schemas)
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	if err := addSchemas(whole, schemas, schema); err != nil {
		return nil, err
	}
	addExamples(whole, schemas, base)
	boundAmounts(whole, least, most)
	typeEnums(whole)
	addCallback(whole)
	out := &Document{}
	var err error
	if out.text, err = json.Marshal(whole); err != nil {
		return nil, fmt.Errorf("write openapi.json: %w", err)
	}
	if out.older, err = inOpenAPI30(out.text); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(out.text, out); err != nil {
		return nil, fmt.Errorf("read openapi.json: %w", err)
	}
	out.order = inOrder(out.Paths)
	return out, nil
}

// maxAmount is more than any amount of an answer.
const maxAmount = "9223372036854"

// boundAmounts says of every number of a document how it is to be held: each is an amount of at most 6 decimal places,
// for which generators would otherwise choose a type of 7 digits. Those of requests, which cannot be 0, have the bounds
// of the server.
func boundAmounts(v any, least, most money.Micros) {
	switch v := v.(type) {
	case map[string]any:
		kinds, _ := v["type"].([]any)
		if v["type"] == "number" || slices.Contains(kinds, any("number")) {
			v["format"], v["multipleOf"] = "double", json.Number("0.000001")
			from, to := "0", maxAmount
			if v["exclusiveMinimum"] != nil {
				delete(v, "exclusiveMinimum")
				from, to = least.String(), most.String()
			}
			v["minimum"], v["maximum"] = json.Number(from), json.Number(to)
		}
		for _, each := range v {
			boundAmounts(each, least, most)
		}
	case []any:
		for _, each := range v {
			boundAmounts(each, least, most)
		}
	}
}

// inOrder returns the paths in the order of the source.
func inOrder(paths map[string]map[string]Operation) []string {
	var out []string
	for p := range paths {
		out = append(out, p)
	}
	at := func(p string) int { return bytes.Index(openAPISource, []byte(`"`+p+`": {`)) }
	slices.SortFunc(out, func(a, b string) int { return at(a) - at(b) })
	return out
}

// addSchemas adds the types of the GraphQL schema that are referred to and not
// there yet, and those they refer to.
func addSchemas(whole, schemas map[string]any, schema *ast.Schema) error {
	for added := true; added; {
		added = false
		for _, name := range references(whole) {
			if _, ok := schemas[name]; ok {
				continue
			}
			d := schema.Types[name]
			if d == nil {
				return fmt.Errorf("openapi.json refers to %s, which is nowhere", name)
			}
			schemas[name], added = schemaOf(schema, d), true
		}
	}
	return nil
}

// references returns the names of the schemas a value refers to.
func references(v any) []string {
	var out []string
	switch v := v.(type) {
	case map[string]any:
		for key, each := range v {
			if text, ok := each.(string); ok && key == "$ref" {
				if name, ok := strings.CutPrefix(text, SchemaPrefix); ok {
					out = append(out, name)
				}
			}
			out = append(out, references(each)...)
		}
	case []any:
		for _, each := range v {
			out = append(out, references(each)...)
		}
	}
	return out
}

// schemaOf writes a type of the GraphQL schema as a JSON schema.
func schemaOf(schema *ast.Schema, d *ast.Definition) map[string]any {
	switch {
	case d.Name == "DateTime":
		return map[string]any{"type": "string", "format": "date-time", "pattern": `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, "description": d.Description}
	case d.Name == "StringMap":
		return map[string]any{
			"type": "object", "additionalProperties": map[string]any{"type": "string"}, "description": d.Description,
		}
	case d.Name == "Decimal":
		return map[string]any{"type": "string", "pattern": `^\d+(\.\d+)?$`, "description": d.Description}
	case d.Kind == ast.Enum:
		var values []any
		for _, v := range d.EnumValues {
			values = append(values, v.Name)
		}
		return map[string]any{"type": "string", "enum": values, "description": d.Description}
	}
	properties, required := map[string]any{}, []any{}
	for _, f := range d.Fields {
		isResult := slices.Contains(d.Interfaces, "Result")
		if isResult && f.Name == "reason" {
			continue // over REST it is in refusals alone
		}
		if isResult && f.Name == "warnings" { // and these are left out where there are none
			properties[f.Name] = map[string]any{"$ref": SchemaPrefix + "Warnings"}
			continue
		}
		p := schemaOfType(f.Type)
		p["description"] = inherited(schema, d, f)
		properties[f.Name] = p
		if leftOut[f.Name] {
			continue
		}
		required = append(required, f.Name)
	}
	return map[string]any{
		"type": "object", "description": d.Description, "properties": properties, "required": required,
	}
}

// leftOut are fields that answers in US dollars do not have.
var leftOut = map[string]bool{
	"price": true, "markupPercent": true, "goalPrice": true, "raisedPrice": true, "suggestedPrices": true,
}

var scalarNames = map[string]string{
	"Int": "integer", "Float": "number", "String": "string", "ID": "string", "Boolean": "boolean",
}

func schemaOfType(t *ast.Type) map[string]any {
	var out map[string]any
	switch scalar := scalarNames[t.NamedType]; {
	case t.Elem != nil:
		out = map[string]any{"type": "array", "items": schemaOfType(t.Elem)}
	case scalar != "":
		out = map[string]any{"type": scalar}
	default:
		out = map[string]any{"$ref": SchemaPrefix + t.NamedType}
	}
	if t.NonNull {
		return out
	}
	if kind, ok := out["type"]; ok {
		out["type"] = []any{kind, "null"}
		return out
	}
	return map[string]any{"oneOf": []any{out, map[string]any{"type": "null"}}}
}

// inherited is a field's own description, or that of the interface it
// implements.
func inherited(schema *ast.Schema, d *ast.Definition, f *ast.FieldDefinition) string {
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
