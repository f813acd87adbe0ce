package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/florinpay/florin/graph/generated"
	"github.com/florinpay/florin/web/docs"
)

// wrong are values that a type must refuse, as JSON; odd are those it may accept but
// must handle.
var wrong = map[string][]string{
	"String":  {`5`, `true`, `[]`, `{}`, `"` + strings.Repeat("x", 10_000) + `"`, `"a\u0000b"`, `"\u202e"`, `"\ud800"`},
	"Int":     {`"5"`, `1.5`, `true`, `-1`, `99999999999`, `1e400`, `[]`, `{}`},
	"Float":   {`"5,50"`, `true`, `-1`, `1e400`, `0.0000001`, `[]`, `{}`},
	"Boolean": {`"yes"`, `5`, `[]`, `{}`},
	"map":     {`"x"`, `5`, `true`, `[1]`, `{"":"x"}`, `{"a":"b\u0000"}`},
	"object":  {`"x"`, `5`, `true`, `[1]`, `{"nothing":1}`},
	"enum":    {`"NOPE"`, `""`, `5`, `true`, `[]`, `{}`},
	"list":    {`"x"`, `5`, `{}`, `[null]`, `[5]`},
}

var odd = []string{`null`, `""`, `"Ünï 支付 🧾"`, `"\u0007"`, `"\ufffd"`, `0`}

// kindOf is the row of wrong that a type of the schema belongs to.
func kindOf(schema *ast.Schema, t *ast.Type) string {
	if t.Elem != nil {
		return "list"
	}
	if _, ok := wrong[t.NamedType]; ok {
		return t.NamedType
	}
	switch d := schema.Types[t.NamedType]; {
	case t.NamedType == "StringMap":
		return "map"
	case d.Kind == ast.Enum:
		return "enum"
	case d.Kind == ast.InputObject:
		return "object"
	}
	return "String"
}

// TestBadInput_EveryArgument gives every argument of every operation, and
// every field of every input, a wrong value. The list comes from the schema.
func TestBadInput_EveryArgument(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	w := &tenants{t: t, b: b, mine: b.newMerchant(10_000), session: b.signUp(t, "every@shop.example")}
	w.theirs, w.payment = w.mine, string(b.newPayment(w.mine).ID)
	w.theirKey = w.mine.key.PublicID
	schema := generated.NewExecutableSchema(generated.Config{}).Schema()
	tried := 0
	for kind, root := range map[string]*ast.Definition{"query": schema.Query, "mutation": schema.Mutation} {
		for _, op := range root.Fields {
			for _, a := range op.Arguments {
				for _, place := range places(schema, a.Name, a.Type, 3) {
					for _, value := range wrong[place.kind] {
						w.refused(kind, op, a, place, value, true)
						tried++
					}
					for _, value := range odd {
						w.refused(kind, op, a, place, value, false)
						tried++
					}
				}
			}
		}
	}
	if tried < 1_000 {
		t.Errorf("only %d values were tried", tried)
	}
	if strings.Contains(b.log.String(), `"msg":"panic"`) {
		t.Error("a value caused a panic")
	}
}

// spot is a place of a value: an argument, or a field inside one.
type spot struct {
	path string // such as input.wallets.bep20
	kind string
	wrap string // the argument's value, with %s for the bad one
}

func places(schema *ast.Schema, path string, t *ast.Type, depth int) []spot {
	out := []spot{{path, kindOf(schema, t), "%s"}}
	d := schema.Types[t.Name()]
	if d == nil || d.Kind != ast.InputObject || depth == 0 {
		return out
	}
	for _, f := range d.Fields {
		for _, inner := range places(schema, path+"."+f.Name, f.Type, depth-1) {
			text := `{"` + f.Name + `":` + inner.wrap + required(d, f.Name) + `}`
			if t.Elem != nil {
				text = "[" + text + "]"
			}
			inner.wrap = text
			out = append(out, inner)
		}
	}
	return out
}

// required writes good values for the required fields beside the one.
func required(d *ast.Definition, but string) string {
	var out strings.Builder
	for _, f := range d.Fields {
		if f.Type.NonNull && f.Name != but {
			out.WriteString(`,"` + f.Name + `":` + map[string]string{"apiKey": `"$key"`, "network": `"BASE"`}[f.Name])
		}
	}
	return out.String()
}

// refused calls the operation with one wrong value.
func (w *tenants) refused(kind string, op *ast.FieldDefinition, a *ast.ArgumentDefinition, p spot, value string,
	must bool,
) {
	w.t.Helper()
	arguments := []string{a.Name + ": $it"}
	for _, other := range op.Arguments {
		if other == a {
			continue
		}
		if v := w.value(other); v != "" {
			arguments = append(arguments, other.Name+": "+v)
		}
	}
	document := fmt.Sprintf("%s ($it: %s) { %s(%s) { code message } }", kind, a.Type, op.Name, strings.Join(arguments, ", "))
	variables := `{"it":` + strings.ReplaceAll(fmt.Sprintf(p.wrap, value), "$key", w.mine.text) + `}`
	got := w.b.graphQL(document, variables, "Authorization", "Bearer "+w.session)
	shown := value[:min(len(value), 30)]
	if strings.Contains(got.body, `"errors"`) {
		if got.status != 200 && got.status != 400 {
			w.t.Errorf("%s, %s is %s: %d %s", op.Name, p.path, shown, got.status, got.start())
		}
		return
	}
	code := got.text(w.t, "data."+op.Name+".code")
	// The code is checked only for users with a second factor, and neither an address of a customer nor metadata stops
	// a sale: what cannot be read of them is left out with a warning.
	must = must && !slices.Contains([]string{"totp", "customerEmail", "metadata"}, p.path)
	if got.text(w.t, "data."+op.Name+".message") == "" || code == "500" || code == "200" && must {
		w.t.Errorf("%s, %s is %s: %s", op.Name, p.path, shown, got.start())
	}
}

// value is a good value for an argument, written in the document.
func (w *tenants) value(a *ast.ArgumentDefinition) string {
	switch a.Name {
	case "privateKey":
		return `"0x` + strings.Repeat("1", 64) + `"`
	case "email":
		return `"nobody@shop.example"`
	case "input":
		return `{apiKey: "` + w.mine.text + `"}`
	case "campaignId":
		return `"nothing"`
	case "after":
		return ""
	}
	if a.Type.NonNull && a.Type.NamedType == "String" &&
		!slices.Contains([]string{"apiKey", "txnid", "apiKeyId"}, a.Name) {
		return `"something good"`
	}
	return w.argument(a)
}

// TestBadInput_EveryField does the same to every field of every REST body and
// every query parameter, as openapi.json lists them.
func TestBadInput_EveryField(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(10_000)
	document, err := b.server.docs.OpenAPI()
	must(t, err)
	tried := 0
	for path, methods := range document.Paths {
		o, ok := methods["post"]
		if !ok || path == "/graphql" {
			continue
		}
		s := document.Components.Schemas[strings.TrimPrefix(o.RequestBody.Content["application/json"].Schema.Ref,
			docs.SchemaPrefix)]
		for name, field := range s.Properties {
			kind := kindOfField(field)
			if kind == "" {
				t.Fatalf("%s: no values for %s", path, name)
			}
			for i, value := range append(slices.Clone(wrong[kind]), odd...) {
				rest := good(document, o)
				if name != "txnid" && rest["txnid"] != nil {
					rest["txnid"] = string(b.newPayment(m).ID)
				}
				b.postField(t, m, path, name, value, rest, i < len(wrong[kind]))
				tried++
			}
			got := b.ask(http.MethodPost, strings.ReplaceAll(path, "{txnid}", unknownTxn), `{}`)
			if got.status < 400 || got.status >= 500 {
				t.Errorf("POST %s with nothing: %d %s", path, got.status, got.start())
			}
		}
	}
	for _, query := range []string{
		"limit=x", "limit=0", "limit=501", "limit=-1", "limit=1.5", "limit=99999999999",
		"after=x", "after=-1", "after=%00", "after=" + strings.Repeat("9", 30),
	} {
		if got := b.ask(http.MethodGet, "/events?"+query, "", "x-api-key", m.text); got.status != 400 {
			t.Errorf("GET /events?%s: %d %s", query, got.status, got.start())
		}
	}
	if tried < 150 {
		t.Errorf("only %d values were tried", tried)
	}
	if strings.Contains(b.log.String(), `"msg":"panic"`) {
		t.Error("a value caused a panic")
	}
}

// kindOfField is the row of wrong that a field of openapi.json belongs to.
func kindOfField(field docs.Schema) string {
	if field.Ref != "" {
		return "enum"
	}
	kinds := map[string]string{
		"string": "String", "number": "Float", "integer": "Int", "object": "map", "enum": "enum",
		"PriceRequest": "object",
	}
	words, _ := field.Words()
	word, _, _ := strings.Cut(words, ",")
	word, _, _ = strings.Cut(word, " ")
	return kinds[word]
}

// postField sends a body with one field of the value, and the rest as given.
func (b *bundle) postField(t *testing.T, m seller, path, name, value string, rest map[string]any, isWrong bool) {
	t.Helper()
	delete(rest, name)
	raw, err := json.Marshal(rest)
	must(t, err)
	body := `{"` + name + `":` + value + strings.TrimSuffix(","+strings.TrimPrefix(string(raw), "{"), ",}")
	if !strings.HasSuffix(body, "}") {
		body += "}"
	}
	at := strings.NewReplacer("{txnid}", string(b.newPayment(m).ID), "{campaignId}", "nothing").Replace(path)
	header := []string{"x-api-key", m.text}
	if name == "apiKey" {
		header = nil
	}
	got := b.ask(http.MethodPost, at, body, header...)
	shown := value[:min(len(value), 30)]
	isBroken := got.status >= 500 && got.status != 503
	if isBroken || got.text(t, "message") == "" || got.text(t, "code") != strconv.Itoa(got.status) {
		t.Errorf("POST %s, %s is %s: %d %s", path, name, shown, got.status, got.start())
	}
	if isWrong && got.status == 200 && !mendable(name, value) {
		t.Errorf("POST %s takes %s as %s: %s", path, shown, name, got.start())
	}
}

// mendable reports whether a wrong value of a field is read or left out, and so costs no sale: any address of a
// customer, a text for people that is something else, and a number in a text.
func mendable(field, value string) bool {
	switch field {
	case "customerEmail":
		return true
	case "reference", "description", "name", "message":
		return value[0] != '"'
	case "expiresInMinutes":
		return value == `"5"`
	}
	return false
}
