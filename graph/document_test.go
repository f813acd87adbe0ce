package graph

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/florinpay/florin/graph/generated"
	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

func testExecutor(introspection bool) *executor {
	schema := generated.NewExecutableSchema(generated.Config{Resolvers: &Resolver{}})
	return newExecutor(schema, DefaultLimits(), introspection, slog.New(slog.DiscardHandler))
}

// amountOf returns what the operation would be given as amount.
func amountOf(t *testing.T, query, variables string) model.Decimal {
	t.Helper()
	e := testExecutor(true)
	doc, errs := e.parse(query)
	if errs != nil {
		t.Fatalf("parse %s: %v", query, errs)
	}
	op := doc.query.Operations[0]
	req, err := parseRequest([]byte(`{"query":"", "variables":` + variables + `}`))
	if err != nil {
		t.Fatal(err)
	}
	vars, errs := coercer{e.schema.Schema()}.variables(op, req.variables)
	if errs != nil {
		t.Fatalf("variables of %s: %v", query, errs)
	}
	field := graphql.CollectFields(&graphql.OperationContext{Doc: doc.query}, op.SelectionSet, []string{"Mutation"})[0]
	amount, ok := field.ArgumentMap(doc.variables(vars))["amount"].(model.Decimal)
	if !ok {
		t.Fatalf("amount of %s is %T", query, field.ArgumentMap(doc.variables(vars))["amount"])
	}
	return amount
}

func TestAmountKeepsItsDigits(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]money.Micros{
		"10": 10_000_000, "0.1": 100_000, "12.345678": 12_345_678, "1e3": 1_000_000_000, "1.5E-2": 15_000,
		"9007199254740993e-6":  9_007_199_254_740_993,
		"1000000.01":           1_000_000_010_000,
		"0.30000000000000000":  300_000,
		"10000000000000000e-5": 100_000_000_000_000_000,
	} {
		for where, amount := range everywhere(t, text) {
			digits, err := amount.Text("amount")
			if err != nil {
				t.Errorf("%s %s: %v", text, where, err)
				continue
			}
			if got, err := money.ParseMicros("amount", digits); err != nil || got != want {
				t.Errorf("%s %s = %d, %v; want %d", text, where, got, err, want)
			}
		}
	}
}

func TestAmountThatIsWrongReachesTheOperation(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"0", "-1", "1e400", "0.0000001", "0.10000000000000000000001", `"10"`, "true", "[1]", "99999999999999999999"} {
		for where, amount := range everywhere(t, text) {
			digits, err := amount.Text("amount")
			if err == nil {
				_, err = money.ParseMicros("amount", digits)
			}
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%s %s: got %v, want a fault.Invalid", text, where, err)
			}
		}
	}
	for _, text := range []string{"NaN", "Infinity", `{a: 1}`} {
		amount := amountOf(t, `mutation { payment(apiKey: "k", amount: `+text+`) { code } }`, "{}")
		if _, err := amount.Text("amount"); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want a fault.Invalid", text, err)
		}
	}
}

// everywhere puts an amount at each place where one can be written.
func everywhere(t *testing.T, text string) map[string]model.Decimal {
	t.Helper()
	const withVariable = `mutation($a: Float!) { payment(apiKey: "k", amount: $a) { code } }`
	return map[string]model.Decimal{
		"inline":      amountOf(t, `mutation { payment(apiKey: "k", amount: `+text+`) { code } }`, "{}"),
		"as variable": amountOf(t, withVariable, `{"a": `+text+`}`),
		"in fragment": amountOf(t, `mutation { ...f } fragment f on Mutation { payment(apiKey: "k", amount: `+text+`) { code } }`, "{}"),
		"as default":  amountOf(t, defaulted(text), "{}"),
	}
}

// defaulted writes a document whose variable has the text as its default.
func defaulted(text string) string {
	return `mutation($a: Float! = ` + text + `) { payment(apiKey: "k", amount: $a) { code } }`
}

func TestNullAmountIsMalformed(t *testing.T) {
	t.Parallel()
	if _, errs := testExecutor(true).parse(`mutation { payment(apiKey: "k", amount: null) { code } }`); errs == nil {
		t.Error("null was taken for a Float!")
	}
}

func TestDocumentsThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, query := range map[string]string{
		"empty":             ``,
		"broken":            `{`,
		"only a fragment":   `fragment f on Query { __typename }`,
		"unknown field":     `{ nothing }`,
		"missing argument":  `{ getTxnDetails { code } }`,
		"null argument":     `{ getTxnDetails(txnid: null) { code } }`,
		"wrong type":        `{ getTxnDetails(txnid: 7) { code } }`,
		"unknown argument":  `{ getTxnDetails(txnid: "x", y: 1) { code } }`,
		"unknown network":   `mutation { StartPayment(apiKey: "k", txnid: "t", network: DOGE, token: USDT) { code } }`,
		"network as text":   `mutation { StartPayment(apiKey: "k", txnid: "t", network: "BASE", token: USDT) { code } }`,
		"network lowercase": `mutation { StartPayment(apiKey: "k", txnid: "t", network: base, token: USDT) { code } }`,
		"too deep":          nested(25),
		"too many roots":    `{` + aliases(21, `getTxnDetails(txnid: "x") { code }`) + `}`,
		"too many aliases":  `{ getTxnDetails(txnid: "x") {` + aliases(41, "code") + `} }`,
		"too many fields":   `{ ` + strings.Repeat(`getTxnDetails(txnid: "x") { code } `, 151) + `}`,
		"too many tokens":   `{ getTxnDetails(txnid: "x") { ` + strings.Repeat("code ", 2_000) + `} }`,
		"deferred":          `{ ... @defer { getTxnDetails(txnid: "x") { code } } }`,
		"fragment cycle":    `{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }`,
		"subscription":      `subscription { x }`,
	} {
		if _, errs := testExecutor(true).parse(query); errs == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func aliases(n int, field string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(" a" + strings.Repeat("x", i) + ": " + field)
	}
	return b.String()
}

func nested(n int) string {
	return `{ __schema { types { ` + strings.Repeat("ofType { ", n) + "name" + strings.Repeat(" }", n) + ` } } }`
}

// A document whose fragments double at every step must cost no time.
func TestExponentialDocumentIsCheap(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{ __schema { types { ...f0 } } }`)
	for i := range 60 {
		fmt.Fprintf(&b, " fragment f%d on __Type { ofType { ...f%d } interfaces { ...f%d } }", i, i+1, i+1)
	}
	b.WriteString(" fragment f60 on __Type { name }")
	start := time.Now()
	_, errs := testExecutor(true).parse(b.String())
	if errs == nil {
		t.Error("it was accepted")
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

// The largest document the limits let through must not take long either.
func TestLargestDocumentIsCheap(t *testing.T) {
	t.Parallel()
	largest := `{ getTxnDetails(txnid: "x") { ` + strings.Repeat("code ", 298) + `} }`
	start := time.Now()
	if _, errs := testExecutor(true).parse(largest); errs != nil {
		t.Fatal(errs)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestNothingIsToldWithoutIntrospection(t *testing.T) {
	t.Parallel()
	e := testExecutor(false)
	for _, query := range []string{
		`{ __schema { types { name } } }`, `{ __type(name: "Query") { name } }`,
		`{ getTxnDetail(txnid: "x") { code } }`,
		`{ getTxnDetails(txni: "x") { code } }`,
		`{ getTxnDetails(txnid: "x") }`,
		`mutation { StartPayment(apiKey: "k", txnid: "t", network: POLYGO, token: USDT) { code } }`,
		`{ getTxnDetails(txnid: "x") { code ... on TransactionResul { code } } }`,
		`mutation { createCustodianAccount(input: {apiKe: "k"}) { code } }`,
	} {
		_, errs := e.parse(query)
		if errs == nil {
			t.Errorf("%s was accepted", query)
		}
		if said := said(errs); strings.Contains(said, "Did you mean") {
			t.Errorf("%s: %s", query, said)
		}
	}
	if _, errs := e.parse(`{ __typename }`); errs != nil {
		t.Errorf("__typename: %v", errs)
	}
}

func said(errs gqlerror.List) string {
	var b strings.Builder
	for _, e := range errs {
		b.WriteString(e.Message + "\n")
	}
	return b.String()
}

func TestVariablesOfAWrongType(t *testing.T) {
	t.Parallel()
	const query = `mutation($k: String!, $n: Network!, $i: Int, $c: CustodianUpdateInput) {
		StartPayment(apiKey: $k, txnid: "t", network: $n, token: USDT) { code }
		payment(apiKey: $k, amount: 1, expiresInMinutes: $i) { code }
		updateCustodianDetails(input: $c) { code } }`
	e := testExecutor(true)
	doc, errs := e.parse(strings.Replace(query, "$c: CustodianUpdateInput", "$c: CustodianUpdateInput!", 1))
	if errs != nil {
		t.Fatal(errs)
	}
	const good = `"k": "key", "n": "BASE", "i": 5, "c": {"apiKey": "x", "networks": {"network": "SOL", "minAmount": 0.5}}`
	for name, row := range map[string]struct {
		variables string
		ok        bool
	}{
		"good":             {good, true},
		"no int":           {`"k": "key", "n": "BASE", "c": {"apiKey": "x"}`, true},
		"null int":         {good + `, "i": null`, true},
		"missing":          {`"n": "BASE", "c": {"apiKey": "x"}`, false},
		"null":             {good + `, "k": null`, false},
		"number as text":   {good + `, "k": 7`, false},
		"text as int":      {good + `, "i": "5"`, false},
		"fraction as int":  {good + `, "i": 5.5`, false},
		"big int":          {good + `, "i": 2147483648`, false},
		"enum lower case":  {good + `, "n": "base"`, false},
		"enum of another":  {good + `, "n": "USDT"`, false},
		"object as text":   {good + `, "c": "x"`, false},
		"unknown field":    {good + `, "c": {"apiKey": "x", "nothing": 1}`, false},
		"required field":   {good + `, "c": {"name": "x"}`, false},
		"null in object":   {good + `, "c": {"apiKey": null}`, false},
		"deep wrong type":  {good + `, "c": {"apiKey": "x", "wallets": {"bep20": 1}}`, false},
		"deep wrong enum":  {good + `, "c": {"apiKey": "x", "networks": [{"network": "X"}]}`, false},
		"list with a null": {good + `, "c": {"apiKey": "x", "networks": [null]}`, false},
	} {
		req, err := parseRequest([]byte(`{"query": "", "variables": {` + row.variables + `}}`))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, errs := coercer{e.schema.Schema()}.variables(doc.query.Operations[0], req.variables)
		if (errs == nil) != row.ok {
			t.Errorf("%s: %v", name, errs)
		}
	}
}
