// Package fault is the closed set of ways an operation can fail.
//
// Every error that leaves the domain is either a fault, whose message is safe to
// show and useful to the caller, or Internal, whose text only the log holds.
package fault

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind is the category of a failure. The zero value is Internal, so the message of an error without a kind is never
// shown.
type Kind int

// The kinds, each with the numeric code of responses (interface.md section 7, spec.md section 2).
const (
	Internal        Kind = iota // 500: an internal error
	Invalid                     // 400: a missing or malformed argument
	Unauthorized                // 401: key or session missing, malformed, unknown or rotated
	PaymentRequired             // 402: credits, queries or funds do not suffice
	Forbidden                   // 403: known caller, but not allowed
	NotFound                    // 404: unknown id, or one of another merchant
	NotAcceptable               // 406: none of the media types the caller takes is offered
	Conflict                    // 409: the present state does not allow it
	TooLarge                    // 413: body over the limit
	Unsupported                 // 415: media type is not accepted
	Unprocessable               // 422: well-formed, but not offered here
	Limited                     // 429: too many requests
	Unavailable                 // 503: a network or service it needs is unreachable or behind
)

var kinds = [...]struct {
	name string
	code int
}{
	Internal:        {"internal", 500},
	Invalid:         {"invalid", 400},
	Unauthorized:    {"unauthorized", 401},
	PaymentRequired: {"payment required", 402},
	Forbidden:       {"forbidden", 403},
	NotFound:        {"not found", 404},
	NotAcceptable:   {"not acceptable", 406},
	Conflict:        {"conflict", 409},
	TooLarge:        {"too large", 413},
	Unsupported:     {"unsupported", 415},
	Unprocessable:   {"unprocessable", 422},
	Limited:         {"limited", 429},
	Unavailable:     {"unavailable", 503},
}

// Code returns the numeric code of the kind, which is an HTTP status.
func (k Kind) Code() int { return k.row().code }

// String returns the kind in words, for logs.
func (k Kind) String() string { return k.row().name }

func (k Kind) row() struct {
	name string
	code int
} {
	if k < 0 || int(k) >= len(kinds) {
		return kinds[Internal]
	}
	return kinds[k]
}

// Error is a failure with a message for the caller. Sentinels are declared as
// package variables with New and compared with errors.Is.
type Error struct {
	Kind    Kind
	Message string
	// Field is the name of the refused argument, such as wallets.bep20; empty if the refusal is about no single one.
	Field string
	// Reason is why, in a word for programs; empty: see ReasonOf.
	Reason Reason
	words  Words // of the message, or of what follows the field in it
	follow bool  // they follow the field
	// RetryAfter is when to try again; zero if unknown. Only Limited and Unavailable have it.
	RetryAfter time.Duration
}

func (e *Error) Error() string { return e.Message }

// New returns a fault whose message may be shown to the caller: it names the wrong input and what to do, and contains
// no secret.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), words: Words{format, args}}
}

// About returns a fault about one argument. The message is the name of the
// field and the predicate: About(Invalid, "label", "must have at most %d
// characters", 100) says "label must have at most 100 characters".
func About(kind Kind, field, format string, args ...any) *Error {
	e := New(kind, format, args...)
	e.Message, e.Field, e.follow = field+" "+e.Message, field, true
	return e
}

// Within returns the fault of a value in the field; each of them, if err joins several. The message is "field: message
// of the fault", and Field the path to the argument. An error that is not a fault is returned unchanged.
func Within(field string, err error) error {
	all := All(err)
	if len(all) == 0 {
		return err
	}
	within := make([]error, len(all))
	for i, f := range all {
		within[i] = f.within(field)
	}
	if len(all) == 1 {
		return within[0]
	}
	return errors.Join(within...)
}

func (e *Error) within(field string) error {
	out := &Error{Kind: e.Kind, Message: field + ": " + e.Message, Field: field, Reason: e.Reason, words: e.words}
	if e.Field != "" {
		out.Field, out.follow = field+"."+e.Field, e.follow
	}
	return out
}

// At returns the fault with another name of the field, about which it is.
func (e *Error) At(field string) *Error {
	return About(e.Kind, field, e.words.format, e.words.args...).Because(e.Reason)
}

// Sentence returns the words of the message for a page, which says them in the language of its reader: a sentence
// or, if they follow the field, what completes one that begins with its label, such as "must have at most 100
// characters".
func (e *Error) Sentence() (words Words, follow bool) {
	if e.follow {
		return e.words, true
	}
	return Words{upper(e.words.format) + ".", e.words.args}, false
}

// upper begins a text with a capital letter.
func upper(text string) string {
	return strings.ToUpper(text[:min(len(text), 1)]) + text[min(len(text), 1):]
}

// Retry returns a fault that asks the caller to try again after the duration.
func Retry(kind Kind, after time.Duration, format string, args ...any) *Error {
	e := New(kind, format, args...)
	e.RetryAfter = after
	return e
}

// ErrStorage: the database cannot be used at the moment. What was asked for may have happened if the connection to it
// broke; the same request, with the same Idempotency-Key, finds out.
var ErrStorage = Retry(Unavailable, storageRetry, "the service cannot read or store anything at the moment; try again shortly")

// ErrFull, beside ErrStorage: no room is left where the database writes.
var ErrFull = New(Unavailable, "the disk of the database is full")

// storageRetry is longer than a database takes to restart, as a rule.
const storageRetry = 5 * time.Second

// KindOf returns the kind of the first fault in err's chain, or Internal if there is none. err must not be nil.
func KindOf(err error) Kind {
	if f := Of(err); f != nil {
		return f.Kind
	}
	return Internal
}

// All returns every fault of an error that joins several (errors.Join), in their order; the one of any other error.
// A form shows all of them at once, while a response names the first.
func All(err error) []*Error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok { //nolint:errorlint // a wrapped one says more than its parts
		var all []*Error
		for _, e := range joined.Unwrap() {
			all = append(all, All(e)...)
		}
		return all
	}
	if f := Of(err); f != nil {
		return []*Error{f}
	}
	return nil
}

// Of returns the first fault in err's chain, or nil.
func Of(err error) *Error {
	f, _ := errors.AsType[*Error](err)
	return f
}

// Is reports whether err is a fault of the kind.
func Is(err error, kind Kind) bool { return err != nil && KindOf(err) == kind }
