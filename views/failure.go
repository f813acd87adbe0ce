package views

// FailureProps is an error page: what went wrong, that the money is safe, and what to do next.
type FailureProps struct {
	Page
	Kind FailureKind
	// RequestID lets the operator find what happened; shown when set.
	RequestID string
	// Home leads to the first page: what was asked for is not there.
	Home bool
	// RetrySeconds is when to come back, for FailureTooOften and FailureUnavailable; 0 when unknown.
	RetrySeconds int
	// Path is the requested address, query included ("/pay?txnid=…"), so that the language menu keeps
	// its parameters; may be empty.
	Path string
	// Again is the address of a page to open next: the same one, or the one whose form was sent; empty for none.
	Again string
	// Checkout says that a payer sees this, so the page speaks of their money.
	Checkout bool
}

// FailureKind selects the words of a failure page.
type FailureKind string

// The kinds of failure page, with the HTTP status each is meant for.
const (
	FailurePaymentUnknown FailureKind = "payment"     // 404 on /pay
	FailureNotFound       FailureKind = "page"        // 404 elsewhere
	FailureTooOften       FailureKind = "too_often"   // 429
	FailureInvalid        FailureKind = "invalid"     // 400, 405, 413, 422
	FailureForbidden      FailureKind = "forbidden"   // 401, 403
	FailureConflict       FailureKind = "conflict"    // 409
	FailureUnavailable    FailureKind = "unavailable" // 503
	FailureInternal       FailureKind = "internal"    // 500
)
