package graph

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"github.com/florinpay/florin/graph/operation"
)

// newExecutor returns gqlgen's executor with Florin's limits and rules.
// With keyInHeader a document may leave the API key out.
func newExecutor(schema graphql.ExecutableSchema, o Options, log *slog.Logger, keyInHeader bool) *executor.Executor {
	e := executor.New(schema)
	documents := newDocumentCache()
	e.SetQueryCache(documents)
	e.SetParserTokenLimit(o.Limits.Tokens)
	e.SetDisableSuggestion(!o.Introspection)
	e.SetDefaultRulesFn(func() *rules.Rules { return rulesFor(o.Introspection, keyInHeader) })
	e.SetRecoverFunc(recoverFunc(log))
	e.Use(sizeLimit{named: "SizeLimit", limits: o.Limits, accepted: documents})
	if keyInHeader {
		e.Use(emptyKeyVariables{
			named: "EmptyKeyVariables", schema: schema.Schema(), tokens: o.Limits.Tokens, accepted: documents,
		})
	}
	e.Use(strictVariables{named: "StrictVariables", schema: schema.Schema()})
	e.Use(singleMutation{named: "SingleMutation"})
	if o.Introspection {
		e.Use(extension.Introspection{})
	}
	return e
}

// The cache holds documents that clients repeat. A long one is parsed each time,
// so that the cache stays below 20 MB.
const (
	maxCachedDocuments = 256
	maxCachedDocument  = 4 << 10 // bytes of text
)

// documentCache keeps parsed and valid documents by their text.
type documentCache struct{ *lru.LRU[*ast.QueryDocument] }

func newDocumentCache() documentCache {
	return documentCache{lru.New[*ast.QueryDocument](maxCachedDocuments)}
}

// Add keeps the document, unless it is long or has a string literal. A literal
// may be a private key or a password, which must not outlive its request; and
// a document with its arguments written into it is rarely sent twice.
func (c documentCache) Add(ctx context.Context, text string, document *ast.QueryDocument) {
	if len(text) <= maxCachedDocument && !strings.Contains(text, `"`) {
		c.LRU.Add(ctx, text, document)
	}
}

// named gives an extension its name. The executor calls Validate once, when
// the extension is added.
type named string

func (n named) ExtensionName() string                 { return string(n) }
func (named) Validate(graphql.ExecutableSchema) error { return nil }

// singleMutation refuses an Idempotency-Key for more than one mutation: one
// key stores one answer.
type singleMutation struct{ named }

// MutateOperationContext checks the operation before it is executed.
func (singleMutation) MutateOperationContext(ctx context.Context, c *graphql.OperationContext) *gqlerror.Error {
	op := c.Operation
	if operation.CallOf(ctx).IdempotencyKey == "" || op.Operation != ast.Mutation {
		return nil
	}
	if newMeasurer(c.Doc).selections(op.SelectionSet).roots <= 1 {
		return nil
	}
	return invalid(gqlerror.ErrorPosf(op.Position, "with an Idempotency-Key a request may hold one mutation field"))
}

func invalid(err *gqlerror.Error) *gqlerror.Error {
	errcode.Set(err, errcode.ValidationFailed)
	return err
}

// recoverFunc returns the handler of panics in generated code; operations handle
// their own. The panic's value is not logged: it may hold an argument.
func recoverFunc(log *slog.Logger) graphql.RecoverFunc {
	return func(ctx context.Context, p any) error {
		id := operation.CallOf(ctx).RequestID
		log.ErrorContext(ctx, "panic", "request", id, "type", fmt.Sprintf("%T", p), "stack", string(debug.Stack()))
		return gqlerror.Errorf("something went wrong on our side; if it stays so, tell the operator request %s", id)
	}
}
