package settlement

import (
	"slices"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

// WalletCode is the code at a settlement wallet on one network: a hash, empty for
// an account without code.
type WalletCode struct {
	Network chain.Network
	Code    string
}

// CheckWallet refuses to send money to a wallet on a network where other code
// stands at its address than on every network where the merchant named it. A
// wallet that is a contract there and nothing here belongs to nobody here, and to
// whoever manages to put a contract of his own there.
func CheckWallet(wallet chain.Address, named []WalletCode, here WalletCode) error {
	same := func(w WalletCode) bool { return w.Network == here.Network || w.Code == here.Code }
	if slices.ContainsFunc(named, same) {
		return nil
	}
	was := "a plain account"
	if len(named) > 0 && named[0].Code != "" {
		was = "a contract"
	}
	is := "other code"
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

// WalletDifference is a wallet that is not the same on two networks of a merchant.
type WalletDifference struct {
	Wallet              chain.Address
	Contract, Different chain.Network // where it is a contract, and where it is not the same
}

// WalletDifferences lists the EVM wallets that are a contract on a network they
// are named for, and not the same on another. Payers send money on the wrong
// network, and it can go to the same address only. codes are what could be read.
func WalletDifferences(wallets map[chain.Network]chain.Address, codes map[chain.Address][]WalletCode) []WalletDifference {
	var list []WalletDifference
	for _, n := range chain.Networks() {
		wallet := wallets[n]
		if !n.EVM() || wallet == "" || slices.ContainsFunc(list, func(d WalletDifference) bool { return d.Wallet == wallet }) {
			continue
		}
		at := slices.IndexFunc(codes[wallet], func(c WalletCode) bool { return c.Network == n && c.Code != "" })
		if at < 0 {
			continue
		}
		for _, c := range codes[wallet] {
			if c.Code != codes[wallet][at].Code {
				list = append(list, WalletDifference{wallet, n, c.Network})
				break
			}
		}
	}
	return list
}
