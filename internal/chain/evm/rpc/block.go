package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// CheckHeight reads the answer to eth_blockNumber and fails with ErrLagging if
// the newest block is below the number.
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

// RequireBlock fails with ErrLagging unless the endpoint has a block with the
// number.
func RequireBlock(ctx context.Context, e *Endpoint, number uint64) error {
	results, err := e.Results(ctx, NewCall("eth_blockNumber"))
	if err != nil {
		return err
	}
	return CheckHeight(results[0], number)
}

// Header is the part of a block that Florin reads.
type Header struct {
	Number uint64
	Hash   Hash
	Time   uint64 // seconds since 1970; several blocks may share one
}

// Head returns the block as the rest of the program knows it.
func (h Header) Head() chain.Head {
	return chain.Head{Number: h.Number, Hash: h.Hash.String(), Time: time.Unix(int64(h.Time), 0).UTC()}
}

// BlockByTag asks for a block by tag, without its transactions.
func BlockByTag(tag string) Call { return NewCall("eth_getBlockByNumber", tag, false) }

// BlockByNumber asks for a block by number.
func BlockByNumber(number uint64) Call { return BlockByTag(Quantity(number)) }

// ParseHeader reads a block; ok is false for null, a block the node does not
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

// ParseParent reads the hash of the block before a block; ok is false for null.
func ParseParent(raw []byte) (parent Hash, ok bool) {
	var text struct{ ParentHash string }
	if json.Unmarshal(raw, &text) != nil {
		return Hash{}, false
	}
	return ParseHash(text.ParentHash)
}

// maxTimestamp is the end of the year 9999, the last time that RFC 3339 can
// write.
const maxTimestamp = 253402300799

// ParseNumberedHeader reads the block that was asked for by number.
func ParseNumberedHeader(raw []byte, number uint64) (Header, bool, error) {
	h, ok, err := ParseHeader(raw)
	if ok && h.Number != number {
		return Header{}, false, Malformed("block %d instead of %d", h.Number, number)
	}
	return h, ok, err
}

// ParseNumber reads a quantity in a JSON string.
func ParseNumber(raw []byte) (uint64, bool) {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return 0, false
	}
	return parseUint(raw[1 : len(raw)-1])
}

// RequireHead reads the answer to BlockByNumber(b.Number). It fails with
// ErrLagging if the node does not have the block yet, and with chain.ErrReorged
// if it has another one in its place.
func RequireHead(raw []byte, b chain.Head) error {
	h, ok, err := ParseNumberedHeader(raw, b.Number)
	switch {
	case err != nil:
		return err
	case !ok:
		return fmt.Errorf("%w: block %d is not there yet", ErrLagging, b.Number)
	case !h.Head().Same(b):
		return chain.ErrReorged
	}
	return nil
}
