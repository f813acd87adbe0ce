package rpc

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"time"
)

// View is a call of a contract that changes nothing.
type View struct {
	To   Address
	Data []byte
}

// timestampSelector is getCurrentBlockTimestamp() of Multicall3.
var timestampSelector = []byte{0x0f, 0x28, 0xc9, 0x7d}

// Views makes the calls on the state of the newest block, with one call where Multicall is, and returns what each
// returned, nil where it failed, and the time of that block.
func (e *Endpoint) Views(ctx context.Context, views []View) (returned [][]byte, at time.Time, err error) {
	usable, ask := e.multicallKnown()
	if ask {
		replies, err := e.Ask(ctx, CodeCall(e.multicall.At))
		if err != nil {
			return nil, at, err
		}
		e.learnMulticall(replies[0])
		usable, _ = e.multicallKnown()
	}
	if usable {
		returned, at, err = e.aggregate(ctx, views)
		if !errors.Is(err, errMulticall) {
			return returned, at, err
		}
		e.doubtMulticall()
	}
	calls := []Call{BlockByTag("latest")}
	for _, v := range views {
		calls = append(calls, ContractCall(v.To, Hex(v.Data)))
	}
	replies, err := e.Ask(ctx, calls...)
	if err != nil {
		return nil, at, err
	}
	if replies[0].Err != nil {
		return nil, at, CallError(replies[0].Err)
	}
	head, ok, err := ParseHeader(replies[0].Result)
	if err != nil || !ok {
		return nil, at, Malformed("eth_getBlockByNumber")
	}
	returned = make([][]byte, len(views))
	for i, r := range replies[1:] {
		if r.Err == nil {
			returned[i], _ = bytesOf(r.Result)
		} else if !Reverted(r.Err) {
			return nil, at, CallError(r.Err)
		}
	}
	return returned, head.Head().Time, nil
}

// aggregate is Views by the contract. It fails with errMulticall for an answer that is none.
func (e *Endpoint) aggregate(ctx context.Context, views []View) ([][]byte, time.Time, error) {
	all := append([]View{{e.multicall.At, timestampSelector}}, views...)
	replies, err := e.Ask(ctx, ContractCall(e.multicall.At, Hex(aggregateData(all))))
	if err != nil {
		return nil, time.Time{}, err
	}
	results, err := multicallResults(replies[0], len(all))
	if err != nil {
		return nil, time.Time{}, err
	}
	at := new(big.Int).SetBytes(results[0])
	if len(results[0]) != word || !at.IsInt64() {
		return nil, time.Time{}, fmt.Errorf("%w: no time of the block", errMulticall)
	}
	return results[1:], time.Unix(at.Int64(), 0).UTC(), nil
}

// bytesOf reads bytes in hexadecimal digits.
func bytesOf(raw []byte) ([]byte, bool) {
	if len(raw) < 4 || string(raw[:3]) != `"0x` || raw[len(raw)-1] != '"' {
		return nil, false
	}
	data, err := hex.DecodeString(string(raw[3 : len(raw)-1]))
	return data, err == nil
}
