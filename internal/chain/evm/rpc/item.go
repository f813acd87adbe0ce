package rpc

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/chain/endpoint"
)

// itemTimeout is how long a request may take that asks for single items only.
const itemTimeout = 5 * time.Second

// ofItem reports whether the call asks for one transaction, account or block, for which alone a node may fail.
func (c Call) ofItem() bool {
	switch c.method {
	case "eth_getTransactionReceipt", "eth_getTransactionByHash", "eth_getBlockReceipts", "eth_getCode":
		return true
	case "eth_getBlockByNumber":
		number, ok := c.params[0].(string)
		return ok && strings.HasPrefix(number, "0x")
	}
	return c.ofState()
}

// ofState reports whether the call reads the state of accounts, of hundreds of them with Multicall: it may take as long
// as any request, and one that takes longer says nothing about an account.
func (c Call) ofState() bool { return c.method == "eth_call" || c.method == "eth_getBalance" }

// quick reports whether the calls ask for single items only, which a node has at hand.
func quick(calls []Call) bool {
	return !slices.ContainsFunc(calls, func(c Call) bool { return !c.ofItem() || c.ofState() })
}

// ofItems reports whether the calls ask for single items, and for nothing else but the newest block's number.
func ofItems(calls []Call) bool {
	return slices.ContainsFunc(calls, Call.ofItem) && !slices.ContainsFunc(calls, func(c Call) bool {
		return !c.ofItem() && c.method != "eth_blockNumber"
	})
}

// itemLimits is which calls of a request for items were refused for the sake of a rate, while the endpoint answered
// another call: one that is refused twice by itself is refused for the sake of its item.
type itemLimits struct {
	any   bool // calls were refused
	alone bool // the last one, by itself
	items int  // were refused for their own sake, and no other call has passed since
}

// mostItems is how many items in a row are at fault at most: an endpoint that refuses more than these refuses all, and
// each costs seconds.
const mostItems = 3

// refused records that the calls were refused, and returns how many of them to ask for next; 0: it is the item.
func (l *itemLimits) refused(calls []Call) (most int) {
	twice := l.alone && len(calls) == 1
	l.any, l.alone = true, len(calls) == 1 && !twice
	if twice {
		l.items++
		return 0
	}
	return max(len(calls)/2, 1)
}

// passed returns how many calls to ask for next after these replies: few at first where some were refused.
func (l *itemLimits) passed(replies []Reply, most, all int) int {
	if !l.any {
		return most
	}
	if slices.ContainsFunc(replies, Reply.ofItem) {
		return 1
	}
	l.items = 0
	return min(2*most, all)
}

// ofItem reports whether the call was refused for the sake of its item.
func (r Reply) ofItem() bool { return r.Err != nil && r.Err.item }

// fault marks the failure of the call as that of its item, where it is about one and the node answered, or took too
// long for what it has at hand.
func (c Call) fault(err error) error {
	late := TimedOut(err)
	if err == nil || !c.ofItem() || late && c.ofState() {
		return err
	}
	_, object := errors.AsType[*Error](err)
	return endpoint.OfItem(err, late || object && !errors.Is(err, ErrLagging) && !errors.Is(err, ErrPruned))
}

// fault is Call.fault of a request. One that the node does not answer at all, or with an HTTP status, may be at fault
// itself, too, as where the node breaks off at one transaction: then it answers another call.
func (e *Endpoint) fault(ctx context.Context, calls []Call, err error) error {
	err = calls[0].fault(err)
	_, limited := errors.AsType[rateLimited](err)
	if limited || endpoint.IsItem(err) || errors.Is(err, endpoint.ErrBusy) || ctx.Err() != nil || !ofItems(calls) ||
		errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return endpoint.OfItem(err, e.answers(ctx))
}

// answers reports whether the endpoint answers a call that is about no item.
func (e *Endpoint) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, itemTimeout)
	defer cancel()
	replies, err := e.request(ctx, []Call{NewCall("eth_blockNumber")}, new(bytes.Buffer))
	return err == nil && replies[0].Err == nil
}

// OfLogs marks a failure for the logs of some blocks as that of these blocks, if the node answered, or answers another
// call.
func (e *Endpoint) OfLogs(ctx context.Context, err error) error {
	_, object := errors.AsType[*Error](err)
	_, limited := errors.AsType[rateLimited](err)
	if err == nil || limited || errors.Is(err, endpoint.ErrBusy) || ctx.Err() != nil || !object && !e.answers(ctx) {
		return err
	}
	return endpoint.Item{Err: err}
}
