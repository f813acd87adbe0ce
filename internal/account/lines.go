package account

import "context"

type (
	linesKey          struct{}
	custodianLinesKey struct{}
)

// WithLines returns a context that carries what an act leaves in the audit
// log. The store method that performs the act writes the lines in the act's
// own transaction: there is no act without its lines, whatever crashes, and no
// line about what did not happen. What a line leaves empty only the act knows:
// UserID 0 and no Actor are the user whom it makes or signs in, no Subject is
// what it made, and the end of Detail what it found.
func WithLines(ctx context.Context, lines ...Audit) context.Context {
	return context.WithValue(ctx, linesKey{}, lines)
}

// LinesOf returns the lines the context carries.
func LinesOf(ctx context.Context) []Audit {
	lines, _ := ctx.Value(linesKey{}).([]Audit)
	return lines
}

// WithCustodianLines is WithLines for an act on a custodian, whose lines say
// what changed: that is known only where it is locked. tell is called again if
// the act is, so only what its last call says or sets counts.
func WithCustodianLines(ctx context.Context, tell func(before, after Custodian) []Audit) context.Context {
	return context.WithValue(ctx, custodianLinesKey{}, tell)
}

// CustodianLinesOf returns what says the lines of a change; never nil.
func CustodianLinesOf(ctx context.Context) func(before, after Custodian) []Audit {
	tell, ok := ctx.Value(custodianLinesKey{}).(func(before, after Custodian) []Audit)
	if !ok {
		return func(Custodian, Custodian) []Audit { return nil }
	}
	return tell
}

// withoutLines is for the second store method of one act, whose lines the first
// has written.
func withoutLines(ctx context.Context) context.Context { return WithLines(ctx) }
