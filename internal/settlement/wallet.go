package settlement

import (
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

// WalletCode is the code at a settlement wallet on one network: what identifies it
// and its owners, empty for an account without code.
type WalletCode struct {
	Network chain.Network
	Code    string
}

// CheckWallet refuses to send money to a wallet on a network where other code
// stands at its address than on every network where the merchant named it. A
// wallet that is a contract there and nothing here belongs to nobody here, and to
// whoever manages to put a contract of their own there.
func CheckWallet(wallet chain.Address, named []WalletCode, here WalletCode) error {
	same := func(w WalletCode) bool { return w.Network == here.Network || w.Code == here.Code }
	if slices.ContainsFunc(named, same) {
		return nil
	}
	was := "a plain account"
	if len(named) > 0 && named[0].Code != "" {
		was = "a contract"
	}
	is := "another contract, or one with other owners,"
	switch {
	case here.Code == "":
		is = "no contract"
	case was != "a contract":
		is = "a contract"
	}
	on := "another network"
	if len(named) > 0 {
		on = string(named[0].Network)
	}
	return fault.New(fault.Unprocessable, "the settlement wallet %s is %s on %s, and there is %s at its address on %s: "+
		"money sent there may be lost; have its owner deploy the same wallet there first, or, if the owner confirms that it is theirs, "+
		"add --trust-wallet", wallet, was, on, is, here.Network)
}
