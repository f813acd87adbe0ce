package graph

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/formatter"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/florinpay/florin/graph/generated"
	"github.com/florinpay/florin/graph/jsonbody"
	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/fault"
)

// Options are the operator's settings.
type Options struct {
	Limits Limits
	// Introspection lets callers read the schema, and errors suggest names.
	Introspection bool
}

// Handler serves /graphql: queries and mutations by POST, queries by GET.
type Handler struct {
	executor *executor.Executor
	// headerKey executes requests whose API key is in a header.
	headerKey *executor.Executor
	maxBody   int
	// more counts further calls of a document against the limits of its client.
	more func(ctx context.Context, n int) error
}

// New returns a handler that answers with the operations.
func New(ops *operation.Operations, o Options, log *slog.Logger) *Handler {
	schema := generated.NewExecutableSchema(generated.Config{Resolvers: &Resolver{ops}})
	return &Handler{newExecutor(schema, o, log, false), newExecutor(schema, o, log, true), o.Limits.Body, ops.More}
}

// Refusals of a request that is not a GraphQL request.
var (
	errNotRequest = fault.New(
		fault.Invalid, `the body must be one JSON object such as {"query": "…"}; batches are not supported`,
	)
	errNoQuery       = fault.New(fault.Invalid, "query is required and must be a text")
	errNameNotText   = fault.New(fault.Invalid, "operationName must be a text or null")
	errVarsNotObject = fault.New(fault.Invalid, "variables must be an object or null")
	errExtNotObject  = fault.New(fault.Invalid, "extensions must be an object or null")
)

// Serve answers a GraphQL request (GraphQL over HTTP, draft of August 2026,
// with the statuses that its published audit asks for). A body that is not a
// GraphQL request is returned as an error for the caller to render.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request) error {
	mediaType, err := negotiate(r.Header.Values("Accept"))
	if err != nil {
		return err
	}
	req, err := h.read(r)
	if err != nil {
		return err
	}
	if req.Query == "" && req.Extensions["persistedQuery"] != nil {
		return write(w, persistedQuery(), http.StatusOK, mediaType)
	}
	ctx, err := withIdempotency(r.Context(), r.Header.Get("Idempotency-Key"))
	if err != nil {
		return err
	}
	response, failed, err := h.execute(ctx, req, r.Method == http.MethodGet)
	if response == nil {
		return cmp.Or(err, ctx.Err())
	}
	return write(w, response, status(mediaType, failed), mediaType)
}

// ErrNotByGet: what is no query is sent by POST.
var ErrNotByGet = errors.New("a mutation, or nothing, was sent by GET")

// read reads the request: the body of a POST, or the query of a GET.
func (h *Handler) read(r *http.Request) (*graphql.RawParams, error) {
	if r.Method != http.MethodGet {
		body, err := jsonbody.Read(r, h.maxBody)
		if err != nil {
			return nil, err
		}
		return parseRequest(body)
	}
	// Written as the body of a POST, so that both are read alike.
	query, fields := r.URL.Query(), map[string]any{}
	if !query.Has("query") && !query.Has("extensions") {
		return nil, ErrNotByGet
	}
	for _, name := range []string{"query", "operationName"} {
		if query.Has(name) {
			fields[name] = query.Get(name)
		}
	}
	for name, refusal := range map[string]error{"variables": errVarsNotObject, "extensions": errExtNotObject} {
		if text := query.Get(name); text != "" {
			if !json.Valid([]byte(text)) {
				return nil, refusal
			}
			fields[name] = json.RawMessage(text)
		}
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return nil, errNotRequest
	}
	return parseRequest(jsonbody.JoinSurrogates(body))
}

// persistedQuery tells a client that sent the hash of a document to send the document (Automatic Persisted Queries).
func persistedQuery() *graphql.Response {
	err := gqlerror.Errorf("PersistedQueryNotSupported")
	errcode.Set(err, "PERSISTED_QUERY_NOT_SUPPORTED")
	return &graphql.Response{Errors: gqlerror.List{err}}
}

// SDL returns the schema in the schema definition language.
func SDL() string {
	var b strings.Builder
	formatter.NewFormatter(&b).FormatSchema(generated.NewExecutableSchema(generated.Config{}).Schema())
	return b.String()
}

// maxErrors is the most errors, and the most warnings of variables, that an answer lists.
const maxErrors = 10

// execute runs the operation. failed is true if nothing was executed because
// the document or the variables were refused. The response is nil if the
// context has ended.
func (h *Handler) execute(
	ctx context.Context, r *graphql.RawParams, reads bool,
) (response *graphql.Response, failed bool, err error) {
	ctx = graphql.StartOperationTrace(ctx)
	e := h.executor
	if !operation.CallOf(ctx).Key.Empty() {
		e = h.headerKey
	}
	op, errs := e.CreateOperationContext(ctx, r)
	if errs != nil {
		ctx = graphql.WithOperationContext(ctx, op)
		errs = plain(op, errs)
		return e.DispatchError(ctx, errs[:min(len(errs), maxErrors)]), true, nil
	}
	if reads && op.Operation.Operation != ast.Query {
		return nil, false, ErrNotByGet
	}
	// Each root field is a call of an operation; the request itself was counted as one.
	if err := h.more(ctx, newMeasurer(op.Doc).selections(op.Operation.SelectionSet).roots-1); err != nil {
		return nil, false, err
	}
	run, ctx := e.DispatchOperation(operation.WithWarnings(ctx, undeclared(op, r)...), op)
	return run(ctx), false, nil
}

// undeclared returns a warning for each variable that the document does not declare, which GraphQL ignores.
func undeclared(op *graphql.OperationContext, r *graphql.RawParams) []fault.Warning {
	var names []string
	for _, v := range op.Operation.VariableDefinitions {
		names = append(names, v.Variable)
	}
	var list []fault.Warning
	for _, name := range slices.Sorted(maps.Keys(r.Variables)) {
		if !slices.Contains(names, name) && len(list) < maxErrors {
			list = append(list, jsonbody.Unknown("variable", name, names))
		}
	}
	return list
}

// plain makes messages say which input is wrong, for readers of the message alone.
func plain(op *graphql.OperationContext, errs gqlerror.List) gqlerror.List {
	if op != nil && op.Doc != nil && len(op.Doc.Operations) > 1 && op.OperationName == "" && op.Operation == nil {
		return gqlerror.List{invalid(gqlerror.Errorf(
			"operationName is required: the document holds %d operations", len(op.Doc.Operations)))}
	}
	for _, err := range errs {
		if len(err.Path) > 1 && err.Path[0] == ast.PathName("variable") {
			err.Message = "variable " + err.Path[1:].String() + " " + err.Message
		}
	}
	return errs
}

// withIdempotency adds the header to the call the context carries.
func withIdempotency(ctx context.Context, header string) (context.Context, error) {
	key, err := operation.ParseIdempotencyKey(header)
	if err != nil || key == "" {
		return ctx, err
	}
	call := operation.CallOf(ctx)
	call.IdempotencyKey = key
	return operation.WithCall(ctx, call), nil
}

// parseRequest reads the body.
func parseRequest(body []byte) (*graphql.RawParams, error) {
	var raw struct {
		Query         any `json:"query"`
		OperationName any `json:"operationName"`
		Variables     any `json:"variables"`
		Extensions    any `json:"extensions"`
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&raw); err != nil {
		return nil, errNotRequest
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errNotRequest
	}
	var r graphql.RawParams
	var ok bool
	persisted, _ := raw.Extensions.(map[string]any)
	if r.Query, ok = raw.Query.(string); !ok && (raw.Query != nil || persisted["persistedQuery"] == nil) {
		return nil, errNoQuery
	}
	if !strings.Contains(r.Query, `"""`) { // in a block string nothing is escaped
		r.Query = string(jsonbody.JoinSurrogates([]byte(r.Query)))
	}
	if r.OperationName, ok = raw.OperationName.(string); !ok && raw.OperationName != nil {
		return nil, errNameNotText
	}
	if r.Variables, ok = withNumbers(raw.Variables).(map[string]any); !ok && !isNone(raw.Variables) {
		return nil, errVarsNotObject
	}
	if r.Extensions, ok = raw.Extensions.(map[string]any); !ok && !isNone(raw.Extensions) {
		return nil, errExtNotObject
	}
	return &r, nil
}

// isNone reports whether a value stands for an object without fields: null, or an empty list, which PHP does not tell
// apart.
func isNone(v any) bool {
	list, isList := v.([]any)
	return v == nil || isList && len(list) == 0
}

// responseBody is the body of an answer. It has no data, not even null, if
// nothing was executed.
type responseBody struct {
	Errors gqlerror.List   `json:"errors,omitempty"`
	Data   json.RawMessage `json:"data,omitempty"`
}

func write(w http.ResponseWriter, response *graphql.Response, status int, mediaType string) error {
	var b bytes.Buffer
	if err := jsonbody.Encode(&b, responseBody{response.Errors, response.Data}); err != nil {
		return err
	}
	w.Header().Set("Content-Type", mediaType+"; charset=utf-8")
	w.WriteHeader(status)
	// A write fails when the client has disconnected; nothing is left to do.
	_, _ = w.Write(b.Bytes())
	return nil
}
