package chaintest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"
)

// Faults is what is wrong with an endpoint. The zero value is an honest one.
type Faults struct {
	// Lag is how many blocks it is behind the chain.
	Lag int
	// LagAt is how many more blocks it is behind when it answers the HTTP
	// request with this number: several nodes behind one address.
	LagAt func(request int) int
	// ChainID is the chain it claims to be of; 0 is the right one.
	ChainID uint64
	// Status answers every request with an HTTP status, RetryAfter (seconds)
	// beside it.
	Status     int
	RetryAfter int
	// Redirect answers every request with a redirection to an address.
	Redirect string
	// Down cuts the connection without an answer, from the request with this
	// number since the start on; 1 is always.
	Down int
	// Hang answers only after so long.
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
	// MaxReplies is how many bytes of replies a batch gets; the calls after
	// them are answered with an error, as geth does.
	MaxReplies int
	// SlowBatch is how long each call of a batch takes beyond the first.
	SlowBatch time.Duration
	// Shuffle returns the replies of a batch in reverse order.
	Shuffle bool
	// Limits of eth_getLogs, and the error that tells of them.
	MaxRange, MaxResults, MaxTopics int
	LimitError                      *RPCError
	// SlowLogs is how long eth_getLogs takes for each block of its range.
	SlowLogs time.Duration
	// Clamp gives what there is of a range of logs that reaches beyond the
	// head, instead of refusing it.
	Clamp bool
	// Reject answers a method with an error.
	Reject map[string]*RPCError
	// Answer gives the result of a method instead of the chain, if it says so.
	Answer func(method string, params []json.RawMessage) (result any, ok bool)
	// OnCall is called before a method is answered, with the count of its
	// calls so far: a hook for what happens in between.
	OnCall func(method string, nth int)
	// AlterBlock changes a copy of each block it shows.
	AlterBlock func(block map[string]any)
	// NoLabels knows no safe and no finalized block.
	NoLabels bool
	// ForgetAfter makes it forget which block a transaction is in after so
	// many blocks, as nodes do after weeks.
	ForgetAfter int

	// Lies of eth_getLogs.
	Omit      func(log map[string]any) bool // leaves logs out
	Duplicate bool                          // tells every log twice
	Alter     func(log map[string]any)      // changes a copy of each log
	Phantom   []map[string]any              // adds logs that are nowhere, whatever was asked for
	// PhantomReceipts are receipts to show instead of the true ones, by hash.
	PhantomReceipts map[string]map[string]any
}

// RPCError is an error object to answer with.
type RPCError struct {
	Code    int
	Message string
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

// refuses applies the limits that are known before looking.
func (f Faults) refuses(q logQuery, blocks int) *rpcFailure {
	if f.MaxRange > 0 && blocks > f.MaxRange {
		return f.limit("exceed maximum block range: %d", f.MaxRange)
	}
	for _, position := range q.Topics {
		if f.MaxTopics > 0 && len(position) > f.MaxTopics {
			return &rpcFailure{-32602, "exceed max addresses or topics per search position"}
		}
	}
	return nil
}

func (f Faults) limit(format string, n int) *rpcFailure {
	if f.LimitError != nil {
		return &rpcFailure{f.LimitError.Code, f.LimitError.Message}
	}
	return &rpcFailure{-32000, fmt.Sprintf(format, n)}
}

// distort applies the lies and the limit on results.
func (p *Endpoint) distort(q logQuery, logs []object) (any, *rpcFailure) {
	f := p.fault()
	told := []object{}
	for _, l := range logs {
		if f.Omit != nil && f.Omit(l) {
			continue
		}
		if f.Alter != nil {
			l = maps.Clone(l)
			f.Alter(l)
		}
		told = append(told, l)
		if f.Duplicate {
			told = append(told, l)
		}
	}
	for _, l := range f.Phantom {
		if q.BlockHash == "" {
			told = append(told, l)
		}
	}
	if f.MaxResults > 0 && len(told) > f.MaxResults {
		return nil, f.limit("query returned more than %d results", f.MaxResults)
	}
	return told, nil
}
