package contracts_test

import (
	"bufio"
	"bytes"
	"context"
	"math/big"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi/bind/v2"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"

	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/contracts/contractstest"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/testkit"
)

// TestAnvil deploys and sweeps on an Ethereum virtual machine that is not
// go-ethereum's: same addresses, same code, same events.
func TestAnvil(t *testing.T) {
	t.Parallel()
	anvil := startAnvil(t)
	factory := contracts.FactoryAddress()
	to, data := contracts.FactoryDeployment()
	anvil.send(&to, 0, data)
	for at, want := range map[common.Address]common.Hash{
		contracts.DeployerAddress:                contracts.DeployerCodeHash,
		factory:                                  contracts.FactoryCodeHash,
		contracts.ImplementationAddress(factory): contracts.ImplementationCodeHash,
	} {
		if got := crypto.Keccak256Hash(anvil.code(at)); got != want {
			t.Errorf("code hash at %s is %s, want %s", at, got, want)
		}
	}

	constructor := contractstest.NewTestToken().PackConstructor("Tether USD", "USDT", 6)
	create := append(common.FromHex(contractstest.TestTokenMetaData.Bin), constructor...)
	token := anvil.send(nil, 0, create).ContractAddress
	d := newDeposit(1, account("shop"))
	anvil.send(&token, 0, contractstest.NewTestToken().PackMint(d.forwarder, big.NewInt(700)))
	anvil.send(&d.forwarder, 5, nil)
	receipt := anvil.send(&factory, 0, sweepTx(d.item(token, account("no token"), contracts.NativeCoin)).Data)

	result := testChain{t: t}.sweptIn(receipt)
	result.wantFailed(t, d, account("no token"), noReason)
	result.wantEvents(t, flushed(d, token, 700), flushed(d, contracts.NativeCoin, 5))
	if code := anvil.code(d.forwarder); !bytes.Equal(code, contracts.RuntimeCodeOfForwarder(factory, d.settlement)) {
		t.Errorf("forwarder has code %x", code)
	}
	if balance, err := anvil.client.BalanceAt(anvil.ctx, d.settlement, nil); err != nil || balance.Int64() != 5 {
		t.Errorf("settlement has %s (%v), want 5", balance, err)
	}
}

// anvilChain is a running anvil with a rich faucet.
type anvilChain struct {
	t      *testing.T
	ctx    context.Context
	client *ethclient.Client
}

func startAnvil(t *testing.T) anvilChain {
	t.Helper()
	program := testkit.MustEngine(t, "@foundry-rs/anvil-linux-amd64/bin/anvil")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	command := exec.CommandContext(ctx, program, "--host", "127.0.0.1", "--port", "0")
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // it must not outlive the test
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = command.Wait() // it was killed
	})
	client, err := ethclient.DialContext(ctx, "http://"+listenAddress(t, bufio.NewScanner(stdout)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	if err := client.Client().CallContext(ctx, nil, "anvil_setBalance", devchain.FaucetAddress(),
		"0xde0b6b3a7640000"); err != nil {
		t.Fatal(err)
	}
	return anvilChain{t, ctx, client}
}

// listenAddress reads anvil's greeting up to the address it serves on.
func listenAddress(t *testing.T, greeting *bufio.Scanner) string {
	t.Helper()
	for greeting.Scan() {
		if address, found := strings.CutPrefix(greeting.Text(), "Listening on "); found {
			return address
		}
	}
	t.Fatalf("anvil does not listen: %v", greeting.Err())
	return ""
}

// send has a transaction of the faucet mined; without to it creates a contract.
func (a anvilChain) send(to *common.Address, value int64, data []byte) *types.Receipt {
	a.t.Helper()
	nonce, err := a.client.PendingNonceAt(a.ctx, devchain.FaucetAddress())
	if err != nil {
		a.t.Fatal(err)
	}
	chainID, err := a.client.ChainID(a.ctx)
	if err != nil {
		a.t.Fatal(err)
	}
	tx, err := types.SignNewTx(devchain.FaucetKey(), types.LatestSignerForChainID(chainID), &types.DynamicFeeTx{
		ChainID: chainID, Nonce: nonce, To: to, Value: big.NewInt(value), Data: data, Gas: 4_000_000,
		GasTipCap: big.NewInt(1e9), GasFeeCap: big.NewInt(1e10),
	})
	if err != nil {
		a.t.Fatal(err)
	}
	if err := a.client.SendTransaction(a.ctx, tx); err != nil {
		a.t.Fatal(err)
	}
	receipt, err := bind.WaitMined(a.ctx, a.client, tx.Hash())
	if err != nil || receipt.Status != types.ReceiptStatusSuccessful {
		a.t.Fatalf("transaction %s failed (%v)", tx.Hash(), err)
	}
	return receipt
}

func (a anvilChain) code(at common.Address) []byte {
	a.t.Helper()
	code, err := a.client.CodeAt(a.ctx, at, nil)
	if err != nil {
		a.t.Fatal(err)
	}
	return code
}
