package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// notBelow judges the answer to eth_blockNumber.
func CheckHeight(raw []byte, number uint64) error {
	head, ok := ParseNumber(raw)
	if !ok {
		return Malformed("eth_blockNumber")
	}
	if head < number {
		return fmt.Errorf("%w: block %d is not there yet", ErrLagging, number)
	}
	return nil
}

// reached fails with errLagging unless the endpoint knows a block with the
// number.
func RequireBlock(ctx context.Context, e *Endpoint, number uint64) error {
	results, err := e.Results(ctx, NewCall("eth_blockNumber"))
	if err != nil {
		return err
	}
	return CheckHeight(results[0], number)
}

// header is what Florin reads of a block.
type Header struct {
	Number uint64
	Hash   Hash
	Time   uint64 // seconds since 1970; several blocks may share one
}

func (h Header) Head() chain.Head {
	return chain.Head{Number: h.Number, Hash: h.Hash.String(), Time: time.Unix(int64(h.Time), 0).UTC()}
}

func BlockByTag(tag string) Call { return NewCall("eth_getBlockByNumber", tag, false) }

func BlockByNumber(number uint64) Call { return BlockByTag(Quantity(number)) }

// parseHeader reads a block; ok is false for null, a block the node does not
// have.
func ParseHeader(raw []byte) (h Header, ok bool, err error) {
	if IsNull(raw) {
		return Header{}, false, nil
	}
	var text struct{ Number, Hash, Timestamp string }
	if err := json.Unmarshal(raw, &text); err != nil {
		return Header{}, false, Malformed("block")
	}
	var okNumber, okHash, okTime bool
	h.Number, okNumber = ParseQuantity([]byte(text.Number))
	h.Hash, okHash = ParseHash(text.Hash)
	h.Time, okTime = ParseQuantity([]byte(text.Timestamp))
	if !okNumber || !okHash || !okTime || h.Time > maxTimestamp {
		return Header{}, false, Malformed("block")
	}
	return h, true, nil
}

// maxTimestamp is the end of the year 9999, beyond which times do not print.
const maxTimestamp = 253402300799

// parseNumbered reads the block that was asked for by number.
func ParseNumberedHeader(raw []byte, number uint64) (Header, bool, error) {
	h, ok, err := ParseHeader(raw)
	if ok && h.Number != number {
		return Header{}, false, Malformed("block %d instead of %d", h.Number, number)
	}
	return h, ok, err
}

// parseText reads a number that stands alone as a JSON string.
func ParseNumber(raw []byte) (uint64, bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return 0, false
	}
	return ParseQuantity(raw[1 : len(raw)-1])
}

// standing judges the answer to numberCall(b.Number): whether the node has
// exactly that block in its chain.
func RequireHead(raw []byte, b chain.Head) error {
	h, ok, err := ParseNumberedHeader(raw, b.Number)
	switch {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("%w: block %d is not there yet", ErrLagging, b.Number)
	case h.Hash.String() != b.Hash:
		return chain.ErrReorged
	}
	return nil
}
