package settlement

import (
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

// WalletCode is what identifies a settlement wallet on one network: empty for an account without code.
type WalletCode struct {
	Network chain.Network
	Code    string
}

// CheckWallet refuses to send money to a wallet on a network where the merchant did not name it, unless it is a plain
// account there and here. A wallet that is a contract there and nothing here belongs to nobody here, and to
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
	is := "a contract that may be somebody else's"
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
		"money sent there may be lost; if its owner confirms that it is theirs, add --trust-wallet", wallet, was, on, is, here.Network)
}
