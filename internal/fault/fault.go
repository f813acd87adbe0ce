// Package fault is the closed set of ways an operation can fail.
//
// Every error that leaves the domain is either a fault, whose message is safe
// and useful to the one who called, or something unknown, which is Internal
// and whose text is never shown to anybody but the operator's log.
package fault

import (
	"errors"
	"fmt"
	"time"
)

// Kind tells what sort of failure an error is. The zero value is Internal, so
// that an error nobody thought about is never shown.
type Kind int

// The kinds, each with the numeric code that surfaces answer it with
// (interface.md section 7, spec.md section 2).
const (
	Internal        Kind = iota // 500: a fault of ours
	Invalid                     // 400: a missing or malformed argument
	Unauthorized                // 401: key or session missing, malformed, unknown or rotated
	PaymentRequired             // 402: credits, queries or funds do not suffice
	Forbidden                   // 403: known caller, but not allowed
	NotFound                    // 404: unknown id, or one that belongs to somebody else
	NotAcceptable               // 406: none of the media types the caller takes is offered
	Conflict                    // 409: the present state does not allow it
	TooLarge                    // 413: body over the limit
	Unsupported                 // 415: media type is not accepted
	Unprocessable               // 422: well-formed, but not offered here
	Limited                     // 429: too many requests
	Unavailable                 // 503: something it needs is blind or behind
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
	// RetryAfter says when to try again; zero when there is nothing to say.
	// Only Limited and Unavailable carry it.
	RetryAfter time.Duration
}

func (e *Error) Error() string { return e.Message }

// New returns a fault whose message may be shown to the caller: it says which
// input was wrong and what to do, and holds no secret.
func New(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Retry returns a fault that asks the caller to come back after the duration.
func Retry(kind Kind, after time.Duration, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), RetryAfter: after}
}

// KindOf returns the kind of the first fault in err's chain, Internal for an
// error that holds none. It must not be asked about a nil error.
func KindOf(err error) Kind {
	if f := Of(err); f != nil {
		return f.Kind
	}
	return Internal
}

// Of returns the first fault in err's chain, or nil.
func Of(err error) *Error {
	f, _ := errors.AsType[*Error](err)
	return f
}

// Is reports whether err is a fault of the kind.
func Is(err error, kind Kind) bool { return err != nil && KindOf(err) == kind }
