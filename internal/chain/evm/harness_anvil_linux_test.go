package evm_test

import (
	"bufio"
	"context"
	"math/big"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/contracts/contractstest"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/testkit"
)

func TestReader_Anvil(t *testing.T) {
	t.Parallel()
	conform(t, func(t *testing.T) chaintest.Forker { return newAnvil(t, chain.Base) })
}

// anvil is a chain on an engine that is not go-ethereum's, in a process of its
// own.
type anvil struct {
	t       *testing.T
	url     string
	client  *ethclient.Client
	signer  types.Signer
	profile chain.Profile
	fake    chain.Asset
	reader  *evm.Adapter
	raw     [][]byte // transactions since the last Finalize
}

var _ chaintest.Forker = (*anvil)(nil)

// anvilFinalDepth is how far anvil's finalized label trails with epochs of one
// block.
const anvilFinalDepth = 2

func newAnvil(t *testing.T, n chain.Network) *anvil {
	t.Helper()
	p, _ := profileOf(n)
	a := startAnvil(t, p.ChainID)
	to, factory := contracts.FactoryDeployment()
	a.mustSend(&types.DynamicFeeTx{To: &to, Data: factory})
	a.fake = a.token(n, "USDT", "")
	p.Assets = []chain.Asset{a.token(n, "USDT", money.USDT), a.token(n, "USDC", money.USDC), a.token(n, "USDbC", "")}
	a.Mine(1)
	a.raw = nil
	reader, err := evm.New(evm.Config{Profile: p, Endpoints: []string{a.url}})
	if err != nil {
		t.Fatal(err)
	}
	a.profile, a.reader = p, reader
	return a
}

// startAnvil starts an empty chain that mines on command.
func startAnvil(t *testing.T, chainID uint64) *anvil {
	t.Helper()
	program := testkit.MustEngine(t, "@foundry-rs/anvil-linux-amd64/bin/anvil")
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	command := exec.CommandContext(ctx, program, "--host", "127.0.0.1", "--port", "0", "--no-mining",
		"--slots-in-an-epoch", "1", "--accounts", "1", "--chain-id", new(big.Int).SetUint64(chainID).String())
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
	url := "http://" + listenAddress(t, bufio.NewScanner(stdout))
	client, err := ethclient.DialContext(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	a := &anvil{t: t, url: url, client: client, signer: types.LatestSignerForChainID(new(big.Int).SetUint64(chainID))}
	a.rpc("anvil_setBalance", devchain.FaucetAddress(), hexutil.EncodeBig(new(big.Int).Lsh(big.NewInt(1), 100)))
	return a
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

func (a *anvil) rpc(method string, params ...any) {
	a.t.Helper()
	if err := a.client.Client().CallContext(a.t.Context(), nil, method, params...); err != nil {
		a.t.Fatalf("%s: %v", method, err)
	}
}

// token creates a test token.
func (a *anvil) token(n chain.Network, symbol string, counts money.Token) chain.Asset {
	a.t.Helper()
	const decimals = 6
	nonce := a.nonce()
	constructor := contractstest.NewTestToken().PackConstructor(symbol, symbol, decimals)
	a.mustSend(&types.DynamicFeeTx{Data: append(common.FromHex(contractstest.TestTokenMetaData.Bin), constructor...)})
	at := crypto.CreateAddress(devchain.FaucetAddress(), nonce)
	return chain.Asset{
		Network: n, Contract: chain.AddressOf(n, at[:]).Address, Symbol: symbol, Decimals: decimals, Token: counts,
	}
}

func (a *anvil) nonce() uint64 {
	a.t.Helper()
	nonce, err := a.client.PendingNonceAt(a.t.Context(), devchain.FaucetAddress())
	if err != nil {
		a.t.Fatal(err)
	}
	return nonce
}

func (a *anvil) mustSend(tx *types.DynamicFeeTx) chain.TxHash {
	a.t.Helper()
	tx.ChainID, tx.Nonce, tx.Gas = a.signer.ChainID(), a.nonce(), 4_000_000
	tx.GasTipCap, tx.GasFeeCap = big.NewInt(1e9), big.NewInt(1e11)
	signed, err := types.SignNewTx(devchain.FaucetKey(), a.signer, tx)
	if err != nil {
		a.t.Fatal(err)
	}
	raw, err := signed.MarshalBinary()
	if err != nil {
		a.t.Fatal(err)
	}
	if err := a.client.SendTransaction(a.t.Context(), signed); err != nil {
		a.t.Fatal(err)
	}
	a.raw = append(a.raw, raw)
	return chain.TxHash(signed.Hash().Hex())
}

func (a *anvil) Reader() chain.Reader     { return a.reader }
func (a *anvil) Credited() chain.Asset    { return a.profile.Assets[0] }
func (a *anvil) Other() chain.Asset       { return a.profile.Assets[2] }
func (a *anvil) Counterfeit() chain.Asset { return a.fake }
func (a *anvil) Address() chain.Watched   { return freshAddress(a.profile.Network) }
func (a *anvil) Mine(n int)               { a.rpc("anvil_mine", hexutil.EncodeUint64(uint64(n))) }

func (a *anvil) Finalize() {
	a.Mine(anvilFinalDepth)
	a.raw = nil
}

func (a *anvil) Pay(payments ...chaintest.Payment) chain.TxHash {
	return a.mustSend(&types.DynamicFeeTx{Data: payProgram(payments, true)})
}

func (a *anvil) PayFailed(p chaintest.Payment) chain.TxHash {
	return a.mustSend(&types.DynamicFeeTx{Data: payProgram([]chaintest.Payment{p}, false)})
}

// Reorg puts kept transactions into the last of the new blocks.
func (a *anvil) Reorg(n int, keep bool) {
	again := [][2]any{}
	for _, raw := range a.raw {
		if keep {
			again = append(again, [2]any{hexutil.Encode(raw), n - 1})
		}
	}
	a.rpc("anvil_reorg", n, again)
	a.Mine(1)
}
