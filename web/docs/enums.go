package docs

import (
	"maps"
	"strings"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
)

// addEvents writes the types of events into the schemas, and makes EventBody, the data of an event in GET /events, of
// WebhookBody: it holds no secret, its payment may be in any status, and a customer may have asked to accept what
// arrived.
func addEvents(schemas map[string]any) {
	at(schemas, "Event", "properties", "type")["enum"] = names(payment.FeedTypes())
	webhook := at(schemas, "WebhookBody")
	body, properties := maps.Clone(webhook), maps.Clone(at(webhook, "properties"))
	delete(properties, "secret")
	delete(properties, "privateKey")
	status := maps.Clone(at(properties, "status"))
	var all []any
	for _, s := range payment.Statuses() {
		all = append(all, strings.ToLower(string(s)))
	}
	status["enum"], status["description"] = all, "The status of the payment when it happened."
	properties["status"] = status
	properties["duplicateOf"] = map[string]any{
		"type": "string", "description": "Of `payment.duplicate`: the payment of the same reference that was paid before. Absent otherwise.",
	}
	properties["acceptRequested"] = map[string]any{
		"type": "boolean", "description": "Your customer asks you to accept what arrived, although it is short, late or in another token. Absent otherwise.",
	}
	properties["refund"] = map[string]any{
		"type": "object", "description": "Of the events about refunds: `id`, `amount` (a text, in whole tokens), " +
			"`token`, `network`, `status`, `reason`, `address`, `proven` (the wallet that paid has signed for the address) " +
			"and `hash`. Absent otherwise.",
	}
	body["properties"], body["description"] = properties, "A payment when something happened to it: the body of a webhook without the secret."
	schemas["EventBody"] = body
}

// addReasons writes the reasons of refusals into their schemas.
func addReasons(schemas map[string]any) {
	for name, kind := range map[string]fault.Kind{"Conflict": fault.Conflict, "Unprocessable": fault.Unprocessable} {
		var words []fault.Reason
		for _, r := range fault.Reasons(kind) {
			words = append(words, r.Reason)
		}
		at(schemas, name, "properties", "reason")["enum"] = names(words)
	}
}

// at returns the object at the end of the path.
func at(v map[string]any, path ...string) map[string]any {
	for _, name := range path {
		v, _ = v[name].(map[string]any)
	}
	return v
}

// names writes the values of an enumeration as JSON values.
func names[T ~string](values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}
