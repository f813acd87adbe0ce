package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/sv-tools/openapi"

	"github.com/florinpay/florin/internal/sandbox/devsol"
	"github.com/florinpay/florin/internal/testkit"
)

// TestInterface checks the program against the contract, clause by clause: it runs a scenario over HTTP, and each row
// of interfaceRows checks one clause against the recorded answers.
func TestInterface(t *testing.T) {
	t.Parallel()
	w := newWitness(t)
	w.run()
	if t.Failed() {
		t.FailNow()
	}
	rows := slices.Concat(
		stateRows, graphQLRows, restRows, ruleRows, moreRows, deepRows,
		schemaRows(), debitRows(), keyRows(), envelopeRows(w),
	)
	names := map[string]bool{}
	for _, row := range rows {
		if names[row.name] || row.says == "" {
			t.Errorf("the row %s is there twice, or says nothing", row.name)
		}
		names[row.name] = true
		t.Run(row.name, func(t *testing.T) {
			if problem := row.holds(w); problem != "" {
				t.Errorf("%s: %s", row.says, problem)
			}
		})
	}
	if len(rows) < 150 {
		t.Errorf("only %d sentences were checked", len(rows))
	}
}

// clause is one sentence of the contract, named by its section. holds returns what is wrong, empty if nothing is.
type clause struct {
	name, says string
	holds      func(w *witness) string
}

// said is the program's answer to one step of the scenario, and the balance of the key before and after it.
type said struct {
	status        int
	header        http.Header
	body          map[string]any // the operation's result
	raw           string
	before, after balance
}

// balance is what a key has left.
type balance struct{ credits, queries int }

// witness runs the scenario and records the answers by the names of the steps.
type witness struct {
	*shop

	t        *testing.T
	heard    map[string]said
	document map[string]any // openapi.json
	schema   schema         // the GraphQL schema
	schemas  *openapi.Validator
	log      string // all that the program logged, once it has stopped
	exit     int
	bare     string // the key whose custodian has more options than the shop's
	ledger   *devsol.Ledger
	swept    int64 // what the merchant received by the sweep on POLYGON, in cents
	treasury int64 // what the operator's wallet holds in USDT on BEP20, in cents
}

func newWitness(t *testing.T) *witness {
	t.Helper()
	w := &witness{t: t, heard: map[string]said{}}
	ledger, solana := openLedger(t)
	w.ledger = ledger
	w.shop = openShop(
		t,
		append(
			solana, "FLORIN_SIGNUP_CREDITS=1000", "FLORIN_PAYMENT_TTL=10s", "FLORIN_EVM_GAS_KEY="+sweepKey,
			"FLORIN_SWEEP_WAIT=1s", "FLORIN_POLYGON_TREASURY="+treasuryWallet,
			"FLORIN_BEP20_TREASURY="+treasuryWallet, "FLORIN_INTROSPECTION=true",
		)...)
	text := w.ask(http.MethodGet, "/openapi.json", "").raw
	var document openapi.Extendable[openapi.OpenAPI]
	for _, into := range []any{&document, &w.document} {
		testkit.Must(t, json.Unmarshal([]byte(text), into))
	}
	w.readSchema()
	var err error
	if w.schemas, err = openapi.NewValidator(&document); err != nil {
		t.Fatal(err)
	}
	return w
}

// ask sends a request. header holds pairs of name and value.
func (w *witness) ask(method, path, body string, header ...string) said {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.server.url+path, strings.NewReader(body))
	testkit.Must(w.t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	testkit.Must(w.t, err)
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	testkit.Must(w.t, err)
	out := said{status: res.StatusCode, header: res.Header, raw: string(raw)}
	_ = json.Unmarshal(raw, &out.body)
	return out
}

// rest runs a step over REST. The answer must conform to openapi.json.
func (w *witness) rest(name, key, method, route, body string, header ...string) said {
	w.t.Helper()
	path, _, _ := strings.Cut(route, " ")
	documented := path
	if rest, ok := strings.CutPrefix(route, path+" as "); ok {
		documented = rest
	}
	before := w.left(key)
	out := w.ask(method, path, body, header...)
	out.before, out.after = before, w.left(key)
	location := w.schemaOf(strings.ToLower(method), documented, out.status)
	var value any
	if err := json.Unmarshal([]byte(out.raw), &value); err != nil {
		w.t.Errorf("%s: no JSON: %s", name, out.raw)
	}
	if err := w.schemas.ValidateData(location, value); err != nil {
		w.t.Errorf("%s: the answer is not as openapi.json says: %v\n%s", name, err, out.raw)
	}
	w.remember(name, out)
	return out
}

// schemaOf returns the schema of an answer in openapi.json.
func (w *witness) schemaOf(method, path string, status int) string {
	w.t.Helper()
	at := func(v any, names ...string) any {
		for _, name := range names {
			object, _ := v.(map[string]any)
			v = object[name]
		}
		return v
	}
	response := at(w.document, "paths", path, method, "responses", strconv.Itoa(status))
	if ref, ok := at(response, "$ref").(string); ok {
		response = at(w.document, "components", "responses", strings.TrimPrefix(ref, "#/components/responses/"))
	}
	ref, ok := at(response, "content", "application/json", "schema", "$ref").(string)
	if !ok {
		w.t.Fatalf("openapi.json does not describe %s %s answering %d", method, path, status)
	}
	return strings.TrimPrefix(ref, "#")
}

// gql runs a step over GraphQL: an operation with its arguments and the fields to return.
func (w *witness) gql(name, key, kind, call, fields string, header ...string) said {
	w.t.Helper()
	document, err := json.Marshal(map[string]any{"query": kind + " { it: " + call + " { " + fields + " } }"})
	testkit.Must(w.t, err)
	before := w.left(key)
	out := w.ask(http.MethodPost, "/graphql", string(document), header...)
	out.before, out.after = before, w.left(key)
	data, _ := out.body["data"].(map[string]any)
	out.body, _ = data["it"].(map[string]any)
	if out.body == nil || strings.Contains(out.raw, `"errors"`) {
		w.t.Errorf("%s: %s", name, out.raw)
	}
	w.remember(name, out)
	return out
}

func (w *witness) remember(name string, s said) {
	if _, ok := w.heard[name]; ok {
		w.t.Fatalf("there are two steps %s", name)
	}
	w.heard[name] = s
}

// left reads the balance of the key, which is free.
func (w *witness) left(key string) balance {
	w.t.Helper()
	if key == "" {
		return balance{}
	}
	query := fmt.Sprintf(
		`{"query":"{ c: getCreditsLeft(apiKey: \"%s\") { creditsLeft } q: getQueriesLeft(apiKey: \"%s\") { queriesLeft } }"}`,
		key, key,
	)
	out := w.ask(http.MethodPost, "/graphql", query)
	number := func(field, name string) int {
		data, _ := out.body["data"].(map[string]any)
		of, _ := data[field].(map[string]any)
		n, _ := of[name].(float64)
		return int(n)
	}
	return balance{number("c", "creditsLeft"), number("q", "queriesLeft")}
}

// newKey creates a key as the operator does, with a wallet whose private key the test knows.
func (w *witness) newKey(more ...string) string {
	w.t.Helper()
	args := append([]string{"key", "create", "--email", "shop@example.com", "--wallet", ownWallet, "--json"}, more...)
	var key struct{ Key string }
	testkit.Must(w.t, json.Unmarshal([]byte(w.must(w.t, "", args...)), &key))
	return key.Key
}

// field reads a value by its path, such as transaction.wallet.address or
// transactions.0.txnid.
func (s said) field(path string) any {
	var v any = s.body
	for name := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			v = at[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(at) {
				return nil
			}
			v = at[i]
		default:
			return nil
		}
	}
	return v
}

func (s said) text(path string) string {
	text, _ := s.field(path).(string)
	return text
}

// The predicates of the rows.

// is holds if the field of the step's answer has the value.
func is(step, path string, want any) func(*witness) string {
	return func(w *witness) string {
		if n, ok := want.(int); ok {
			want = float64(n)
		}
		if got := w.step(step).field(path); !reflect.DeepEqual(got, want) {
			return fmt.Sprintf("%s of %s is %v, want %v; it answered %s", path, step, got, want, w.heard[step].raw)
		}
		return ""
	}
}

// same holds if two fields of two answers exist and are the same.
func same(step, path, other, otherPath string) func(*witness) string {
	return func(w *witness) string {
		a, b := w.step(step).field(path), w.step(other).field(otherPath)
		if a == nil || !reflect.DeepEqual(a, b) {
			return fmt.Sprintf("%s of %s is %v, %s of %s is %v", path, step, a, otherPath, other, b)
		}
		return ""
	}
}

// has holds if the object at the path has exactly the fields; an empty path is
// the answer itself.
func has(step, path, fields string) func(*witness) string {
	return func(w *witness) string {
		var v any = w.step(step).body
		if path != "" {
			v = w.step(step).field(path)
		}
		object, _ := v.(map[string]any)
		var names []string
		for name := range object {
			names = append(names, name)
		}
		want := strings.Fields(fields)
		slices.Sort(names)
		slices.Sort(want)
		if !slices.Equal(names, want) {
			return fmt.Sprintf("%s of %s has %v, want %v", path, step, names, want)
		}
		return ""
	}
}

// that holds if the field fulfils the predicate.
func that(step, path string, good func(v any) bool) func(*witness) string {
	return func(w *witness) string {
		if got := w.step(step).field(path); !good(got) {
			return fmt.Sprintf("%s of %s is %v; it answered %s", path, step, got, w.heard[step].raw)
		}
		return ""
	}
}

// refuses holds if the step was refused with the code and cost nothing.
func refuses(step string, code int) func(*witness) string {
	return func(w *witness) string {
		s := w.step(step)
		if s.field("code") != float64(code) || s.text("message") == "" || s.before != s.after {
			return fmt.Sprintf("%s answered %s with %v before and %v after, want code %d", step, s.raw, s.before, s.after, code)
		}
		return ""
	}
}

// answers holds if the HTTP status of the step is the number.
func answers(step string, status int) func(*witness) string {
	return func(w *witness) string {
		if s := w.step(step); s.status != status {
			return fmt.Sprintf("%s answered status %d, want %d: %s", step, s.status, status, s.raw)
		}
		return ""
	}
}

// debits holds if the step succeeded and cost the amount.
func debits(step string, credits, queries int) func(*witness) string {
	return func(w *witness) string {
		s := w.step(step)
		want := balance{s.before.credits - credits, s.before.queries - queries}
		if s.field("code") != 200.0 || s.after != want {
			return fmt.Sprintf("%s answered %s; the key had %v and has %v, want %v", step, s.raw, s.before, s.after, want)
		}
		return ""
	}
}

// all holds if each of the clauses holds.
func all(parts ...func(*witness) string) func(*witness) string {
	return func(w *witness) string {
		for _, part := range parts {
			if problem := part(w); problem != "" {
				return problem
			}
		}
		return ""
	}
}

func (w *witness) step(name string) said {
	s, ok := w.heard[name]
	if !ok {
		return said{raw: "nothing: there is no such step"}
	}
	return s
}

// moment reports whether a value is a time of RFC 3339 in UTC with milliseconds.
func moment(v any) bool {
	text, _ := v.(string)
	_, err := time.Parse("2006-01-02T15:04:05.000Z", text)
	return err == nil
}
