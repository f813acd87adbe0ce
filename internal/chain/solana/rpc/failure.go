package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain/endpoint"
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
	codeInvalid         = -32600
	codeStatusNotYet    = -32014
	codeMinContext      = -32016 // the node has not reached the requested slot
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

// ErrBusy: the caller gave up before the rate allowed the call. The node was not asked.
var ErrBusy = endpoint.ErrBusy

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

// classify maps an error object to the failure it means. Providers use the codes of nodes for limits of their own, so
// the text comes first; that of a failed simulation is the program's.
func classify(e *Error) error {
	if e.Code != codePreflight && endpoint.Limited(e.Code, e.Message) {
		return RateLimited{endpoint.BackOff(e.Message, nil)}
	}
	switch e.Code {
	case codeUnhealthy, codeMinContext, codeStatusNotYet:
		return fmt.Errorf("%w: %w", ErrLagging, e)
	}
	if strings.Contains(strings.ToLower(e.Message), "minimum context slot") {
		return fmt.Errorf("%w: %w", ErrLagging, e) // Helius sends the text under another code
	}
	return e
}

// tooMany reports whether an error may refuse how much was asked for at once.
func tooMany(err error) bool {
	if s, ok := errors.AsType[Status](err); ok {
		return s.Code == http.StatusRequestEntityTooLarge
	}
	e, ok := errors.AsType[*Error](err)
	if !ok || errors.Is(err, ErrLagging) {
		return false
	}
	text := strings.ToLower(e.Message)
	return e.Code == codeParameters || e.Code == codeInvalid || strings.Contains(text, "limit") ||
		strings.Contains(text, "too many") || strings.Contains(text, "too large") || strings.Contains(text, "max")
}

// NotTheNodes keeps the failure of one account or transaction from taking the node out of use: anyone can make a
// transaction that a node cannot return.
func NotTheNodes(err error) error {
	if CodeOf(err) != 0 || errors.Is(err, ErrMalformed) {
		return Lagging("%w", err)
	}
	return err
}
