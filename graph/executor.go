package graph

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/florinpay/florin/graph/operation"
)

// Documents that are kept parsed: merchants send the same few all day. A long
// one is parsed each time, so that the cache stays below 20 MB whoever fills it.
const (
	cachedDocuments   = 256
	maxCachedDocument = 4 << 10 // bytes of text
)

// executor runs documents.
type executor struct {
	schema        graphql.ExecutableSchema
	cache         *lru.LRU[*document]
	limits        Limits
	introspection bool
	log           *slog.Logger
}

func newExecutor(schema graphql.ExecutableSchema, limits Limits, introspection bool, log *slog.Logger) *executor {
	return &executor{schema: schema, cache: lru.New[*document](cachedDocuments), limits: limits, introspection: introspection, log: log}
}

// request is the body of a GraphQL request.
type request struct {
	query         string
	operationName string
	variables     map[string]any
}

// execute answers the request. failed is true if nothing was executed because
// of what the document or the variables are.
func (e *executor) execute(ctx context.Context, r request) (response *graphql.Response, failed bool) {
	doc, errs := e.document(ctx, r.query)
	if errs != nil {
		return &graphql.Response{Errors: errs}, true
	}
	op, errs := pick(doc, r.operationName)
	if errs != nil {
		return &graphql.Response{Errors: errs}, true
	}
	if errs := onceOnly(ctx, op); errs != nil {
		return &graphql.Response{Errors: errs}, true
	}
	variables, errs := coercer{e.schema.Schema()}.variables(op, r.variables)
	if errs != nil {
		return &graphql.Response{Errors: errs}, true
	}
	return e.run(ctx, &graphql.OperationContext{
		RawQuery: r.query, OperationName: r.operationName, Doc: doc.query, Operation: op,
		Variables: doc.variables(variables), DisableIntrospection: !e.introspection, RecoverFunc: e.recovered,
		ResolverMiddleware:     func(ctx context.Context, next graphql.Resolver) (any, error) { return next(ctx) },
		RootResolverMiddleware: func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler { return next(ctx) },
	}), false
}

func (e *executor) run(ctx context.Context, op *graphql.OperationContext) *graphql.Response {
	ctx = graphql.WithOperationContext(ctx, op)
	ctx = graphql.WithResponseContext(ctx, presented, e.recovered)
	response := e.schema.Exec(ctx)(ctx)
	response.Errors = append(response.Errors, graphql.GetErrors(ctx)...)
	return response
}

func (e *executor) document(ctx context.Context, text string) (*document, gqlerror.List) {
	if doc, ok := e.cache.Get(ctx, text); ok {
		return doc, nil
	}
	doc, errs := e.parse(text)
	if errs == nil && len(text) <= maxCachedDocument {
		e.cache.Add(ctx, text, doc)
	}
	return doc, errs
}

// pick returns the operation to execute.
func pick(doc *document, name string) (*ast.OperationDefinition, gqlerror.List) {
	if op := doc.query.Operations.ForName(name); op != nil {
		return op, nil
	}
	err := gqlerror.Errorf("operationName must name one of the document's operations")
	errcode.Set(err, errcode.ValidationFailed)
	return nil, gqlerror.List{err}
}

// onceOnly refuses an Idempotency-Key for more than one mutation: one key
// keeps one answer.
func onceOnly(ctx context.Context, op *ast.OperationDefinition) gqlerror.List {
	if operation.CallOf(ctx).IdempotencyKey == "" || op.Operation != ast.Mutation {
		return nil
	}
	if m := (&measurer{doc: &ast.QueryDocument{}}); m.selections(op.SelectionSet).roots <= 1 && !spreads(op.SelectionSet) {
		return nil
	}
	err := gqlerror.ErrorPosf(op.Position, "with an Idempotency-Key a request may hold one mutation field, written without fragments")
	errcode.Set(err, errcode.ValidationFailed)
	return gqlerror.List{err}
}

func spreads(set ast.SelectionSet) bool {
	for _, s := range set {
		if _, ok := s.(*ast.Field); !ok {
			return true
		}
	}
	return false
}

// presented shows errors of the executor only: operations answer in their results.
func presented(_ context.Context, err error) *gqlerror.Error {
	if shown, ok := errors.AsType[*gqlerror.Error](err); ok {
		return shown
	}
	return gqlerror.Errorf("the request cannot be executed")
}

var errInternal = errors.New("something went wrong on our side")

// recovered handles a panic of the generated code. The panic's value is not
// written: it may hold an argument.
func (e *executor) recovered(ctx context.Context, p any) error {
	id := operation.CallOf(ctx).RequestID
	e.log.ErrorContext(ctx, "panic", "request", id, "type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
	return gqlerror.Errorf("%s; if it stays so, tell the operator request %s", errInternal, id)
}
