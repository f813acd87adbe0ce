package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain/endpoint"
)

// Error is the error object of a JSON-RPC answer.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data"` // of no fixed form; never shown

	item bool // it is about the item that was asked for, whatever its text says
}

func (e *Error) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// same reports whether both are error objects with the same content; nil is none.
func (e *Error) same(o *Error) bool {
	return e != nil && o != nil && e.Code == o.Code && e.Message == o.Message
}

// Failures of an endpoint that pool, scan and sender handle differently.
var (
	// ErrTooLarge: the endpoint refuses the size of the answer; ask for less.
	ErrTooLarge = errors.New("asked for too much at once")
	// ErrTooManyTopics: the endpoint refuses the number of addresses asked for.
	ErrTooManyTopics = errors.New("asked for too many addresses at once")
	// ErrLagging: the endpoint does not have a block yet that others have.
	ErrLagging = errors.New("lags behind")
	// ErrNotFound: the endpoint does not have the block or transaction, and may
	// be right. Another endpoint is queried; this one stays healthy.
	ErrNotFound = errors.New("does not have it")
	// ErrPruned: the endpoint no longer has what is so old. Another endpoint is
	// queried; this one stays healthy.
	ErrPruned = errors.New("does not have what is so old; add an endpoint that keeps older blocks")
	// errGatewayTimeout: a gateway gave the node up.
	errGatewayTimeout = errors.New("took too long")
	// errBatchRefused: the endpoint refuses several calls in one request.
	errBatchRefused = errors.New("refuses calls in one request")
)

// Malformed is an answer that does not have the expected form.
func Malformed(format string, args ...any) error {
	return fmt.Errorf("malformed answer: "+format, args...)
}

// rateLimited: the endpoint refused the request because of its rate limit.
type rateLimited struct{ after time.Duration }

func (rateLimited) Error() string { return "too many requests" }

// defaultRetryAfter is how long an endpoint rests that does not say so itself.
const defaultRetryAfter = 2 * time.Second

// Parts of error texts of providers for requests that are too early or too large. There is no standard; the texts are
// those of geth, Erigon, reth and the large providers. Misreading one costs a few more requests, never a wrong answer.
var (
	lateTexts = []string{
		"unknown block", "header not found", "block not found", "could not find block",
		"beyond current head", "beyond the latest", "exceeds head", "invalid block range", "in the future",
		"cannot be found",
	}
	manyTexts = []string{"addresses or topics", "number of addresses", "too many topics", "too many addresses"}
	sizeTexts = []string{
		"range", "too large", "too wide", "too big", "more than", "max results", "response size",
		"exceed", "limited to", "timed out", "timeout", "deadline", "distance", "too many",
		"narrow", "should not greater",
		"maximum", "too long", "at most", "limit the",
	}
	sizeCodes = []int{-32005, -32602, -32614, -32020, -32012}
)

// LogsError classifies an error object in answer to eth_getLogs.
func LogsError(e *Error) error {
	text := strings.ToLower(e.Message)
	switch {
	case endpoint.Limited(e.Code, text):
		return rateLimited{endpoint.BackOff(e.Message, e.Data)}
	case endpoint.Pruned(text):
		return fmt.Errorf("%w: %w", ErrPruned, e)
	case contains(text, lateTexts):
		return fmt.Errorf("%w: %w", ErrLagging, e)
	case contains(text, manyTexts):
		return fmt.Errorf("%w: %w", ErrTooManyTopics, e)
	case contains(text, sizeTexts):
		return fmt.Errorf("%w: %w", ErrTooLarge, e)
	}
	if slices.Contains(sizeCodes, e.Code) {
		return fmt.Errorf("%w: %w", ErrTooLarge, e)
	}
	return e
}

// CallError classifies an error object in answer to any other call.
func CallError(e *Error) error {
	text := strings.ToLower(e.Message)
	switch {
	case e.item:
		return e
	case endpoint.Limited(e.Code, text), e.Code == codeLimitExceeded:
		return rateLimited{endpoint.BackOff(e.Message, e.Data)}
	case endpoint.Pruned(text):
		return fmt.Errorf("%w: %w", ErrPruned, e)
	case contains(text, lateTexts):
		return fmt.Errorf("%w: %w", ErrLagging, e)
	}
	return e
}

// codeLimitExceeded is what a request exceeds by EIP-1474: for logs the size of
// the answer, for all else the rate.
const codeLimitExceeded = -32005

// limited reports whether the reply to the call refuses it because of a rate.
func (r Reply) limited(c Call) bool {
	switch {
	case r.Err == nil || r.Err.item:
		return false
	case c.method == "eth_getLogs":
		return Limited(LogsError(r.Err))
	}
	return Limited(CallError(r.Err))
}

// UnknownTag reports whether the error says that the node does not know a block
// tag, rather than that it has no such block.
func UnknownTag(e *Error) bool {
	text := strings.ToLower(e.Message)
	if endpoint.Limited(e.Code, text) || strings.Contains(text, "not found") {
		return false
	}
	return e.Code == -32601 || e.Code == -32602 || contains(text, []string{
		"invalid", "unsupported", "not supported", "unknown block tag", "unknown tag", "parsing", "cannot unmarshal",
		"0x prefix",
	})
}

// TimedOut reports whether the endpoint took too long, by our clock or by that of
// a gateway in front of it.
func TimedOut(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errGatewayTimeout)
}

// Codes by which geth and its forks fill up a batch whose other replies took
// all the space or time for one answer.
const (
	codeBatchTimedOut = -32002
	codeBatchTooLarge = -32003
)

// crowdedOut reports whether a call of a batch got no reply because of the
// others. Both codes have other meanings elsewhere, so the text counts too.
func (r Reply) crowdedOut() bool {
	if r.Err == nil || r.Err.Code != codeBatchTimedOut && r.Err.Code != codeBatchTooLarge {
		return false
	}
	return contains(strings.ToLower(r.Err.Message), []string{"too large", "timed out"})
}

func contains(text string, any []string) bool {
	for _, part := range any {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
