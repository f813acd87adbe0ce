// Package idempotency stores the answers of writes with an Idempotency-Key, so
// that a repeated request takes effect once and gets the same answer.
//
// Its one invariant: for one API key and one idempotency key there is at most
// one answer, and every try acts on the same subject. A write that is one
// transaction stores its answer in it (Keep), and only while its try still has the
// key: whatever clocks and leases do, it takes effect once.
package idempotency

import (
	"context"
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/florinpay/florin/internal/fault"
)

// Limits (spec.md section 2).
const (
	// MaxKey is the longest idempotency key, in characters.
	MaxKey = 255
	// KeepFor is how long an answer is kept.
	KeepFor = 24 * time.Hour
	// MaxOfPayment is how many records the payers of one payment have at once: they
	// need a record for each press of a button, and anyone who knows the txnid can
	// make them.
	MaxOfPayment = 20
	// MaxOfCampaign is how many records the donors of one campaign have at once.
	MaxOfCampaign = 1_000
)

// Refusals.
var (
	ErrRunning  = fault.New(fault.Conflict, "a request with this Idempotency-Key is still running; repeat it when it is answered").Because(fault.ReasonIdempotencyRunning)
	ErrMismatch = fault.New(fault.Unprocessable, "this Idempotency-Key was used with another request; use a new key").Because(fault.ReasonIdempotencyMismatch)
)

// Hash identifies a request: operation and body.
type Hash [sha256.Size]byte

// Claim is the right of one try to run a request. Another try may take it over once
// its time is up; what the first one writes then fails with ErrRunning.
type Claim struct {
	KeyID int64  // the API key
	Key   string // the idempotency key, 1 to MaxKey characters
	// Holder distinguishes this try from every other one.
	Holder string
}

// Try is one attempt to run a request.
type Try struct {
	Claim

	// Scope is what callers without the API key share: a payment or a campaign. It
	// keeps Most records; the oldest finished ones give way. Empty: the caller has
	// the key, and there is no such limit.
	Scope   string
	Most    int
	Request Hash
	// Replaced are hashes of the same request that an earlier try may have stored. The first try stores Request.
	Replaced []Hash
	// Subject is the public id for what the request makes; it is used only by
	// the first try.
	Subject string
	Now     time.Time
	// LockedUntil is when the try counts as crashed and another may run. A stored one
	// that is further ahead of Now than this one was written by a clock that has been
	// set back since; it holds nobody up.
	LockedUntil time.Time
}

// is reports whether the stored hash identifies the request of the try.
func (t Try) is(stored []byte) bool {
	return slices.ContainsFunc(append([]Hash{t.Request}, t.Replaced...), func(h Hash) bool {
		return string(h[:]) == string(stored)
	})
}

// Check refuses a key that is empty, too long or cannot be stored.
func (t Try) Check() error {
	n := utf8.RuneCountInString(t.Key)
	if n < 1 || n > MaxKey || !utf8.ValidString(t.Key) || strings.ContainsRune(t.Key, 0) {
		return fault.New(fault.Invalid, "Idempotency-Key must have 1 to %d characters of valid UTF-8", MaxKey)
	}
	return nil
}

// TakesUp reports whether the try, whose key is stored, is to run the request: not one that is answered.
func (t Try) TakesUp(request []byte, lockedUntil time.Time, answered bool) (bool, error) {
	switch {
	case !t.is(request):
		return false, ErrMismatch
	case !answered && lockedUntil.After(t.Now) && !lockedUntil.After(t.LockedUntil):
		return false, ErrRunning
	}
	return !answered, nil
}

// Answer is the stored answer of a finished request. The zero Answer means that
// the request is to be run.
type Answer struct {
	Status int // HTTP status; never 0 when there is an answer
	Body   []byte
}

// AnswerPlace is what the sealed answer to a request is bound to: the API key and the idempotency key, as they are
// stored.
func AnswerPlace(keyID int64, key string) string {
	return "answer:" + strconv.FormatInt(keyID, 10) + ":" + key
}

// Kept is an answer that is stored in the transaction of the change it reports: a
// request that is repeated after a crash finds both or neither.
type Kept struct {
	Claim

	Answer Answer
	At     time.Time
}

// Keep makes the answer of a request from what its write has made, to be stored in the
// same transaction. It may be called again, so it must have no effects. nil keeps
// nothing.
type Keep func(made any) (*Kept, error)

// Of returns the answer to store, or nil.
func (k Keep) Of(made any) (*Kept, error) {
	if k == nil {
		return nil, nil //nolint:nilnil // there is nothing to keep
	}
	return k(made)
}

// Store keeps answers. Every method is one transaction.
type Store interface {
	// IdempotencyBegin takes the key for the try and returns the subject to
	// act on: that of the first try. When the request is already answered,
	// the Answer is returned with it and nothing is to be run. It fails with
	// ErrRunning while another try holds the key, and with ErrMismatch if the
	// key came with another request. Records older than KeepFor do not count.
	IdempotencyBegin(ctx context.Context, t Try) (subject string, a Answer, err error)
	// IdempotencyFinish stores the answer of a try that began. The first
	// answer stays. It does nothing, as the next two do, if the try has lost its
	// claim.
	IdempotencyFinish(ctx context.Context, k Kept) error
	// IdempotencyHold holds the key of a try that is still running for longer. A time in the past frees the key of one
	// that had no lasting answer, so that the same request may be tried again with the same subject. It returns false
	// if the try has lost its claim, or is answered.
	IdempotencyHold(ctx context.Context, c Claim, until time.Time) (held bool, err error)
	// IdempotencyForget deletes the record of a try that made nothing.
	IdempotencyForget(ctx context.Context, c Claim) error
}
