package rpc

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/florinpay/florin/internal/money"
)

// Multicall is a contract that makes many calls in one (github.com/mds1/multicall3). It is used only where its code is
// what is expected: on a new chain anything may be at its address.
type Multicall struct {
	At   Address
	Code Hash // Keccak-256 of its code
}

// Multicall3 is the contract of that name, at the same address on every network.
func Multicall3() Multicall {
	code, _ := ParseHash("0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891")
	var at Address
	ParseBytes(at[:], []byte("0xcA11bde05977b3631167028862bE2a173976CA11"))
	return Multicall{at, code}
}

// Selectors of Multicall3: aggregate3((address,bool,bytes)[]), getBlockNumber() and getEthBalance(address).
var (
	aggregateSelector   = []byte{0x82, 0xad, 0x56, 0xcb}
	blockNumberSelector = []byte{0x42, 0xcb, 0xb1, 0x5c}
	coinSelector        = []byte{0x4d, 0x23, 0x01, 0xcc}
	balanceSelector     = []byte{0x70, 0xa0, 0x82, 0x31}
)

const (
	// perMulticall bounds the balances of one call: nodes bound the gas that a call may use.
	perMulticall = 200
	// multicallRest is after how long an endpoint is asked again for a contract that it did not have, or that failed.
	multicallRest = time.Hour
	word          = 32
)

// multicallState is what is known of the contract at one endpoint.
type multicallState struct {
	usable bool
	rest   time.Time // until then it is not asked about
}

const (
	// balanceParts is into how many parts a request for balances is split that the endpoint breaks off at.
	balanceParts = 8
	// mostBreaks bounds how many such requests one reading takes: four find one address among hundreds.
	mostBreaks = 16
)

// Balances reads what the addresses hold of a token, or of the native coin if token is nil, in the endpoint's newest
// block, which must have reached the number: with few calls where Multicall is, and one for each address elsewhere. An
// address for which alone the endpoint fails is unread.
func (e *Endpoint) Balances(
	ctx context.Context, token *Address, holders []Address, number uint64,
) (chain.Balances, error) {
	breaks := 0
	b, err := e.balancesInParts(ctx, token, holders, number, &breaks)
	if n := len(b.Unread); err == nil && n > 1 && n == len(holders) {
		b, err = chain.Balances{}, b.Unread[0]
	}
	if item, ok := errors.AsType[endpoint.Item](err); ok {
		err = item.Err // not for one address alone, so the endpoint is at fault
	}
	return b, err
}

// balancesInParts is balances, in parts where the request breaks at an item. One that takes too long is not made again:
// each part might take as long.
func (e *Endpoint) balancesInParts(
	ctx context.Context, token *Address, holders []Address, number uint64, breaks *int,
) (chain.Balances, error) {
	b, err := e.balances(ctx, token, holders, number)
	if !endpoint.IsItem(err) || errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return b, err
	}
	if *breaks++; *breaks > mostBreaks {
		return b, err
	}
	b = chain.Balances{Unread: make(map[int]error)}
	if len(holders) == 1 {
		b.Held, b.Unread[0] = make([]money.Units, 1), fmt.Errorf("%s a balance: %w", e.name, err)
		return b, nil
	}
	for part := range slices.Chunk(holders, (len(holders)+balanceParts-1)/balanceParts) {
		some, err := e.balancesInParts(ctx, token, part, number, breaks)
		if err != nil {
			return chain.Balances{}, err
		}
		for i, why := range some.Unread {
			b.Unread[len(b.Held)+i] = why
		}
		b.Held = append(b.Held, some.Held...)
	}
	return b, nil
}

// balances is Balances in one reading.
func (e *Endpoint) balances(
	ctx context.Context, token *Address, holders []Address, number uint64,
) (chain.Balances, error) {
	usable, ask := e.multicallKnown()
	if usable && len(holders) > 0 {
		held, err := e.multicallBalances(ctx, token, holders, number)
		if !errors.Is(err, errMulticall) {
			return chain.Balances{Held: held}, err
		}
	}
	calls := []Call{NewCall("eth_blockNumber")}
	for _, h := range holders {
		if token == nil {
			calls = append(calls, NewCall("eth_getBalance", h.String(), "latest"))
		} else {
			calls = append(calls, ContractCall(*token, BalanceOfData(h[:])))
		}
	}
	if ask {
		calls = append(calls, CodeCall(e.multicall.At))
	}
	replies, err := e.Ask(ctx, calls...)
	if err != nil {
		return chain.Balances{}, err
	}
	if ask {
		e.learnMulticall(replies[len(calls)-1])
	}
	return e.parseBalances(replies[:1+len(holders)], token == nil, number)
}

// parseBalances reads the number of the newest block and then one balance a reply. A node that says the number may fail
// for one address alone.
func (e *Endpoint) parseBalances(replies []Reply, coin bool, number uint64) (b chain.Balances, err error) {
	for i, r := range replies {
		if r.Err == nil {
			continue
		}
		err := CallError(r.Err)
		if _, limited := errors.AsType[rateLimited](err); i == 0 || limited || errors.Is(err, ErrLagging) ||
			errors.Is(err, ErrPruned) {
			return b, fmt.Errorf("a balance: %w", err)
		}
	}
	if err := CheckHeight(replies[0].Result, number); err != nil {
		return b, err
	}
	b = chain.Balances{Held: make([]money.Units, len(replies)-1), Unread: make(map[int]error)}
	for i, r := range replies[1:] {
		if b.Held[i], err = parseBalance(r, coin); err != nil {
			b.Unread[i] = fmt.Errorf("%s a balance: %w", e.name, err)
		}
	}
	return b, nil
}

func parseBalance(r Reply, coin bool) (money.Units, error) {
	if r.Err != nil {
		return money.Units{}, r.Err
	}
	if coin {
		return ParseBalance(r.Result)
	}
	v, ok := ParseWord(r.Result)
	if !ok {
		return money.Units{}, Malformed("no number")
	}
	return money.NewUnits(v), nil
}

// multicallKnown reports whether the contract may be used, and whether to ask for its code.
func (e *Endpoint) multicallKnown() (usable, ask bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.multicalls.usable, !e.multicalls.usable && !e.now().Before(e.multicalls.rest)
}

// learnMulticall reads the answer to the question for the contract's code.
func (e *Endpoint) learnMulticall(r Reply) {
	code, _, err := CodeHash(r)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.multicalls.usable = err == nil && code == e.multicall.Code
	e.multicalls.rest = e.now().Add(multicallRest)
}

// doubtMulticall leaves the contract alone for a while.
func (e *Endpoint) doubtMulticall() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.multicalls = multicallState{rest: e.now().Add(multicallRest)}
}

// errMulticall: the balances must be read one by one.
var errMulticall = errors.New("multicall: no usable answer")

// multicallBalances is Balances by the contract. It fails with errMulticall for an answer that is no balances.
func (e *Endpoint) multicallBalances(
	ctx context.Context, token *Address, holders []Address, number uint64,
) (held []money.Units, err error) {
	var calls []Call
	for part := range slices.Chunk(holders, perMulticall) {
		calls = append(calls, ContractCall(e.multicall.At, Hex(e.multicall.data(token, part))))
	}
	replies, err := e.Ask(ctx, calls...)
	if err != nil {
		return nil, err
	}
	for i, r := range replies {
		words, err := multicallWords(r, min(len(holders)-i*perMulticall, perMulticall)+1)
		if err != nil {
			if errors.Is(err, errMulticall) {
				e.doubtMulticall()
			}
			return nil, err
		}
		if at := words[0]; !at.IsUint64() || at.Uint64() < number {
			return nil, fmt.Errorf("%w: block %d is not there yet", ErrLagging, number)
		}
		for _, v := range words[1:] {
			held = append(held, money.NewUnits(v))
		}
	}
	return held, nil
}

// data is the call data of aggregate3 for the number of the block and the balances of the holders.
func (m Multicall) data(token *Address, holders []Address) []byte {
	target, selector := m.At, coinSelector
	if token != nil {
		target, selector = *token, balanceSelector
	}
	views := []View{{m.At, blockNumberSelector}}
	for _, h := range holders {
		views = append(views, View{target, slices.Concat(selector, make([]byte, word-len(h)), h[:])})
	}
	return aggregateData(views)
}

// aggregateData is the call data of aggregate3 for the views.
func aggregateData(views []View) []byte {
	data := slices.Concat(aggregateSelector, number256(word), number256(len(views)))
	tuples := make([][]byte, len(views))
	at := word * len(views)
	for i, v := range views {
		tuples[i] = tuple(v.To, v.Data)
		data = append(data, number256(at)...)
		at += len(tuples[i])
	}
	return append(data, slices.Concat(tuples...)...)
}

// tuple is one call: target, allowFailure and call data.
func tuple(target Address, data []byte) []byte {
	padding := (word - len(data)%word) % word
	return slices.Concat(make([]byte, word-len(target)), target[:], number256(1), number256(3*word),
		number256(len(data)), data, make([]byte, padding))
}

func number256(n int) []byte {
	w := make([]byte, word)
	binary.BigEndian.PutUint64(w[word-8:], uint64(n)) //nolint:gosec // a size
	return w
}

// multicallWords reads the answer to aggregate3: so many results, each a word. It fails with errMulticall if it is
// anything else, and with what the endpoint says where another one is to be asked.
func multicallWords(r Reply, n int) ([]*big.Int, error) {
	results, err := multicallResults(r, n)
	if err != nil {
		return nil, err
	}
	words := make([]*big.Int, n)
	for i, value := range results {
		if len(value) != word {
			return nil, errMulticall
		}
		words[i] = new(big.Int).SetBytes(value)
	}
	return words, nil
}

// multicallResults is multicallWords for results of any length; nil is a call that failed.
func multicallResults(r Reply, n int) ([][]byte, error) {
	if r.Err != nil {
		err := CallError(r.Err)
		if _, limited := errors.AsType[rateLimited](err); limited || errors.Is(err, ErrLagging) ||
			errors.Is(err, ErrPruned) {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %w", errMulticall, err)
	}
	data, ok := bytesOf(r.Result)
	if !ok {
		return nil, errMulticall
	}
	list, ok := tail(data, 0)
	if count, some := size(list, 0); !ok || !some || count != n {
		return nil, errMulticall
	}
	list = list[word:]
	results := make([][]byte, n)
	for i := range results {
		result, ok := tail(list, i*word)
		success, some := size(result, 0)
		value, has := tail(result, word)
		length, sized := size(value, 0)
		if !ok || !some || !has || !sized || len(value) < word+length {
			return nil, errMulticall
		}
		if success == 1 {
			results[i] = value[word : word+length]
		}
	}
	return results, nil
}

// size reads the number at the place of the data, which must not exceed what any answer holds.
func size(data []byte, at int) (n int, ok bool) {
	if at < 0 || len(data) < at+word {
		return 0, false
	}
	v := new(big.Int).SetBytes(data[at : at+word])
	if !v.IsInt64() || v.Int64() > maxAnswer {
		return 0, false
	}
	return int(v.Int64()), true
}

// tail returns the data at the offset that stands at the place.
func tail(data []byte, at int) (to []byte, ok bool) {
	n, ok := size(data, at)
	if !ok || n > len(data) {
		return nil, false
	}
	return data[n:], true
}
