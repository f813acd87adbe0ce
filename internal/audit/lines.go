package audit

import "context"

type linesKey struct{}

// WithLines returns a context that carries what an act leaves in the audit
// log. The store method that performs the act writes the lines in the act's
// own transaction: there is no act without its lines, whatever crashes, and no
// line about what did not happen. What a line leaves empty only the act knows:
// UserID 0 and no Actor are the user whom it makes or signs in, no Subject is
// what it made, and the end of Detail what it found.
func WithLines(ctx context.Context, lines ...Entry) context.Context {
	return context.WithValue(ctx, linesKey{}, lines)
}

// LinesOf returns the lines the context carries.
func LinesOf(ctx context.Context) []Entry {
	lines, _ := ctx.Value(linesKey{}).([]Entry)
	return lines
}
