package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Error codes of Solana's JSON-RPC (agave, rpc-client-api custom_error).
const (
	CodeCleanedUp       = -32001 // older than what the node keeps
	CodeNotAvailable    = -32004 // no such block yet
	codeUnhealthy       = -32005 // the node is behind the cluster
	CodeSkipped         = -32007 // the slot has no block
	CodeNoHistory       = -32011
	CodeLongTermSkipped = -32009
	codePreflight       = -32002 // the simulation of a sent transaction failed
	codeSignature       = -32003
	codePrecompile      = -32006
	codeSignatureLength = -32013
	codeVersion         = -32015 // a transaction of a version that was not asked for
	codeParameters      = -32602
	codeStatusNotYet    = -32014
	codeMinContext      = -32016 // the node has not reached the requested slot
	codeTooManyRequests = 429
)

// Error is the error object of a JSON-RPC answer.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    struct {
		Err json.RawMessage `json:"err"` // why a simulation failed; never shown
	} `json:"data"`
}

// UnmarshalJSON reads the object; data of another form is left out.
func (e *Error) UnmarshalJSON(raw []byte) error {
	var plain struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(raw, &plain); err != nil {
		return err
	}
	e.Code, e.Message = plain.Code, plain.Message
	_ = json.Unmarshal(plain.Data, &e.Data) // nodes put other things there too
	return nil
}

// Error returns the code and the text.
func (e *Error) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// CodeOf returns the code of the error object in err, 0 if there is none.
func CodeOf(err error) int {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return 0
}

// Refused reports whether the node refused what it was asked for, as any node would: it is well.
func Refused(err error) bool {
	return slices.Contains([]int{
		codePreflight, codeSignature, codePrecompile, codeSignatureLength, codeVersion, codeParameters,
	}, CodeOf(err))
}

// Reasons of a node for not taking a transaction that say nothing against it.
const (
	AlreadyProcessed   = "AlreadyProcessed"  // it is in a block
	BlockhashNotFound  = "BlockhashNotFound" // the node does not have its blockhash yet, or any more
	accountInUse       = "AccountInUse"
	clusterMaintenance = "ClusterMaintenance"
)

// Passing returns the reason in a node's transaction error, if it is one that passes or says nothing against the
// transaction; text is the error in JSON.
func Passing(text string) (reason string, ok bool) {
	reason = strings.Trim(text, `"`)
	return reason, slices.Contains([]string{
		AlreadyProcessed, BlockhashNotFound, accountInUse, clusterMaintenance,
	}, reason)
}

// Harmless reports whether a node that did not take a sent transaction has processed it already, or does not know its
// blockhash.
func Harmless(err error) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Code != codePreflight {
		return false
	}
	reason, _ := Passing(string(e.Data.Err))
	if len(e.Data.Err) == 0 {
		text := strings.ToLower(e.Message)
		return strings.Contains(text, "already been processed") || strings.Contains(text, "blockhash not found")
	}
	return reason == AlreadyProcessed || reason == BlockhashNotFound
}

// ErrLagging: the endpoint does not have yet what others have.
var ErrLagging = errors.New("lags behind")

// Lagging returns an ErrLagging that says what the endpoint lacks.
func Lagging(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrLagging}, args...)...)
}

// ErrMalformed: an answer contradicts itself or the protocol.
var ErrMalformed = errors.New("malformed answer")

// Malformed returns an ErrMalformed that says what is wrong.
func Malformed(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrMalformed}, args...)...)
}

// Status is an HTTP status in place of an answer.
type Status struct {
	Code int
	Text string // of the body, without credentials
}

// Error returns the status and the text.
func (s Status) Error() string { return fmt.Sprintf("HTTP status %d: %s", s.Code, s.Text) }

// Answered reports whether the node took the request and could not serve it: what was asked for may be the reason.
func Answered(err error) bool {
	_, status := errors.AsType[Status](err)
	return !errors.Is(err, ErrLagging) && (status || CodeOf(err) != 0 || errors.Is(err, ErrMalformed))
}

// RateLimited reports that the endpoint refused the request because of its rate limit.
type RateLimited struct{ After time.Duration }

// Error says so.
func (RateLimited) Error() string { return "too many requests" }

// Bounds of a Retry-After.
const (
	defaultRetryAfter = 2 * time.Second
	maxRetryAfter     = 5 * time.Minute
)

// retryAfter reads the header (RFC 9110 section 10.2.3) in its form of seconds, the only one that providers
// of Solana send.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil {
		return defaultRetryAfter
	}
	return time.Duration(min(max(seconds, 1), int(maxRetryAfter/time.Second))) * time.Second
}

// classify maps the code of an error object to the failure it means.
func classify(e *Error) error {
	switch e.Code {
	case codeTooManyRequests:
		return RateLimited{defaultRetryAfter}
	case codeUnhealthy, codeMinContext, codeStatusNotYet:
		return fmt.Errorf("%w: %w", ErrLagging, e)
	}
	return e
}

// NotTheNodes keeps the failure of one account or transaction from taking the node out of use: anyone can make a
// transaction that a node cannot return.
func NotTheNodes(err error) error {
	if CodeOf(err) != 0 || errors.Is(err, ErrMalformed) {
		return Lagging("%w", err)
	}
	return err
}
