package rpc_test

import (
	"errors"
	"testing"

	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// What providers answer to eth_getLogs, by what they mean.
func TestLogsError(t *testing.T) {
	t.Parallel()
	for text, c := range map[string]struct {
		code int
		want error // nil: the rate is limited
	}{
		"Log response size exceeded. Make eth_getLogs requests with up to a 2K block range": {-32602, rpc.ErrTooLarge},
		"query returned more than 10000 results. Try with this block range [0xBDE5F8]":      {-32005, rpc.ErrTooLarge},
		"eth_getLogs is limited to a 10,000 range":                                          {-32614, rpc.ErrTooLarge},
		"Block range limit exceeded. See more details at docs.chainstack.com":               {-32000, rpc.ErrTooLarge},
		"limit exceeded": {-32005, rpc.ErrTooLarge},
		"invalid params": {-32602, rpc.ErrTooLarge},
		"query exceeds max results 20000, retry with the range 1-2":                   {-32602, rpc.ErrTooLarge},
		"'fromBlock'-'toBlock' range too large. Max range: 800":                       {-32047, rpc.ErrTooLarge},
		"please limit the query to at most 1000 blocks":                               {-32000, rpc.ErrTooLarge},
		"Too many logs requested. Max logs per response is 20000.":                    {-32005, rpc.ErrTooLarge},
		"Requested range exceeds maximum range limit":                                 {-32005, rpc.ErrTooLarge},
		"backend response too large":                                                  {-32020, rpc.ErrTooLarge},
		"execution aborted (timeout = 10s)":                                           {-32000, rpc.ErrTooLarge},
		"Query timeout exceeded. Consider reducing your block range.":                 {-32000, rpc.ErrTooLarge},
		"context deadline exceeded":                                                   {-32000, rpc.ErrTooLarge},
		"exceed max addresses or topics per search position":                          {-32000, rpc.ErrTooManyTopics},
		"invalid block range params":                                                  {-32000, rpc.ErrLagging},
		"One of the blocks specified in filter (fromBlock, toBlock) cannot be found.": {-32000, rpc.ErrLagging},
		"header not found":                                             {-32000, rpc.ErrLagging},
		"pruned history unavailable":                                   {4444, rpc.ErrPruned},
		"Archive requests require a personal token":                    {-32602, rpc.ErrPruned},
		"Your app has exceeded its compute units per second capacity.": {429, nil},
		"Too many request, try again later":                            {15, nil},
		"Exceeded the allowed RPS":                                     {-32000, nil},
		"project ID request rate exceeded":                             {-32005, nil},
		"daily request count exceeded, request rate limited":           {-32005, nil},
		"You've exceeded the RPS limit available on the current plan.": {-32005, nil},
		"50/second request limit reached - reduce calls per second":    {-32007, nil},
		"Monthly capacity limit exceeded. Upgrade your scaling policy": {-32000, nil},
		"over rate limit":                                              {-32016, nil},
	} {
		err := rpc.LogsError(&rpc.Error{Code: c.code, Message: text})
		var is error
		for _, kind := range []error{rpc.ErrTooLarge, rpc.ErrTooManyTopics, rpc.ErrLagging, rpc.ErrPruned} {
			if errors.Is(err, kind) {
				is = kind
			}
		}
		if limited := err.Error() == "too many requests"; !errors.Is(is, c.want) || limited != (c.want == nil) {
			t.Errorf("%d %q means %v, want %v", c.code, text, err, c.want)
		}
	}
}
