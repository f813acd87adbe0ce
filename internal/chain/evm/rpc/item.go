package rpc

import (
	"errors"
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
	return false
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
