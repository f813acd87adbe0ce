package devchain_test

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/contracts/contractstest"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/testkit"
)

// testChain is a development chain for one test, with Setup done.
type testChain struct {
	*devchain.Chain
	t   *testing.T
	ctx context.Context
}

func start(t *testing.T, config devchain.Config) testChain {
	t.Helper()
	chain, err := devchain.Start(config)
	testkit.Must(t, err)
	t.Cleanup(func() {
		if err := chain.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	testkit.Must(t, chain.Setup(ctx))
	return testChain{Chain: chain, t: t, ctx: ctx}
}

// sent returns the hash of a sending method, which must succeed.
func (c testChain) sent(hash common.Hash, err error) common.Hash {
	c.t.Helper()
	testkit.Must(c.t, err)
	return hash
}

// included makes a block and returns the receipt of a transaction in it, which
// must have succeeded.
func (c testChain) included(hash common.Hash, err error) *types.Receipt {
	c.t.Helper()
	c.sent(hash, err)
	c.Commit()
	receipt, err := c.WaitReceipt(c.ctx, hash)
	testkit.Must(c.t, err)
	if receipt.Status != types.ReceiptStatusSuccessful {
		c.t.Fatalf("transaction %s failed", hash)
	}
	return receipt
}

// payer is an account with native coin and tokens.
func (c testChain) payer(token common.Address, units int64) (*ecdsa.PrivateKey, common.Address) {
	c.t.Helper()
	key, err := crypto.GenerateKey()
	testkit.Must(c.t, err)
	address := crypto.PubkeyToAddress(key.PublicKey)
	c.sent(c.FundNative(c.ctx, address, big.NewInt(1e18)))
	c.included(c.Mint(c.ctx, token, address, big.NewInt(units)))
	return key, address
}

func (c testChain) wantBalance(token, of common.Address, want int64) {
	c.t.Helper()
	binding := contractstest.NewTestToken()
	out, err := c.Client().CallContract(c.ctx, ethereum.CallMsg{To: &token, Data: binding.PackBalanceOf(of)}, nil)
	testkit.Must(c.t, err)
	if got := new(big.Int).SetBytes(out); got.Cmp(big.NewInt(want)) != 0 {
		c.t.Errorf("%s has %s of %s, want %d", of, got, token, want)
	}
}

// wantGone fails if the transaction is in a block.
func (c testChain) wantGone(tx common.Hash) {
	c.t.Helper()
	if receipt, err := c.Client().TransactionReceipt(c.ctx, tx); !errors.Is(err, ethereum.NotFound) {
		c.t.Errorf("%s has receipt %+v (%v), want none", tx, receipt, err)
	}
}

// number is the block number of a tag.
func (c testChain) number(tag rpc.BlockNumber) uint64 {
	c.t.Helper()
	header, err := c.Client().HeaderByNumber(c.ctx, big.NewInt(int64(tag)))
	testkit.Must(c.t, err)
	return header.Number.Uint64()
}

// transfers asks for the Transfer logs of a token over HTTP.
func (c testChain) transfers(token common.Address) []types.Log {
	c.t.Helper()
	client, err := ethclient.DialContext(c.ctx, c.URL())
	testkit.Must(c.t, err)
	defer client.Close()
	logs, err := client.FilterLogs(c.ctx, ethereum.FilterQuery{
		FromBlock: new(big.Int), Addresses: []common.Address{token},
		Topics: [][]common.Hash{{crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))}},
	})
	testkit.Must(c.t, err)
	return logs
}

// TestStart_ThreeChains runs the three networks side by side: a payment on one appears only there, over HTTP.
func TestStart_ThreeChains(t *testing.T) {
	t.Parallel()
	chains := []testChain{
		start(t, devchain.Config{ChainID: 56, Decimals: 18}),
		start(t, devchain.Config{ChainID: 137}),
		start(t, devchain.Config{ChainID: 8453}),
	}
	deposit := common.HexToAddress("0xdede")
	for i, c := range chains {
		usdt := c.Tokens().USDT
		key, address := c.payer(usdt.Address, 1000)
		receipt := c.included(c.Transfer(c.ctx, key, usdt.Address, deposit, big.NewInt(int64(100+i))))
		logs := c.transfers(usdt.Address)
		if len(logs) != 2 { // mint and transfer
			t.Fatalf("chain %d: %d logs, want 2", c.ChainID(), len(logs))
		}
		log := logs[1]
		if log.TxHash != receipt.TxHash || log.BlockHash != receipt.BlockHash ||
			log.Topics[1] != common.BytesToHash(address[:]) ||
			log.Topics[2] != common.BytesToHash(deposit[:]) || new(big.Int).SetBytes(log.Data).Int64() != int64(100+i) {
			t.Errorf("chain %d: log %+v", c.ChainID(), log)
		}
	}
	for _, c := range chains {
		client, err := ethclient.DialContext(c.ctx, c.URL())
		testkit.Must(t, err)
		if id, err := client.ChainID(c.ctx); err != nil || id.Uint64() != c.ChainID() {
			t.Errorf("chain id %s (%v), want %d", id, err, c.ChainID())
		}
		client.Close()
	}
}

func TestStart_BadConfig(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]devchain.Config{
		"NoChainID":   {},
		"SubSecond":   {ChainID: 56, BlockTime: 500 * time.Millisecond},
		"Fraction":    {ChainID: 56, BlockTime: 1500 * time.Millisecond},
		"Negative":    {ChainID: 56, BlockTime: -time.Second},
		"SafeTooDeep": {ChainID: 56, SafeDepth: 5, FinalDepth: 4},
		"NoDirectory": {ChainID: 56, DataDir: "/dev/null/chain"},
	} {
		if chain, err := devchain.Start(config); err == nil {
			t.Errorf("%s: started", name)
			_ = chain.Close()
		}
	}
}

func TestChain_Setup(t *testing.T) {
	t.Parallel()
	chain := start(t, devchain.Config{ChainID: 56, Decimals: 18})
	before := chain.number(rpc.LatestBlockNumber)
	testkit.Must(t, chain.Setup(chain.ctx))
	if after := chain.number(rpc.LatestBlockNumber); before != 1 || after != before {
		t.Errorf("setup once made %d blocks, twice %d, want 1", before, after)
	}

	tokens := chain.Tokens()
	seen := map[common.Address]bool{}
	for _, want := range []devchain.Token{tokens.USDT, tokens.USDC, tokens.Bridged, tokens.Counterfeit} {
		seen[want.Address] = true
		if got := chain.describe(want.Address); got != [3]any{want.Name, want.Symbol, want.Decimals} {
			t.Errorf("token %s is %v, want %+v", want.Address, got, want)
		}
	}
	if len(seen) != 4 || tokens.USDT.Decimals != 18 {
		t.Errorf("tokens %+v", tokens)
	}
	if tokens.Counterfeit.Symbol != tokens.USDT.Symbol || tokens.Bridged.Symbol == tokens.USDC.Symbol {
		t.Errorf("counterfeit and bridged token look different from the original, or equal to each other: %+v", tokens)
	}
	code, err := chain.Client().CodeAt(chain.ctx, contracts.FactoryAddress(), nil)
	if err != nil || crypto.Keccak256Hash(code) != contracts.FactoryCodeHash {
		t.Errorf("no factory at %s (%v)", contracts.FactoryAddress(), err)
	}
}

// describe reads name, symbol and decimals of a token.
func (c testChain) describe(token common.Address) (d [3]any) {
	c.t.Helper()
	b := contractstest.NewTestToken()
	read := func(data []byte) []byte {
		out, err := c.Client().CallContract(c.ctx, ethereum.CallMsg{To: &token, Data: data}, nil)
		testkit.Must(c.t, err)
		return out
	}
	name, err1 := b.UnpackName(read(b.PackName()))
	symbol, err2 := b.UnpackSymbol(read(b.PackSymbol()))
	decimals, err3 := b.UnpackDecimals(read(b.PackDecimals()))
	testkit.Must(c.t, errors.Join(err1, err2, err3))
	return [3]any{name, symbol, decimals}
}

// TestChain_Close closes at once, twice, and while blocks are made and calls are in progress.
func TestChain_Close(t *testing.T) {
	t.Parallel()
	chain, err := devchain.Start(devchain.Config{ChainID: 56, BlockTime: time.Second, DataDir: t.TempDir()})
	testkit.Must(t, err)
	testkit.Must(t, chain.Setup(t.Context()))
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			if _, err := chain.FundNative(context.Background(), common.Address{1}, big.NewInt(1)); err != nil {
				return
			}
			chain.Commit()
		}
	}()
	time.Sleep(200 * time.Millisecond)
	began := time.Now()
	if err := chain.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("closing took %s", took)
	}
	if err := chain.Close(); err != nil {
		t.Error("again:", err)
	}
	<-stopped
	last := chain.Commit()
	chain.Rollback()
	if again := chain.Mine(3); again != last {
		t.Error("a closed chain made blocks")
	}
	if err := chain.Fork(last); !errors.Is(err, devchain.ErrClosed) {
		t.Errorf("fork of a closed chain: %v", err)
	}
	if _, err := chain.Mint(t.Context(), common.Address{2}, common.Address{1}, big.NewInt(1)); err == nil {
		t.Error("a closed chain takes transactions")
	}
	if _, err := chain.WaitReceipt(t.Context(), last); err == nil {
		t.Error("a closed chain has receipts")
	}
}
