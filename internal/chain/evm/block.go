package evm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// header is what Florin reads of a block.
type header struct {
	number uint64
	hash   hash
	time   uint64 // seconds since 1970; several blocks may share one
}

func (h header) head() chain.Head {
	return chain.Head{Number: h.number, Hash: h.hash.String(), Time: time.Unix(int64(h.time), 0).UTC()}
}

func blockCall(tag string) call { return call{"eth_getBlockByNumber", []any{tag, false}} }

func numberCall(number uint64) call { return blockCall(quantity(number)) }

// parseHeader reads a block; ok is false for null, a block the node does not
// have.
func parseHeader(raw []byte) (h header, ok bool, err error) {
	if isNull(raw) {
		return header{}, false, nil
	}
	var text struct{ Number, Hash, Timestamp string }
	if err := json.Unmarshal(raw, &text); err != nil {
		return header{}, false, malformed("block")
	}
	var okNumber, okHash, okTime bool
	h.number, okNumber = parseQuantity([]byte(text.Number))
	h.hash, okHash = parseHash(text.Hash)
	h.time, okTime = parseQuantity([]byte(text.Timestamp))
	if !okNumber || !okHash || !okTime || h.time > maxTimestamp {
		return header{}, false, malformed("block")
	}
	return h, true, nil
}

// maxTimestamp is the end of the year 9999, beyond which times do not print.
const maxTimestamp = 253402300799

// parseNumbered reads the block that was asked for by number.
func parseNumbered(raw []byte, number uint64) (header, bool, error) {
	h, ok, err := parseHeader(raw)
	if ok && h.number != number {
		return header{}, false, malformed("block %d instead of %d", h.number, number)
	}
	return h, ok, err
}

// parseText reads a number that stands alone as a JSON string.
func parseText(raw []byte) (uint64, bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return 0, false
	}
	return parseQuantity(raw[1 : len(raw)-1])
}

// standing judges the answer to numberCall(b.Number): whether the node has
// exactly that block in its chain.
func standing(raw []byte, b chain.Head) error {
	h, ok, err := parseNumbered(raw, b.Number)
	switch {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("%w: block %d is not there yet", errLagging, b.Number)
	case h.hash.String() != b.Hash:
		return chain.ErrReorged
	}
	return nil
}

// BlockAt returns the head of the block with that number. ok is false only
// when nobody has seen that many blocks: every endpoint that can be asked lacks
// the block, none failed, and none was ever that far.
func (a *Adapter) BlockAt(ctx context.Context, number uint64) (head chain.Head, ok bool, err error) {
	sure := number > a.pool.farthest()
	err = a.pool.do(ctx, func(ctx context.Context, e *endpoint) error {
		results, err := e.results(ctx, numberCall(number))
		if err != nil {
			sure = false
			return err
		}
		var h header
		if h, ok, err = parseNumbered(results[0], number); err != nil {
			sure = false
			return err
		}
		if !ok {
			return errLacking
		}
		head = h.head()
		return nil
	})
	if errors.Is(err, errLacking) && sure && ctx.Err() == nil {
		return chain.Head{}, false, nil
	}
	return head, ok, err
}
