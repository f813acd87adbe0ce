package graph

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/florinpay/florin/graph/jsonbody"
)

// Limits bound a request. Depth, fields, aliases and root fields are counted with
// every fragment expanded.
type Limits struct {
	Tokens     int // of the document's text
	Depth      int // of nested fields
	Fields     int // of one operation: its complexity
	Aliases    int // of one operation
	RootFields int // of one operation: each is one call of an operation
	Body       int // bytes of the request
}

// DefaultLimits leave room for the introspection query of every known tool
// (depth 15, 220 fields) and for any sensible use of the schema. The time of one
// validation rule grows with the square of the fields: 300 take 13 ms.
func DefaultLimits() Limits {
	return Limits{Tokens: 2_000, Depth: 20, Fields: 300, Aliases: 40, RootFields: 20, Body: jsonbody.Max}
}

// sizeLimit refuses documents beyond the limits. It parses a document before the
// executor does, because validating a large document is slow.
type sizeLimit struct {
	named
	limits   Limits
	accepted documentCache
}

// MutateOperationParameters checks a document that was not accepted before. It
// leaves one that does not parse to the executor.
func (l sizeLimit) MutateOperationParameters(ctx context.Context, r *graphql.RawParams) *gqlerror.Error {
	if _, ok := l.accepted.Get(ctx, r.Query); ok {
		return nil
	}
	document, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: r.Query}, l.limits.Tokens)
	if err != nil {
		return nil //nolint:nilerr // the executor reports it
	}
	if err := l.limits.check(document); err != nil {
		return invalid(err)
	}
	return nil
}

// size is the size of a selection set.
type size struct {
	fields, depth, aliases, roots int
}

// measurer computes the size of a document in time linear to its length: each
// fragment is counted once.
type measurer struct {
	doc       *ast.QueryDocument
	fragments map[string]*size // nil value: being counted
	problem   *gqlerror.Error
}

func newMeasurer(doc *ast.QueryDocument) *measurer {
	return &measurer{doc: doc, fragments: make(map[string]*size)}
}

// tooMuch stops counting before an exponential document overflows an int.
const tooMuch = 1 << 30

// check fails if the document exceeds the limits, has fragments that contain
// themselves, or defers a part of the answer: an answer is sent in one piece.
func (l Limits) check(doc *ast.QueryDocument) *gqlerror.Error {
	m := newMeasurer(doc)
	for _, f := range doc.Fragments {
		m.fragment(f.Name, f.Position)
	}
	for _, op := range doc.Operations {
		s := m.selections(op.SelectionSet)
		if m.problem != nil {
			break
		}
		if err := l.exceeded(s, op.Position); err != nil {
			return err
		}
	}
	return m.problem
}

func (l Limits) exceeded(s size, at *ast.Position) *gqlerror.Error {
	for _, c := range []struct {
		what       string
		have, most int
	}{
		{"root fields", s.roots, l.RootFields},
		{"levels", s.depth, l.Depth},
		{"fields", s.fields, l.Fields},
		{"aliases", s.aliases, l.Aliases},
	} {
		if c.have > c.most {
			return gqlerror.ErrorPosf(at, "the operation has too many %s; at most %d are allowed", c.what, c.most)
		}
	}
	return nil
}

func (m *measurer) selections(set ast.SelectionSet) size {
	var total size
	for _, s := range set {
		total = total.plus(m.selection(s))
	}
	return total
}

func (m *measurer) selection(s ast.Selection) size {
	switch s := s.(type) {
	case *ast.Field:
		m.directives(s.Directives)
		inner := m.selections(s.SelectionSet)
		own := size{fields: inner.fields + 1, depth: inner.depth + 1, aliases: inner.aliases, roots: 1}
		if s.Alias != s.Name {
			own.aliases++
		}
		return own
	case *ast.InlineFragment:
		m.directives(s.Directives)
		return m.selections(s.SelectionSet)
	case *ast.FragmentSpread:
		m.directives(s.Directives)
		return m.fragment(s.Name, s.Position)
	}
	return size{}
}

func (m *measurer) fragment(name string, at *ast.Position) size {
	if s, ok := m.fragments[name]; ok {
		if s == nil {
			m.failf(at, "fragment %q contains itself", name)
			return size{}
		}
		return *s
	}
	f := m.doc.Fragments.ForName(name)
	if f == nil {
		return size{} // validation reports it
	}
	m.fragments[name] = nil
	s := m.selections(f.SelectionSet)
	m.fragments[name] = &s
	return s
}

func (m *measurer) directives(list ast.DirectiveList) {
	if d := list.ForName("defer"); d != nil {
		m.failf(d.Position, "deferred fragments are not supported")
	}
}

func (m *measurer) failf(at *ast.Position, format string, args ...any) {
	if m.problem == nil {
		m.problem = gqlerror.ErrorPosf(at, format, args...)
	}
}

func (s size) plus(o size) size {
	return size{
		fields: min(s.fields+o.fields, tooMuch), depth: max(s.depth, o.depth),
		aliases: min(s.aliases+o.aliases, tooMuch), roots: min(s.roots+o.roots, tooMuch),
	}
}
