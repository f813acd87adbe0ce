package operation

import (
	"context"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/fault"
)

type warningsKey struct{}

// WithWarnings returns a context whose operations begin with the warnings.
func WithWarnings(ctx context.Context, list ...fault.Warning) context.Context {
	return context.WithValue(ctx, warningsKey{}, &list)
}

func warningsOf(ctx context.Context) []fault.Warning {
	if list, ok := ctx.Value(warningsKey{}).(*[]fault.Warning); ok {
		return *list
	}
	return nil
}

// Warn adds warnings to the answer of the operation that the context belongs to, whatever the answer is.
func Warn(ctx context.Context, list ...fault.Warning) {
	if all, ok := ctx.Value(warningsKey{}).(*[]fault.Warning); ok {
		*all = append(*all, list...)
	}
}

// warned adds the warnings of the operation to its answer, each once: one that is replayed may have them.
func warned[T any, R result[T]](ctx context.Context, out R) R {
	to := out.Envelope().Warnings
	known := make(map[model.Warning]bool)
	for _, w := range *to {
		known[*w] = true
	}
	for _, w := range warningsOf(ctx) {
		shown := model.Warning(w)
		if !known[shown] {
			known[shown] = true
			*to = append(*to, &shown)
		}
	}
	return out
}
