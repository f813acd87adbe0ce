package evm_test

import (
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
)

func TestDepositor_DepositAddress(t *testing.T) {
	t.Parallel()
	base := chain.Settlement{
		Network: chain.Base, Wallet: freshAddress(chain.Base).Address, PaymentID: chaintest.TxnID(1),
		Scheme: chain.SchemeTxnID,
	}
	derive := func(s chain.Settlement) chain.Watched {
		t.Helper()
		w, err := evm.NewDepositor(s.Network).DepositAddress(s)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := chain.ParseAddress(s.Network, string(w.Address))
		if err != nil || string(parsed.Raw) != string(w.Raw) {
			t.Fatalf("%s is not the address of %x: %v", w.Address, w.Raw, err)
		}
		return w
	}
	first := derive(base)
	if again := derive(base); again.Address != first.Address {
		t.Errorf("the same settlement gives %s and %s", first.Address, again.Address)
	}
	payment, wallet, network := base, base, base
	payment.PaymentID = chaintest.TxnID(2)
	wallet.Wallet = freshAddress(chain.Base).Address
	network.Network = chain.BEP20
	for name, other := range map[string]chain.Watched{"payment": derive(payment), "wallet": derive(wallet)} {
		if other.Address == first.Address {
			t.Errorf("another %s gives the same address", name)
		}
	}
	if same := derive(network); same.Address != first.Address {
		t.Error("a payment has different addresses on two EVM networks")
	}
}

func TestDepositor_Refuses(t *testing.T) {
	t.Parallel()
	good := chain.Settlement{
		Network: chain.Base, Wallet: freshAddress(chain.Base).Address, PaymentID: chaintest.TxnID(1),
		Scheme: chain.SchemeTxnID,
	}
	d := evm.NewDepositor(chain.Base)
	for name, spoil := range map[string]func(*chain.Settlement){
		"OtherNetwork": func(s *chain.Settlement) { s.Network = chain.BEP20 },
		"NoPayment":    func(s *chain.Settlement) { s.PaymentID = "" },
		"RowNumber":    func(s *chain.Settlement) { s.PaymentID = "1" },
		"NoScheme":     func(s *chain.Settlement) { s.Scheme = 0 },
		"NewerScheme":  func(s *chain.Settlement) { s.Scheme++ },
		"NoWallet":     func(s *chain.Settlement) { s.Wallet = "" },
		"ZeroWallet":   func(s *chain.Settlement) { s.Wallet = "0x0000000000000000000000000000000000000000" },
		"BadWallet":    func(s *chain.Settlement) { s.Wallet = "0x12" },
	} {
		bad := good
		spoil(&bad)
		if w, err := d.DepositAddress(bad); err == nil {
			t.Errorf("%s gives %s", name, w.Address)
		}
	}
}
