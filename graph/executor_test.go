package graph

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/florinpay/florin/graph/generated"
	"github.com/florinpay/florin/graph/operation"
)

func testExecutor(introspection bool) *executor.Executor {
	schema := generated.NewExecutableSchema(generated.Config{Resolvers: &Resolver{}})
	o := Options{Limits: DefaultLimits(), Introspection: introspection}
	return newExecutor(schema, o, slog.New(slog.DiscardHandler), false)
}

// prepare returns the operation that the executor would execute, or its refusal.
func prepare(t testing.TB, e *executor.Executor, query, variables string) (*graphql.OperationContext, gqlerror.List) {
	t.Helper()
	r, err := parseRequest([]byte(`{"query": "", "variables": ` + variables + `}`))
	if err != nil {
		t.Fatalf("variables %s: %v", variables, err)
	}
	r.Query = query
	return e.CreateOperationContext(graphql.StartOperationTrace(t.Context()), r)
}

func TestExecutor_RefusedDocuments(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]string{
		"Empty":            ``,
		"Broken":           `{`,
		"OnlyAFragment":    `fragment f on Query { __typename }`,
		"UnknownField":     `{ nothing }`,
		"MissingArgument":  `{ getTxnDetails { code } }`,
		"NullArgument":     `{ getTxnDetails(txnid: null) { code } }`,
		"WrongType":        `{ getTxnDetails(txnid: 7) { code } }`,
		"UnknownArgument":  `{ getTxnDetails(txnid: "x", y: 1) { code } }`,
		"UnknownNetwork":   `mutation { StartPayment(apiKey: "k", txnid: "t", network: DOGE, token: USDT) { code } }`,
		"NetworkAsString":  `mutation { StartPayment(apiKey: "k", txnid: "t", network: "BASE", token: USDT) { code } }`,
		"NetworkLowercase": `mutation { StartPayment(apiKey: "k", txnid: "t", network: base, token: USDT) { code } }`,
		"FragmentCycle":    `{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }`,
		"Subscription":     `subscription { x }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, errs := prepare(t, testExecutor(true), query, "{}"); errs == nil {
				t.Error("accepted")
			}
		})
	}
}

func TestExecutor_WithoutIntrospection(t *testing.T) {
	t.Parallel()
	e := testExecutor(false)
	for _, query := range []string{
		`{ getTxnDetail(txnid: "x") { code } }`,
		`{ getTxnDetails(txni: "x") { code } }`,
		`{ getTxnDetails(txnid: "x") }`,
		`mutation { StartPayment(apiKey: "k", txnid: "t", network: POLYGO, token: USDT) { code } }`,
		`{ getTxnDetails(txnid: "x") { code ... on TransactionResul { code } } }`,
		`mutation { createCustodianAccount(input: {apiKe: "k"}) { code } }`,
	} {
		_, errs := prepare(t, e, query, "{}")
		if errs == nil {
			t.Errorf("%s was accepted", query)
		}
		if messages := messagesOf(errs); strings.Contains(messages, "Did you mean") {
			t.Errorf("%s: %s", query, messages)
		}
	}
	for _, query := range []string{`{ __schema { types { name } } }`, `{ __type(name: "Query") { name } }`} {
		h := &Handler{executor: e, more: func(context.Context, int) error { return nil }}
		response, _, _ := h.execute(t.Context(), &graphql.RawParams{Query: query}, false)
		if len(response.Errors) == 0 || strings.Contains(string(response.Data), "Query") {
			t.Errorf("%s: %s, %v", query, response.Data, response.Errors)
		}
	}
	if _, errs := prepare(t, e, `{ __typename }`, "{}"); errs != nil {
		t.Errorf("__typename: %v", errs)
	}
}

func messagesOf(errs gqlerror.List) string {
	var b strings.Builder
	for _, e := range errs {
		b.WriteString(e.Message + "\n")
	}
	return b.String()
}

func TestExecutor_IdempotencyKey(t *testing.T) {
	t.Parallel()
	const one = `payment(apiKey: "k", amount: 1) { code }`
	ctx := operation.WithCall(graphql.StartOperationTrace(t.Context()), &operation.Call{IdempotencyKey: "order-7"})
	for name, row := range map[string]struct {
		query string
		ok    bool
	}{
		"OneMutation":   {`mutation { ` + one + ` }`, true},
		"TwoMutations":  {`mutation { a: ` + one + ` b: ` + one + ` }`, false},
		"TwoInFragment": {`mutation { ...f } fragment f on Mutation { a: ` + one + ` b: ` + one + ` }`, false},
		"TwoQueries":    {`{ a: __typename b: __typename }`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, errs := testExecutor(true).CreateOperationContext(ctx, &graphql.RawParams{Query: row.query})
			if (errs == nil) != row.ok {
				t.Error(errs)
			}
		})
	}
}

// A document with a literal may hold a private key, which must not outlive its
// request.
func TestDocumentCache(t *testing.T) {
	t.Parallel()
	const recharge = `mutation($k: String!) { rechargeApiKey(apiKey: $k, privateKey: `
	for name, row := range map[string]struct {
		query string
		kept  bool
	}{
		"Variables":    {recharge + `$k, unit: 1) { code } }`, true},
		"String":       {recharge + `"0x11", unit: 1) { code } }`, false},
		"BlockString":  {recharge + `"""0x11""", unit: 1) { code } }`, false},
		"LongDocument": {`{ __typename } #` + strings.Repeat("x", maxCachedDocument), false},
		"Invalid":      {`{ nothing }`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			documents := newDocumentCache()
			e := testExecutor(true)
			e.SetQueryCache(documents)
			prepare(t, e, row.query, `{"k": "flk_1"}`)
			if _, kept := documents.Get(t.Context(), row.query); kept != row.kept {
				t.Errorf("kept: %t", kept)
			}
		})
	}
}
