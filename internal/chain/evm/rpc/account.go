package rpc

import (
	"context"
	"encoding/json"
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
	Nonce, Pending uint64   // transactions in blocks; those and the pending ones
}

// ReadAccount reads balance and transaction counts of an account.
func ReadAccount(ctx context.Context, e *Endpoint, of common.Address) (Account, error) {
	text := Address(of).String()
	results, err := e.Results(ctx,
		NewCall("eth_getBalance", text, "latest"),
		NewCall("eth_getTransactionCount", text, "latest"),
		NewCall("eth_getTransactionCount", text, "pending"))
	if err != nil {
		return Account{}, err
	}
	var balance string
	var acc Account
	okBalance := json.Unmarshal(results[0], &balance) == nil
	if okBalance {
		acc.Balance, okBalance = ParseBig(balance)
	}
	var okNonce, okPending bool
	acc.Nonce, okNonce = ParseNumber(results[1])
	acc.Pending, okPending = ParseNumber(results[2])
	if !okBalance || !okNonce || !okPending {
		return Account{}, Malformed("an account")
	}
	return acc, nil
}
