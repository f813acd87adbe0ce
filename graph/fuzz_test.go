package graph

import (
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
)

// Any document and any variables are parsed, validated and read within the time
// limit, without a panic.
func FuzzDocument(f *testing.F) {
	for _, query := range []string{
		`{ __typename }`, `mutation($a: Float!) { payment(apiKey: "k", amount: $a) { code } }`,
		`mutation($i: CustodianCreateInput!) { createCustodianAccount(input: $i) { code } }`,
		`mutation { createCustodianAccount(input: {apiKey: "k", networks: [{network: BASE, minAmount: 1e9}]}) { ...f } }
			fragment f on CustodianResult { code }`,
		`{ a: getTxnDetails(txnid: """x""") @include(if: true) { ... on Result { code } } }`,
		`query A { __typename } query B($x: [Int!] = [1]) { __typename }`,
		`mutation { payment(apiKey: "k", amount: [{a: 99999999999999999999}]) { code } }`,
		`{ __schema { types { ...t } } } fragment t on __Type { ofType { ...t } }`, `{`, `subscription { x }`, `"" {a}`,
	} {
		f.Add(query, `{"a": 1.5, "i": {"apiKey": "k", "networks": {"network": "SOL"}}}`)
	}
	e := testExecutor(true)
	f.Fuzz(func(t *testing.T, query, variables string) {
		for _, name := range []string{"", "A"} {
			r, err := parseRequest([]byte(`{"query": "", "variables": ` + variables + `}`))
			if err != nil {
				return
			}
			r.Query, r.OperationName = query, name
			start := time.Now()
			op, errs := e.CreateOperationContext(graphql.StartOperationTrace(t.Context()), r)
			if took := time.Since(start); took > time.Minute {
				t.Fatalf("%d bytes took %v", len(query), took)
			}
			if errs != nil {
				continue
			}
			for _, field := range graphql.CollectFields(op, op.Operation.SelectionSet, []string{"Query", "Mutation"}) {
				field.ArgumentMap(op.Variables)
			}
		}
	})
}
