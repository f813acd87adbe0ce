package evm_test

import (
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
)

func TestDepositor_DepositAddress(t *testing.T) {
	t.Parallel()
	instance := [16]byte{7}
	base := chain.Settlement{Network: chain.Base, Wallet: freshAddress(chain.Base).Address, Number: 1}
	derive := func(instance [16]byte, s chain.Settlement) chain.Watched {
		t.Helper()
		w, err := evm.NewDepositor(s.Network, instance).DepositAddress(s)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := chain.ParseAddress(s.Network, string(w.Address))
		if err != nil || string(parsed.Raw) != string(w.Raw) {
			t.Fatalf("%s is not the address of %x: %v", w.Address, w.Raw, err)
		}
		return w
	}
	first := derive(instance, base)
	if again := derive(instance, base); again.Address != first.Address {
		t.Errorf("the same settlement gives %s and %s", first.Address, again.Address)
	}
	number, wallet, network := base, base, base
	number.Number = 2
	wallet.Wallet = freshAddress(chain.Base).Address
	network.Network = chain.BEP20
	for name, other := range map[string]chain.Watched{
		"number": derive(instance, number), "wallet": derive(instance, wallet), "instance": derive([16]byte{8}, base),
	} {
		if other.Address == first.Address {
			t.Errorf("another %s gives the same address", name)
		}
	}
	if same := derive(instance, network); same.Address != first.Address {
		t.Error("a payment has different addresses on two EVM networks")
	}
}

func TestDepositor_Refuses(t *testing.T) {
	t.Parallel()
	wallet := freshAddress(chain.Base).Address
	d := evm.NewDepositor(chain.Base, [16]byte{})
	for name, s := range map[string]chain.Settlement{
		"OtherNetwork": {Network: chain.BEP20, Wallet: wallet, Number: 1},
		"NoNumber":     {Network: chain.Base, Wallet: wallet},
		"Negative":     {Network: chain.Base, Wallet: wallet, Number: -1},
		"NoWallet":     {Network: chain.Base, Number: 1},
		"ZeroWallet":   {Network: chain.Base, Wallet: "0x0000000000000000000000000000000000000000", Number: 1},
		"BadWallet":    {Network: chain.Base, Wallet: "0x12", Number: 1},
	} {
		if w, err := d.DepositAddress(s); err == nil {
			t.Errorf("%s gives %s", name, w.Address)
		}
	}
}
