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

// rpcError is the error object of a JSON-RPC answer.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// Failures of an endpoint that the pool and the scan tell apart.
var (
	// errTooMuch: the endpoint refuses a question for its size; ask for less.
	ErrTooLarge = errors.New("asked for too much at once")
	// errTooManyTopics: the same, for the number of addresses asked about.
	ErrTooManyTopics = errors.New("asked for too many addresses at once")
	// errLagging: the endpoint does not know a block yet that others know.
	ErrLagging = errors.New("lags behind")
	// errLacking: the endpoint has no such block or transaction, and may be
	// right; another is asked, and no fault is found with this one.
	ErrNotFound = errors.New("does not have it")
	// errBatch: the endpoint refuses several calls in one request.
	errBatchRefused = errors.New("refuses calls in one request")
)

// malformed is an answer that makes no sense.
func Malformed(format string, args ...any) error {
	return fmt.Errorf("malformed answer: "+format, args...)
}

// rateLimited: the endpoint asks to be left alone for a while.
type rateLimited struct{ after time.Duration }

func (rateLimited) Error() string { return "too many requests" }

// Bounds of what a Retry-After may ask for.
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

// What providers write when a question is too large, too frequent or too
// early. There is no standard: the texts are those of geth, Erigon, reth and
// the large providers. A text that is taken for the wrong thing costs a few
// more requests, never a wrong answer.
var (
	rateTexts = []string{"rate limit", "rate-limit", "too many requests", "requests per", "request count", "quota", "credits", "throughput", "capacity"}
	lateTexts = []string{
		"unknown block", "header not found", "block not found", "could not find block",
		"beyond current head", "beyond the latest", "exceeds head", "invalid block range", "in the future",
	}
	manyTexts = []string{"addresses or topics", "number of addresses", "too many topics", "too many addresses"}
	sizeTexts = []string{"range", "too large", "too wide", "too big", "more than", "max results", "response size", "exceed", "limited to", "timed out", "timeout", "deadline"}
	sizeCodes = []int{-32005, -32602, -32614, -32020, -32012}
)

// logsFailure says what an error object in answer to eth_getLogs means.
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

// callFailure says what an error object in answer to any other call means.
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

// Codes with which geth and its kin fill up a batch whose other replies took
// all the room or all the time there is for one answer.
const (
	codeBatchTimedOut = -32002
	codeBatchTooLarge = -32003
)

// crowdedOut reports whether a call of a batch got no reply of its own because
// of the others. Both codes have other meanings elsewhere, so the text counts.
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
