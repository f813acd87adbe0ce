package docs

import (
	"encoding/json"
	"strings"
)

// sampleValues are what fields hold in examples, by their names.
var sampleValues = map[string]any{
	"code": json.Number("200"), "message": "OK", "txnid": "01KJ4Z8Y3T6Q0M5V9B2N7R1XWA", "amount": json.Number("49.9"),
	"markupPercent": json.Number("1.5"),
	"amountInToken": json.Number("49.9"), "receivedAmount": json.Number("49.9"), "network": "POLYGON", "token": "USDC",
	"status": "COMPLETED", "address": "0x52908400098527886E0F7030069857D2E4169EE7", "countdown": json.Number("0"),
	"hash":           "0x9df6e1a5b0c2d3f4e5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8",
	"blockchainLink": "https://polygonscan.com/tx/0x9df6e1a5b0c2d3f4e5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8",
	"isExpired":      false, "createdAt": "2026-11-21T08:46:31.583Z", "expiresAt": "2026-11-21T09:46:31.583Z",
	"reference": "order-1042", "metadata": map[string]any{"cart": "7"}, "customerEmail": nil, "paymentUri": nil,
	"confirmations": json.Number("12"), "requiredConfirmations": json.Number("12"),
	"creditsLeft": json.Number("19"), "hasNextPage": false, "endCursor": "01KJ4Z8Y3T6Q0M5V9B2N7R1XWA",
	"eventId": "evt_01KJ4Z8Y3T6Q0M5V9B2N7R1XWA_4", "type": "payment.completed", "nextAfter": "42",
	"verdict": "not_final", "missing": nil, "secondsToFinal": json.Number("8"),
	"advice": "It was found and is not final yet: wait about 8 seconds.", "version": "1.0.0", "database": "ok",
	"campaignId": "harbour-library", "title": "A library for the harbour", "name": "Ada", "paymentLink": "",
	"reason": "", "currency": "EUR", "rate": "1.1615",
	"addressLink": "https://pay.example/refund/01KJ4ZD0R8W2C6M1V5B9N3T7XE7uQ0n2",
}

// exampleMaker makes examples that fit the schemas of the document.
type exampleMaker struct {
	schemas map[string]any
	base    string
}

// addExamples gives every answer in JSON that has none an example.
func addExamples(whole, schemas map[string]any, base string) {
	m := exampleMaker{schemas: schemas, base: base}
	for path := range at(whole, "paths") {
		for method := range at(whole, "paths", path) {
			responses := at(whole, "paths", path, method, "responses")
			for status := range responses {
				m.addTo(at(responses, status), status)
			}
		}
	}
	statuses := map[string]string{
		"Invalid": "400", "Unauthorized": "401", "NoCredits": "402", "NotFound": "404",
		"Conflict": "409", "TooLarge": "413",
		"NotJSON": "415", "Unprocessable": "422", "TooMany": "429", "Fault": "500", "Unavailable": "503",
		"NoRate": "503",
	}
	for name, status := range statuses {
		m.addTo(at(whole, "components", "responses", name), status)
	}
}

func (m exampleMaker) addTo(response map[string]any, status string) {
	content := at(response, "content", "application/json")
	if content == nil || content["example"] != nil {
		return
	}
	schema, _ := content["schema"].(map[string]any)
	made := m.of(schema, "", 0)
	object, ok := made.(map[string]any)
	if !ok || len(object) == 0 {
		return
	}
	if status != "200" && object["code"] != nil {
		object["code"], object["message"] = json.Number(status), response["description"]
	}
	content["example"] = object
}

// maxExampleDepth ends examples of types that hold themselves.
const maxExampleDepth = 6

// of makes an example of the schema of a field.
func (m exampleMaker) of(schema map[string]any, field string, depth int) any {
	if ref, ok := schema["$ref"].(string); ok {
		return m.of(at(m.schemas, strings.TrimPrefix(ref, SchemaPrefix)), field, depth)
	}
	if either, ok := schema["oneOf"].([]any); ok {
		if depth > maxExampleDepth {
			return nil
		}
		first, _ := either[0].(map[string]any)
		return m.of(first, field, depth)
	}
	if values, ok := schema["enum"].([]any); ok && len(values) > 0 {
		for _, v := range values {
			if v == sampleValues[field] || strings.EqualFold(text(v), text(sampleValues[field])) {
				return v
			}
		}
		return values[0]
	}
	switch kindOf(schema) {
	case "object":
		return m.object(schema, field, depth)
	case "array":
		items, _ := schema["items"].(map[string]any)
		return []any{m.of(items, field, depth+1)}
	case "boolean":
		value, _ := sampleValues[field].(bool)
		return value
	case "integer", "number":
		if n, ok := sampleValues[field].(json.Number); ok {
			return n
		}
		return json.Number("1")
	}
	if text(schema["format"]) == "date-time" && sampleValues[field] == nil {
		field = "createdAt"
	}
	if field == "paymentLink" {
		return m.base + "/pay?txnid=" + text(sampleValues["txnid"])
	}
	if value, ok := sampleValues[field]; ok {
		if number, ok := value.(json.Number); ok {
			return number.String()
		}
		return value
	}
	return field
}

func (m exampleMaker) object(schema map[string]any, field string, depth int) any {
	out := map[string]any{}
	properties := at(schema, "properties")
	if properties == nil {
		if of, ok := schema["additionalProperties"].(map[string]any); ok && of["$ref"] != nil {
			return map[string]any{"POLYGON": m.of(of, field, depth+1)}
		}
		if value, ok := sampleValues[field].(map[string]any); ok {
			return value
		}
		return out
	}
	for name, property := range properties {
		p, _ := property.(map[string]any)
		if depth < maxExampleDepth {
			out[name] = m.of(p, name, depth+1)
		}
	}
	return out
}

// kindOf is the type of a schema that is not null.
func kindOf(schema map[string]any) string {
	switch kind := schema["type"].(type) {
	case string:
		return kind
	case []any:
		for _, k := range kind {
			if k != "null" {
				return text(k)
			}
		}
	}
	return ""
}

func text(v any) string { s, _ := v.(string); return s }
