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
	case "eth_getTransactionReceipt", "eth_getTransactionByHash", "eth_getBlockReceipts", "eth_getCode", "eth_call",
		"eth_getBalance":
		return true
	case "eth_getBlockByNumber":
		number, ok := c.params[0].(string)
		return ok && strings.HasPrefix(number, "0x")
	}
	return false
}

// ofItems reports whether the calls ask for single items, and for nothing else but the newest block's number.
func ofItems(calls []Call) bool {
	return slices.ContainsFunc(calls, Call.ofItem) && !slices.ContainsFunc(calls, func(c Call) bool {
		return !c.ofItem() && c.method != "eth_blockNumber"
	})
}

// fault marks the failure of the call as that of its item, where it is about one and the node answered, or took too
// long.
func (c Call) fault(err error) error {
	if err == nil || !c.ofItem() {
		return err
	}
	_, object := errors.AsType[*Error](err)
	return endpoint.OfItem(err, TimedOut(err) || object && !errors.Is(err, ErrLagging) && !errors.Is(err, ErrPruned))
}

// fault is Call.fault of a request. One that the node does not answer at all, or with an HTTP status, may be at fault
// itself, too, as where the node breaks off at one transaction: then it answers another call.
func (e *Endpoint) fault(ctx context.Context, calls []Call, err error) error {
	err = calls[0].fault(err)
	_, limited := errors.AsType[rateLimited](err)
	if limited || endpoint.IsItem(err) || errors.Is(err, endpoint.ErrBusy) || ctx.Err() != nil || !ofItems(calls) {
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
