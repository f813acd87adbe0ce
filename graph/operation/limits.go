package operation

import "context"

// Limits says whether the client or key may ask once more. A refusal is a
// fault.Limited that says when to come back.
type Limits interface {
	// Key counts an operation of the API key.
	Key(ctx context.Context, keyID int64) error
	// Costly counts an operation that anybody can ask for and that costs much
	// more than it costs to ask: a search on a chain, a password's hash. It
	// is counted for each operation, not for each request.
	Costly(ctx context.Context) error
	// Open counts a payment that anybody can open and that takes a credit of
	// the merchant's: whoever does it all day must not use them up.
	Open(ctx context.Context) error
}
