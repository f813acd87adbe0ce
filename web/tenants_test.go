package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/florinpay/florin/graph/generated"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/web/docs"
)

// byTxnid are the operations for which knowing a txnid is enough (interface.md
// section 5.4). Every other operation must not touch what another owns.
var byTxnid = []string{
	"getTxnDetails", "cancelPayment", "startBep20Payment", "startPolygonPayment", "startBasePayment", "startSolPayment",
}

// foreign are the arguments that can name something of another merchant.
var foreign = []string{"txnid", "apiKeyId", "after"}

// tenants are two merchants that know nothing of each other.
type tenants struct {
	t        *testing.T
	b        *bundle
	mine     seller
	session  string
	theirs   seller
	payment  string // theirs, started
	theirKey string // id of their key
}

// Every operation of one merchant, with every id of another, changes nothing
// and finds nothing. The operations are read from the schema, so that a new
// one cannot be forgotten.
func TestTenants(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	w := &tenants{
		t: t, b: b, mine: b.newMerchant(100), session: b.signUp(t, "mine@shop.example"),
		theirs: b.newMerchant(5),
	}
	w.payment = string(b.start(b.newPayment(w.theirs), chain.Polygon).ID)
	w.theirKey = w.theirs.key.PublicID
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	tried := 0
	for kind, root := range map[string]*ast.Definition{"query": schema.Query, "mutation": schema.Mutation} {
		for _, op := range root.Fields {
			if strings.HasPrefix(op.Name, "__") || slices.Contains(byTxnid, op.Name) || !namesForeign(op) {
				continue
			}
			w.try(kind, op)
			tried++
		}
	}
	if tried < 6 {
		t.Errorf("only %d operations take an id: the schema was not read", tried)
	}
}

// publicRoutes are the REST routes for which knowing the id is enough.
var publicRoutes = []string{
	"GET /orders/:txnid", "GET /txn/:txnid", "POST /cancel-payment", "POST /txn/:txnid/find",
	"GET /donate/:campaignId", "POST /donate/:campaignId/pay",
}

// Every REST route that takes an id, read from the router: with another's id
// and a key of mine it finds nothing and changes nothing, and an unknown id is not
// found by any of them.
func TestTenants_REST(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	w := &tenants{t: t, b: b, mine: b.newMerchant(100), theirs: b.newMerchant(5)}
	w.payment = string(b.start(b.newPayment(w.theirs), chain.Polygon).ID)
	document, err := b.server.docs.OpenAPI()
	must(t, err)
	tried := 0
	for _, r := range b.server.handler.Routes() {
		if r.Method == http.MethodHead || isPage(r.Method, r.Path) {
			continue
		}
		body := good(document, document.Paths[pathOf(r.Path)][strings.ToLower(r.Method)])
		if !strings.Contains(r.Path, ":") && body["txnid"] == nil && body["campaignId"] == nil {
			continue
		}
		tried++
		ask := func(id string) reply {
			for _, name := range []string{"txnid", "campaignId"} {
				if body[name] != nil {
					body[name] = id
				}
			}
			text := ""
			if r.Method == http.MethodPost {
				raw, err := json.Marshal(body)
				must(t, err)
				text = string(raw)
			}
			return b.ask(r.Method, strings.NewReplacer(":txnid", id, ":campaignId", id).Replace(r.Path), text,
				"x-api-key", w.mine.text)
		}
		before := w.state()
		if got := ask(unknownTxn); got.status != 404 || got.text(t, "code") != "404" {
			t.Errorf("%s %s with an unknown id: %d %s", r.Method, r.Path, got.status, got.body)
		}
		if !slices.Contains(publicRoutes, r.Method+" "+r.Path) {
			if got := ask(w.payment); got.status != 404 {
				t.Errorf("%s %s with another's id: %d %s", r.Method, r.Path, got.status, got.body)
			}
		}
		if after := w.state(); after != before {
			t.Errorf("%s %s changed %s to %s", r.Method, r.Path, before, after)
		}
	}
	if tried < 5 {
		t.Errorf("only %d routes take an id: the router was not read", tried)
	}
}

// good is a body of the operation with a good value for every required field.
func good(d *docs.Document, o docs.Operation) map[string]any {
	out := map[string]any{}
	s := d.Components.Schemas[strings.TrimPrefix(o.RequestBody.Content["application/json"].Schema.Ref,
		docs.SchemaPrefix)]
	for _, name := range s.Required {
		switch {
		case name == "network":
			out[name] = "BASE"
		case name == "token":
			out[name] = "USDC"
		case s.Properties[name].Type == "number":
			out[name] = 20
		default:
			out[name] = "0x9df6e1a5b0c2d3f4e5a6b7c8d9e0f1a2b3c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8"
		}
	}
	return out
}

func namesForeign(op *ast.FieldDefinition) bool {
	return slices.ContainsFunc(op.Arguments,
		func(a *ast.ArgumentDefinition) bool { return slices.Contains(foreign, a.Name) })
}

// try calls the operation as me, with their ids.
func (w *tenants) try(kind string, op *ast.FieldDefinition) {
	w.t.Helper()
	var arguments []string
	for _, a := range op.Arguments {
		if v := w.argument(a); v != "" {
			arguments = append(arguments, a.Name+": "+v)
		}
	}
	before := w.state()
	document := fmt.Sprintf("%s { %s(%s) { code message } }", kind, op.Name, strings.Join(arguments, ", "))
	got := w.b.graphQL(document, "", "Authorization", "Bearer "+w.session)
	if got.status != 200 || strings.Contains(got.body, `"errors"`) {
		w.t.Errorf("%s: the test wrote a malformed document: %s", op.Name, got.body)
		return
	}
	// Another merchant's cursor is a malformed argument; anything else is unknown.
	if code := got.text(w.t, "data."+op.Name+".code"); code != "404" &&
		(code != "400" || !strings.Contains(document, "after: ")) {
		w.t.Errorf("%s answers %s", document, got.body)
	}
	if after := w.state(); after != before {
		w.t.Errorf("%s changed %s to %s", op.Name, before, after)
	}
}

// argument writes a good value for an argument: mine, except for ids.
func (w *tenants) argument(a *ast.ArgumentDefinition) string {
	switch a.Name {
	case "apiKey":
		return `"` + w.mine.text + `"`
	case "txnid", "after":
		return `"` + w.payment + `"`
	case "apiKeyId":
		return `"` + w.theirKey + `"`
	}
	if !a.Type.NonNull {
		return ""
	}
	switch a.Type.NamedType {
	case "Network":
		return "BASE"
	case "Token":
		return "USDC"
	case "Int", "Float":
		return "20"
	}
	w.t.Fatalf("no value for the argument %s %s", a.Name, a.Type)
	return ""
}

// state is all data of both.
func (w *tenants) state() string {
	w.t.Helper()
	p, err := w.b.payments.Get(w.t.Context(), w.payment)
	must(w.t, err)
	return fmt.Sprintf("%s %s %d, credits %d and %d, queries %d and %d", p.Status, p.Choice.Network, p.Seq,
		w.b.balance(w.mine), w.b.balance(w.theirs), w.b.queries(w.mine), w.b.queries(w.theirs))
}
