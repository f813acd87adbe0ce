package account

import "context"

type linesKey struct{}

// WithLines returns a context that carries what an act leaves in the audit
// log. The store method that performs the act writes the lines in the act's
// own transaction: there is no act without its lines, whatever crashes, and no
// line about what did not happen. A line whose UserID is 0 is about the user
// whom the act itself makes or signs in.
func WithLines(ctx context.Context, lines ...Audit) context.Context {
	return context.WithValue(ctx, linesKey{}, lines)
}

// LinesOf returns the lines the context carries.
func LinesOf(ctx context.Context) []Audit {
	lines, _ := ctx.Value(linesKey{}).([]Audit)
	return lines
}
