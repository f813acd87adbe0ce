package rpc

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Error is the error object of a JSON-RPC answer.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

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

// Bounds of the Retry-After header.
const (
	defaultRetryAfter = 2 * time.Second
	maxRetryAfter     = 5 * time.Minute
)

// retryAfter reads the header (RFC 9110 section 10.2.3): seconds or a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	text := h.Get("Retry-After")
	after := defaultRetryAfter
	if seconds, err := strconv.Atoi(text); err == nil {
		after = time.Duration(min(max(seconds, 1), int(maxRetryAfter/time.Second))) * time.Second
	} else if date, err := http.ParseTime(text); err == nil {
		after = date.Sub(now)
	}
	return min(max(after, time.Second), maxRetryAfter)
}

// Parts of error texts of providers for requests that are too frequent, too
// early or too large. There is no standard; the texts are those of geth,
// Erigon, reth and the large providers. Misreading one costs a few more
// requests, never a wrong answer.
var (
	rateTexts = []string{
		"rate limit", "rate-limit", "too many requests", "requests per", "request count", "quota",
		"credits", "throughput", "capacity",
	}
	lateTexts = []string{
		"unknown block", "header not found", "block not found", "could not find block",
		"beyond current head", "beyond the latest", "exceeds head", "invalid block range", "in the future",
	}
	manyTexts = []string{"addresses or topics", "number of addresses", "too many topics", "too many addresses"}
	sizeTexts = []string{
		"range", "too large", "too wide", "too big", "more than", "max results", "response size",
		"exceed", "limited to", "timed out", "timeout", "deadline",
	}
	sizeCodes = []int{-32005, -32602, -32614, -32020, -32012}
)

// LogsError classifies an error object in answer to eth_getLogs.
func LogsError(e *Error) error {
	text := strings.ToLower(e.Message)
	switch {
	case contains(text, rateTexts) || e.Code == http.StatusTooManyRequests:
		return rateLimited{defaultRetryAfter}
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
	case contains(text, rateTexts) || e.Code == http.StatusTooManyRequests:
		return rateLimited{defaultRetryAfter}
	case contains(text, lateTexts):
		return fmt.Errorf("%w: %w", ErrLagging, e)
	}
	return e
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
