package graph

import (
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

// Whatever text is sent is parsed, judged and read in little time, without a panic.
func FuzzDocument(f *testing.F) {
	for _, query := range []string{
		`{ __typename }`, `mutation($a: Float!) { payment(apiKey: "k", amount: $a) { code } }`,
		`mutation($i: CustodianCreateInput!) { createCustodianAccount(input: $i) { code } }`,
		`mutation { createCustodianAccount(input: {apiKey: "k", networks: [{network: BASE, minAmount: 1e9}]}) { ...f } } fragment f on CustodianResult { code }`,
		`{ a: getTxnDetails(txnid: """x""") @include(if: true) { ... on Result { code } } }`, `query A { __typename } query B($x: [Int!] = [1]) { __typename }`,
		`{ __schema { types { ...t } } } fragment t on __Type { ofType { ...t } }`, `{`, `subscription { x }`, `"" {a}`,
	} {
		f.Add(query, `{"a": 1.5, "i": {"apiKey": "k", "networks": {"network": "SOL"}}}`)
	}
	e := testExecutor(true)
	f.Fuzz(func(t *testing.T, query, variables string) {
		start := time.Now()
		doc, errs := e.parse(query)
		if took := time.Since(start); took > 20*time.Second {
			t.Fatalf("parsing %d bytes took %v", len(query), took)
		}
		if errs != nil {
			return
		}
		req, err := parseRequest([]byte(`{"query":"","variables":` + variables + `}`))
		if err != nil {
			return
		}
		for _, op := range doc.query.Operations {
			vars, errs := coercer{e.schema.Schema()}.variables(op, req.variables)
			if errs != nil {
				continue
			}
			all := doc.variables(vars)
			for _, field := range graphql.CollectFields(&graphql.OperationContext{Doc: doc.query, Variables: all}, op.SelectionSet, roots(op)) {
				field.ArgumentMap(all)
			}
		}
	})
}

func roots(op *ast.OperationDefinition) []string {
	if op.Operation == ast.Mutation {
		return []string{"Mutation"}
	}
	return []string{"Query"}
}
