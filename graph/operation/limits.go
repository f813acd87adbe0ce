package operation

import "context"

// Limits counts operations and refuses those beyond the configured rates. A
// refusal is a fault.Limited with the time to retry after. The HTTP surface
// implements it, which this package does not import.
type Limits interface {
	// More counts n more requests of the client than the one that came.
	More(ctx context.Context, n int) error
	// Key counts an operation of the API key.
	Key(ctx context.Context, keyID int64) error
	// Costly counts an operation of a client that needs no key and costs much
	// more than its request: a password's hash. It counts operations, not requests.
	Costly(ctx context.Context) error
	// Endpoints counts an operation on a payment that asks the endpoints of networks, whose calls cost the operator.
	Endpoints(ctx context.Context, txnid string) error
	// Checks counts an operation of a key or an account that asks the endpoints: a wallet that is set, a recharge. What
	// these ask for is apart from what strangers do, since anybody may have an account.
	Checks(ctx context.Context) error
	// Open counts a payment that a client without a key opens for a credit of
	// the merchant's: one client must not use up all credits.
	Open(ctx context.Context) error
}
