package contracts_test

import (
	"context"
	"crypto/ecdsa"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"

	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/sandbox/devchain"
)

// testChain is a development chain with the factory on it, for one test.
type testChain struct {
	*devchain.Chain
	t   *testing.T
	ctx context.Context
}

func startChain(t *testing.T) testChain {
	t.Helper()
	chain, err := devchain.Start(devchain.Config{ChainID: 1337})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := chain.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	if err := chain.Setup(ctx); err != nil {
		t.Fatal(err)
	}
	return testChain{Chain: chain, t: t, ctx: ctx}
}

// include sends a transaction, makes a block of it and returns the receipt.
func (c testChain) include(from *ecdsa.PrivateKey, tx devchain.Tx) *types.Receipt {
	c.t.Helper()
	hash, err := c.Send(c.ctx, from, tx)
	return c.receipt(hash, err)
}

// receipt makes a block and returns the receipt of a transaction just sent.
func (c testChain) receipt(hash common.Hash, err error) *types.Receipt {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
	c.Commit()
	receipt, err := c.WaitReceipt(c.ctx, hash)
	if err != nil {
		c.t.Fatal(err)
	}
	return receipt
}

// must is include for what must succeed.
func (c testChain) must(tx devchain.Tx) *types.Receipt {
	c.t.Helper()
	receipt := c.include(devchain.FaucetKey(), tx)
	if receipt.Status != types.ReceiptStatusSuccessful {
		c.t.Fatalf("transaction %s failed", receipt.TxHash)
	}
	return receipt
}

// deploy creates a contract and returns its address.
func (c testChain) deploy(bin string, constructor []byte) common.Address {
	c.t.Helper()
	return c.must(devchain.Tx{Data: append(common.FromHex(bin), constructor...)}).ContractAddress
}

// call reads a contract at the newest block.
func (c testChain) call(to common.Address, data []byte) ([]byte, error) {
	return c.Client().CallContract(c.ctx, ethereum.CallMsg{To: &to, Data: data}, nil)
}

func (c testChain) code(a common.Address) []byte {
	c.t.Helper()
	code, err := c.Client().CodeAt(c.ctx, a, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return code
}

func (c testChain) native(a common.Address) *big.Int {
	c.t.Helper()
	balance, err := c.Client().BalanceAt(c.ctx, a, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	return balance
}

// predicted asks the factory for the address of a forwarder.
func (c testChain) predicted(settlement common.Address, salt [32]byte) common.Address {
	c.t.Helper()
	factory := contracts.NewForwarderFactory()
	out, err := c.call(contracts.FactoryAddress(), factory.PackForwarderAddress(settlement, salt))
	if err != nil {
		c.t.Fatal(err)
	}
	address, err := factory.UnpackForwarderAddress(out)
	if err != nil {
		c.t.Fatal(err)
	}
	return address
}
