package chain

import "context"

type strangerKey struct{}

// AsStranger marks calls to endpoints that somebody without a key or a session asked for. They wait for each other, and
// never take the place of the reading of money.
func AsStranger(ctx context.Context) context.Context {
	return context.WithValue(ctx, strangerKey{}, true)
}

// OfStranger reports whether AsStranger has marked the calls.
func OfStranger(ctx context.Context) bool { return ctx.Value(strangerKey{}) != nil }
