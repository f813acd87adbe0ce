package merchant

import (
	"context"

	"github.com/florinpay/florin/internal/audit"
)

type custodianLinesKey struct{}

// WithCustodianLines is WithLines for an act on a custodian, whose lines say
// what changed: that is known only where it is locked. tell is called again if
// the act is, so only what its last call says or sets counts.
func WithCustodianLines(ctx context.Context, tell func(before, after Custodian) []audit.Entry) context.Context {
	return context.WithValue(ctx, custodianLinesKey{}, tell)
}

// CustodianLinesOf returns what says the lines of a change; never nil.
func CustodianLinesOf(ctx context.Context) func(before, after Custodian) []audit.Entry {
	tell, ok := ctx.Value(custodianLinesKey{}).(func(before, after Custodian) []audit.Entry)
	if !ok {
		return func(Custodian, Custodian) []audit.Entry { return nil }
	}
	return tell
}
