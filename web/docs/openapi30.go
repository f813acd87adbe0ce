package docs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// openAPI30Path is the same document for generators that read OpenAPI 3.0 alone.
const openAPI30Path = "/openapi-3.0.json"

// inOpenAPI30 writes the document in OpenAPI 3.0, which says some things of JSON Schema in words of its own and has no
// webhooks: the callback of POST /create-payment says the same.
func inOpenAPI30(text []byte) ([]byte, error) {
	var whole map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&whole); err != nil {
		return nil, fmt.Errorf("read openapi.json: %w", err)
	}
	whole["openapi"] = "3.0.3"
	delete(whole, "webhooks")
	delete(at(whole, "info"), "summary")
	license := at(whole, "info", "license")
	license["url"] = fmt.Sprintf("https://spdx.org/licenses/%s.html", license["identifier"])
	delete(license, "identifier")
	older{at(whole, "components", "schemas")}.rewrite(whole)
	return json.Marshal(whole)
}

// older are the schemas of a document that is rewritten.
type older struct{ schemas map[string]any }

// rewrite writes what the JSON Schema of OpenAPI 3.1 says in the words of 3.0.
func (o older) rewrite(v any) {
	switch v := v.(type) {
	case []any:
		for _, each := range v {
			o.rewrite(each)
		}
	case map[string]any:
		for name, each := range v {
			if name != "example" {
				o.rewrite(each)
			}
		}
		if list, ok := v["examples"].([]any); ok {
			v["example"] = list[0]
			delete(v, "examples")
		}
		if value, ok := v["const"]; ok {
			v["enum"] = []any{value}
			delete(v, "const")
		}
		if kinds, ok := v["type"].([]any); ok {
			v["type"], v["nullable"] = kinds[0], true // the other is null
		}
		if either, ok := v["oneOf"].([]any); ok && isNull(either[len(either)-1]) {
			delete(v, "oneOf")
			v["nullable"], v["allOf"] = true, either[:1]
			v["type"] = o.typeOf(either[0])
		}
		if ref, ok := v["$ref"].(string); ok && len(v) > 1 && strings.HasPrefix(ref, SchemaPrefix) {
			delete(v, "$ref") // beside it nothing else counts
			v["allOf"] = []any{map[string]any{"$ref": ref}}
		}
	}
}

// typeOf is the type of the schema that is referred to.
func (o older) typeOf(v any) any {
	ref, _ := at(map[string]any{"": v}, "")["$ref"].(string)
	return at(o.schemas, strings.TrimPrefix(ref, SchemaPrefix))["type"]
}

func isNull(v any) bool {
	m, ok := v.(map[string]any)
	return ok && m["type"] == "null"
}

// typeEnums says of lists of texts that they are texts: generators would take them for anything.
func typeEnums(v any) {
	switch v := v.(type) {
	case []any:
		for _, each := range v {
			typeEnums(each)
		}
	case map[string]any:
		isText := func(x any) bool { _, is := x.(string); return is }
		if values, ok := v["enum"].([]any); ok && v["type"] == nil && slices.IndexFunc(values, isText) == 0 {
			v["type"] = "string"
		}
		for _, each := range v {
			typeEnums(each)
		}
	}
}

// addCallback gives POST /create-payment the webhook as its callback, since generators that follow paths alone would
// leave its body out.
func addCallback(whole map[string]any) {
	post := maps.Clone(at(whole, "webhooks", "payment", "post"))
	post["operationId"] = "paymentCallback"
	const callbackURL = "https://shop.example.com/the-callbackUrl-of-your-custodian"
	at(whole, "paths", "/create-payment", "post")["callbacks"] = map[string]any{
		"payment": map[string]any{callbackURL: map[string]any{"post": post}},
	}
}
