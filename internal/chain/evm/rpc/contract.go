package rpc

import (
	"context"
	"math/big"
	"slices"
	"strings"

	"golang.org/x/crypto/sha3"

	"github.com/florinpay/florin/internal/money"
)

// Selectors of ERC-20: the first four bytes of the Keccak-256 of the signature.
const (
	balanceOfSelector = "0x70a08231"
	DecimalsSelector  = "0x313ce567"
)

// ContractCall calls a contract on the state of the newest block: full nodes
// keep the state of the last few minutes only.
func ContractCall(contract Address, data string) Call {
	return NewCall("eth_call", map[string]string{"to": contract.String(), "data": data}, "latest")
}

// BalanceOfData is the call data of ERC-20's balanceOf for a holder.
func BalanceOfData(holder []byte) string {
	return balanceOfSelector + AddressPadding[2:] + Hex(holder)[2:]
}

// ParseWord reads the 32-byte word a contract returned.
func ParseWord(raw []byte) (*big.Int, bool) {
	var word Hash
	if len(raw) < 2 || raw[0] != '"' || !ParseBytes(word[:], raw[1:len(raw)-1]) {
		return nil, false
	}
	return new(big.Int).SetBytes(word[:]), true
}

// CallWords calls contracts that return one word each. The first of calls must
// be eth_blockNumber, whose answer must have reached the number.
func CallWords(ctx context.Context, e *Endpoint, calls []Call, number uint64) ([]money.Units, error) {
	results, err := e.Results(ctx, calls...)
	if err != nil {
		return nil, err
	}
	if err := CheckHeight(results[0], number); err != nil {
		return nil, err
	}
	words := make([]money.Units, 0, len(results)-1)
	for _, raw := range results[1:] {
		word, ok := ParseWord(raw)
		if !ok {
			return nil, Malformed("a balance that is no number")
		}
		words = append(words, money.NewUnits(word))
	}
	return words, nil
}

// CodeCall asks for the code of a contract.
func CodeCall(at Address) Call { return NewCall("eth_getCode", at.String(), "latest") }

// CodeHash returns the Keccak-256 and the size of the code in the answer to
// CodeCall.
func CodeHash(r Reply) (h Hash, size int, err error) {
	if r.Err != nil {
		return h, 0, CallError(r.Err)
	}
	code, ok := bytesOf(r.Result)
	if !ok {
		return h, 0, Malformed("eth_getCode")
	}
	keccak := sha3.NewLegacyKeccak256()
	keccak.Write(code)
	keccak.Sum(h[:0])
	return h, len(code), nil
}

// codeReverted is the code of a reverted execution in geth and its forks.
const codeReverted = 3

// Reverted reports whether the node ran the transaction or call and it failed, rather than the node.
func Reverted(e *Error) bool {
	text := strings.ToLower(e.Message)
	return e.Code == codeReverted || slices.ContainsFunc([]string{
		"revert", "out of gas", "gas required exceeds", "invalid opcode", "invalid jump", "stack underflow",
	}, func(part string) bool { return strings.Contains(text, part) })
}

// delegation begins the code of an account that has delegated to a contract
// (EIP-7702): 0xef0100 and the contract's address. Its key still controls it.
const delegation = `"0xef0100`

// IsDelegation reports whether the answer to CodeCall is a delegation.
func IsDelegation(r Reply) bool {
	const size = 3 + 20 // bytes
	return r.Err == nil && len(r.Result) == len(`"0x"`)+2*size && strings.HasPrefix(strings.ToLower(string(r.Result)), delegation)
}
