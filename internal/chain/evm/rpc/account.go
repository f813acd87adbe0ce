package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/money"
)

// ParseBalance reads the answer to eth_getBalance, in wei.
func ParseBalance(raw []byte) (money.Units, error) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return money.Units{}, Malformed("eth_getBalance")
	}
	v, ok := ParseBig(text)
	if !ok {
		return money.Units{}, Malformed("eth_getBalance")
	}
	return money.NewUnits(v), nil
}

// Account is the state of an account.
type Account struct {
	Balance        *big.Int // wei
	Nonce, Pending uint64   // transactions in blocks; those and the pending ones, if the node knows them
}

// ReadAccount reads balance and transaction counts of an account. A node that
// does not know what is pending counts what is in blocks.
func ReadAccount(ctx context.Context, e *Endpoint, of common.Address) (Account, error) {
	text := Address(of).String()
	calls := []Call{NewCall("eth_getBalance", text, "latest"), NewCall("eth_getTransactionCount", text, "latest")}
	if e.Knows(tagPending) {
		calls = append(calls, NewCall("eth_getTransactionCount", text, tagPending))
	}
	replies, err := e.Ask(ctx, calls...)
	if err != nil {
		return Account{}, err
	}
	for _, r := range replies[:2] {
		if r.Err != nil {
			return Account{}, fmt.Errorf("read an account: %w", CallError(r.Err))
		}
	}
	var balance string
	var acc Account
	okBalance := json.Unmarshal(replies[0].Result, &balance) == nil
	if okBalance {
		acc.Balance, okBalance = ParseBig(balance)
	}
	nonce, okNonce := ParseNumber(replies[1].Result)
	if !okBalance || !okNonce {
		return Account{}, Malformed("an account")
	}
	acc.Nonce, acc.Pending = nonce, nonce
	if len(replies) == 2 {
		return acc, nil
	}
	if r := replies[2]; r.Err != nil && UnknownTag(r.Err) {
		e.DoesNotKnow(tagPending)
	} else if pending, ok := ParseNumber(r.Result); ok && r.Err == nil {
		acc.Pending = max(nonce, pending)
	}
	return acc, nil
}

// tagPending is the tag of the block in the making, which some nodes do not know.
const tagPending = "pending"
