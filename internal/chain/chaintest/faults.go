package chaintest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"
)

// Faults describes what is wrong with an endpoint. The zero value has no
// faults.
type Faults struct {
	// Lag is how many blocks it is behind the chain.
	Lag int
	// LagAt is how many more blocks it is behind when it answers the HTTP
	// request with this number: several nodes behind one address.
	LagAt func(request int) int
	// ChainID is the chain id it reports; 0 is the right one.
	ChainID uint64
	// Status answers every request with an HTTP status, and RetryAfter in
	// seconds.
	Status     int
	RetryAfter int
	// Redirect answers every request with a redirect to an address.
	Redirect string
	// Down cuts the connection without an answer, from the request with this
	// number since the start on; 1 is always.
	Down int
	// Hang delays every answer.
	Hang time.Duration
	// Truncate ends every answer in the middle.
	Truncate bool
	// MaxBatch refuses more calls in one request, with HTTP status
	// BatchStatus (200 if 0).
	MaxBatch    int
	BatchStatus int
	// MaxAnswer refuses batches with HTTP status 413 whose answer is longer, in
	// bytes.
	MaxAnswer int
	// MaxReplies is how many bytes of replies a batch gets; further calls are
	// answered with an error, as geth does.
	MaxReplies int
	// SlowBatch is how long each call of a batch takes beyond the first.
	SlowBatch time.Duration
	// Shuffle returns the replies of a batch in reverse order.
	Shuffle bool
	// Limits of eth_getLogs, and the error that reports them.
	MaxRange, MaxResults, MaxTopics int
	LimitError                      *RPCError
	// SlowLogs is how long eth_getLogs takes for each block of its range.
	SlowLogs time.Duration
	// Clamp shortens a range of logs that reaches beyond the head, instead of
	// refusing it.
	Clamp bool
	// Reject answers a method with an error.
	Reject map[string]*RPCError
	// Answer returns the result of a method in place of the chain's, an *RPCError
	// to fail; ok is false to use the chain's.
	Answer func(method string, params []json.RawMessage) (result any, ok bool)
	// OnCall is called before a method is answered, with the count of its calls
	// so far, to change the chain between two calls.
	OnCall func(method string, nth int)
	// AlterBlock changes a copy of each block it shows.
	AlterBlock func(block map[string]any)
	// Tag returns which tag or number is answered in place of a tag.
	Tag func(tag string) string
	// NoLabels has no safe and no finalized block.
	NoLabels bool
	// ForgetAfter drops transactions from the index after so many blocks, as
	// nodes do after weeks.
	ForgetAfter int

	// Wrong answers of eth_getLogs.
	Omit      func(log map[string]any) bool // leaves logs out
	Duplicate bool                          // returns every log twice
	Alter     func(log map[string]any)      // changes a copy of each log
	Phantom   []map[string]any              // adds logs that no block has, to every answer
	// PhantomReceipts are returned in place of the true receipts, by hash.
	PhantomReceipts map[string]map[string]any
}

// RPCError is a JSON-RPC error object.
type RPCError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// broken answers a request that fails as a whole.
func (f Faults) broken(w http.ResponseWriter, r *http.Request, nth int) bool {
	if f.Hang > 0 {
		pause(r, f.Hang)
	}
	if f.Down > 0 && nth >= f.Down {
		panic(http.ErrAbortHandler) // cuts the connection
	}
	if f.Redirect != "" {
		http.Redirect(w, r, f.Redirect, http.StatusTemporaryRedirect)
		return true
	}
	if f.Status == 0 {
		return false
	}
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(f.RetryAfter))
	}
	http.Error(w, "refused for key "+Secret, f.Status)
	return true
}

func (f Faults) refusalStatus() int {
	if f.BatchStatus != 0 {
		return f.BatchStatus
	}
	return http.StatusOK
}

// refuses applies the limits that do not depend on the answer.
func (f Faults) refuses(q logQuery, blocks int) *RPCError {
	if f.MaxRange > 0 && blocks > f.MaxRange {
		return f.limit("exceed maximum block range: %d", f.MaxRange)
	}
	for _, position := range q.Topics {
		if f.MaxTopics > 0 && len(position) > f.MaxTopics {
			return &RPCError{Code: -32602, Message: "exceed max addresses or topics per search position"}
		}
	}
	return nil
}

func (f Faults) limit(format string, n int) *RPCError {
	if f.LimitError != nil {
		return f.LimitError
	}
	return &RPCError{Code: -32000, Message: fmt.Sprintf(format, n)}
}

// distort applies the wrong answers and the limit on results.
func (p *Endpoint) distort(q logQuery, logs []object) (any, *RPCError) {
	f := p.fault()
	shown := []object{}
	for _, l := range logs {
		if f.Omit != nil && f.Omit(l) {
			continue
		}
		if f.Alter != nil {
			l = maps.Clone(l)
			f.Alter(l)
		}
		shown = append(shown, l)
		if f.Duplicate {
			shown = append(shown, l)
		}
	}
	for _, l := range f.Phantom {
		if q.BlockHash == "" {
			shown = append(shown, l)
		}
	}
	if f.MaxResults > 0 && len(shown) > f.MaxResults {
		return nil, f.limit("query returned more than %d results", f.MaxResults)
	}
	return shown, nil
}
