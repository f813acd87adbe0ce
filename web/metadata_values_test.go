package web

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// Values of metadata that are no texts are taken as texts, with the digits they came with, or left out; an empty list,
// as PHP writes an empty map, is one.
func TestMetadata_Values(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	for sent, want := range map[string]map[string]string{
		`[]`: nil, `null`: nil, `{}`: nil, `""`: nil, `"x"`: nil, `[1]`: nil, `5`: nil, `true`: nil, `{"":"x","a":"y"}`: {"a": "y"}, `{"a":null}`: nil, `{"a":""}`: {"a": ""},
		`{"order":1042}`: {"order": "1042"}, `{"a":true,"b":false}`: {"a": "true", "b": "false"}, `{"a":0,"b":-7}`: {"a": "0", "b": "-7"},
		`{"a":"x","b":null}`: {"a": "x"}, `{"a":12.5,"b":[],"c":{}}`: {"a": "12.5"}, `{"a":9007199254740991}`: {"a": "9007199254740991"},
		`{"a":9223372036854775807}`: {"a": "9223372036854775807"},
	} {
		rest := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":1,"metadata":`+sent+`}`)
		byGraphQL := b.graphQL(`mutation ($m: StringMap) { payment(apiKey: "`+m.text+`", amount: 1, metadata: $m) {
			message transaction { txnid } warnings { field } } }`, `{"m":`+sent+`}`)
		for _, id := range []string{
			rest.text(t, "transaction.txnid"), byGraphQL.text(t, "data.payment.transaction.txnid"),
		} {
			p, err := b.payments.Get(t.Context(), id)
			must(t, err)
			if !maps.Equal(p.Metadata, want) {
				t.Errorf("%s is stored as %v", sent, p.Metadata)
			}
		}
		if unread := slices.Contains([]string{`"x"`, `[1]`, `5`, `true`, `{"":"x","a":"y"}`}, sent); unread != strings.Contains(rest.body, `"field":"metadata","reason"`) ||
			unread != strings.Contains(byGraphQL.body, `{"field":"metadata"}`) {
			t.Errorf("%s: %s\n%s", sent, rest.body, byGraphQL.body)
		}
		if strings.Contains(sent, "[],") != strings.Contains(rest.warned(t, "warnings"), "metadata.b: ") ||
			strings.Contains(sent, "[],") != strings.Contains(byGraphQL.body, `"metadata.c"`) {
			t.Errorf("%s: %s\n%s", sent, rest.body, byGraphQL.body)
		}
	}
	exact := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":1,"metadata":{"a":12.50,"b":123456789012345678901}}`)
	p, err := b.payments.Get(t.Context(), exact.text(t, "transaction.txnid"))
	must(t, err)
	if p.Metadata["a"] != "12.50" || p.Metadata["b"] != "123456789012345678901" {
		t.Errorf("numbers lose their digits: %v", p.Metadata)
	}
	large := b.graphQL(`mutation ($m: StringMap) { payment(apiKey: "`+m.text+`", amount: 1, metadata: $m) {
		code warnings { field } } }`, `{"m":{"b":123456789012345678901}}`)
	if !strings.Contains(large.body, `"code":200,"warnings":[{"field":"metadata.b"}]`) {
		t.Errorf("a number that lost digits: %s", large.body)
	}
}

// Variables and extensions of a GraphQL request may be an empty list, too.
func TestGraphQL_EmptyLists(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	for _, body := range []string{
		`{"query":"{ __typename }","variables":[]}`, `{"query":"{ __typename }","variables":[],"extensions":[]}`,
		`{"query":"{ __typename }","extensions":[],"operationName":null}`,
	} {
		if got := b.ask("POST", "/graphql", body); got.body != `{"data":{"__typename":"Query"}}` {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
	for _, body := range []string{`{"query":"{ __typename }","variables":[1]}`, `{"query":"{ __typename }","extensions":""}`} {
		if got := b.ask("POST", "/graphql", body); got.status != 400 {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
}
