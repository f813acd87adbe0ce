package devchain_test

import (
	"errors"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/testkit"
)

var deposit = common.HexToAddress("0xdede")

// TestChain_Fork rolls a payment's block back: the payment disappears at once, waits in the pool and is in
// another block after the next Commit.
func TestChain_Fork(t *testing.T) {
	t.Parallel()
	chain := start(t, devchain.Config{ChainID: 56})
	usdt := chain.Tokens().USDT.Address
	key, _ := chain.payer(usdt, 1000)
	parent := chain.Commit()
	first := chain.included(chain.Transfer(chain.ctx, key, usdt, deposit, big.NewInt(7)))
	chain.wantBalance(usdt, deposit, 7)

	testkit.Must(t, chain.Fork(parent))
	chain.wantGone(first.TxHash)
	chain.wantBalance(usdt, deposit, 0)
	if _, pending, err := chain.Client().TransactionByHash(chain.ctx, first.TxHash); err != nil || !pending {
		t.Errorf("pending %t (%v), want the transaction to wait in the pool", pending, err)
	}

	chain.Commit()
	second, err := chain.WaitReceipt(chain.ctx, first.TxHash)
	testkit.Must(t, err)
	if second.BlockHash == first.BlockHash || second.BlockNumber.Cmp(first.BlockNumber) != 0 {
		t.Errorf(
			"in block %s %s again, was in %s %s", second.BlockNumber, second.BlockHash, first.BlockNumber,
			first.BlockHash,
		)
	}
	chain.wantBalance(usdt, deposit, 7)
	if logs := chain.transfers(usdt); len(logs) != 2 || logs[1].BlockHash != second.BlockHash {
		t.Errorf("logs %+v, want mint and transfer in their new block", logs)
	}
}

// TestChain_Rollback replaces a rolled-back payment by another transaction of the same nonce: a double spend.
func TestChain_Rollback(t *testing.T) {
	t.Parallel()
	chain := start(t, devchain.Config{ChainID: 56})
	usdt := chain.Tokens().USDT.Address
	key, address := chain.payer(usdt, 1000)
	parent := chain.Commit()
	first := chain.included(chain.Transfer(chain.ctx, key, usdt, deposit, big.NewInt(7)))
	testkit.Must(t, chain.Fork(parent))
	chain.Rollback()
	elsewhere := common.HexToAddress("0xe15e")
	second := chain.included(chain.Transfer(chain.ctx, key, usdt, elsewhere, big.NewInt(1000)))
	chain.wantGone(first.TxHash)
	chain.wantBalance(usdt, deposit, 0)
	chain.wantBalance(usdt, elsewhere, 1000)
	if nonce, err := chain.Client().NonceAt(chain.ctx, address, nil); err != nil || nonce != 1 {
		t.Errorf("nonce %d (%v) after %s, want 1", nonce, err, second.TxHash)
	}
}

// TestChain_Replace replaces a transaction in the pool by one that pays more.
func TestChain_Replace(t *testing.T) {
	t.Parallel()
	chain := start(t, devchain.Config{ChainID: 56})
	key, _ := chain.payer(chain.Tokens().USDT.Address, 1)
	nonce := uint64(0)
	tx := devchain.Tx{To: &deposit, Value: big.NewInt(1), Nonce: &nonce}
	first := chain.sent(chain.Send(chain.ctx, key, tx))
	if _, err := chain.Send(
		chain.ctx, key, devchain.Tx{To: &deposit, Value: big.NewInt(2), Nonce: &nonce},
	); err == nil {
		t.Error("replaced without paying more")
	}
	tx.Value, tx.Tip = big.NewInt(3), big.NewInt(10_000_000_000)
	chain.included(chain.Send(chain.ctx, key, tx))
	chain.wantGone(first)
}

// TestChain_Reorg drops the newest blocks with their transactions, and notifies subscribers.
func TestChain_Reorg(t *testing.T) {
	t.Parallel()
	chain := start(t, devchain.Config{ChainID: 56})
	usdt := chain.Tokens().USDT.Address
	key, _ := chain.payer(usdt, 1000)
	logs := make(chan types.Log, 10)
	subscription, err := chain.Client().SubscribeFilterLogs(chain.ctx, filterOf(usdt), logs)
	testkit.Must(t, err)
	defer subscription.Unsubscribe()

	receipt := chain.included(chain.Transfer(chain.ctx, key, usdt, deposit, big.NewInt(7)))
	chain.Commit()
	head := chain.number(rpc.LatestBlockNumber)
	if _, err := chain.Reorg(2); err != nil {
		t.Fatal(err)
	}
	if got := chain.number(rpc.LatestBlockNumber); got != head+1 {
		t.Errorf("head %d, want %d", got, head+1)
	}
	chain.wantGone(receipt.TxHash)
	chain.wantBalance(usdt, deposit, 0)
	for _, removed := range []bool{false, true} {
		select {
		case log := <-logs:
			if log.TxHash != receipt.TxHash || log.Removed != removed {
				t.Errorf("heard %+v, want removed %t", log, removed)
			}
		case <-chain.ctx.Done():
			t.Fatal("heard nothing")
		}
	}
	chain.Commit()
	chain.wantGone(receipt.TxHash)

	for _, blocks := range []uint64{0, 1000} {
		if _, err := chain.Reorg(blocks); err == nil {
			t.Errorf("replaced %d blocks", blocks)
		}
	}
}

// TestChain_Labels: safe and finalized trail the head as configured, over HTTP too, and a final block stays.
func TestChain_Labels(t *testing.T) {
	t.Parallel()
	chain := start(t, devchain.Config{ChainID: 8453, SafeDepth: 2, FinalDepth: 5})
	for range 10 {
		head := chain.number(rpc.LatestBlockNumber)
		if got, want := chain.number(rpc.SafeBlockNumber), head-min(head, 2); got != want {
			t.Errorf("head %d: safe %d, want %d", head, got, want)
		}
		if got, want := chain.number(rpc.FinalizedBlockNumber), head-min(head, 5); got != want {
			t.Errorf("head %d: finalized %d, want %d", head, got, want)
		}
		chain.Commit()
	}

	head := chain.number(rpc.LatestBlockNumber)
	hash := func(number uint64) common.Hash {
		header, err := chain.Client().HeaderByNumber(chain.ctx, new(big.Int).SetUint64(number))
		testkit.Must(t, err)
		return header.Hash()
	}
	if err := chain.Fork(hash(head - 6)); !errors.Is(err, devchain.ErrFinal) {
		t.Errorf("fork below the finalized block: %v", err)
	}
	if _, err := chain.Reorg(6); !errors.Is(err, devchain.ErrFinal) {
		t.Errorf("reorg below the finalized block: %v", err)
	}
	testkit.Must(t, chain.Fork(hash(head-5)))
	if got := chain.number(rpc.FinalizedBlockNumber); got != head-5 {
		t.Errorf("finalized %d after a fork, want %d: it never moves back", got, head-5)
	}
	if got := chain.number(rpc.SafeBlockNumber); got != head-5 {
		t.Errorf("safe %d after a fork to %d, want it there too", got, head-5)
	}
	if err := chain.Fork(common.Hash{1}); err == nil {
		t.Error("forked at a block that does not exist")
	}

	client, err := ethclient.DialContext(chain.ctx, chain.URL())
	testkit.Must(t, err)
	defer client.Close()
	header, err := client.HeaderByNumber(chain.ctx, big.NewInt(int64(rpc.FinalizedBlockNumber)))
	if err != nil || header.Number.Uint64() != head-5 {
		t.Errorf("finalized over HTTP: %v (%v)", header, err)
	}
}

// TestChain_Time: blocks made by Commit never share a second, and time can be moved forward but not back.
func TestChain_Time(t *testing.T) {
	t.Parallel()
	chain := start(t, devchain.Config{ChainID: 56})
	at := func() uint64 {
		header, err := chain.Client().HeaderByNumber(chain.ctx, nil)
		testkit.Must(t, err)
		return header.Time
	}
	before := at()
	chain.Mine(50)
	if after := at(); after < before+50 {
		t.Errorf("50 blocks took the clock from %d to %d", before, after)
	}
}

// TestChain_SendMany: everything sent before a Commit is in its block, nonces in order, also from several
// senders at once.
func TestChain_SendMany(t *testing.T) {
	t.Parallel()
	chain := start(t, devchain.Config{ChainID: 56})
	usdt := chain.Tokens().USDT.Address
	const senders, each = 4, 100
	failed := make(chan error, senders)
	for range senders {
		go func() {
			for range each {
				if _, err := chain.Mint(chain.ctx, usdt, deposit, big.NewInt(1)); err != nil {
					failed <- err
					return
				}
			}
			failed <- nil
		}()
	}
	for range senders {
		testkit.Must(t, <-failed)
	}
	chain.Commit()
	chain.wantBalance(usdt, deposit, senders*each)
}

// TestChain_SendOverHTTP: transactions sent over HTTP are in the next block too.
func TestChain_SendOverHTTP(t *testing.T) {
	t.Parallel()
	chain := start(t, devchain.Config{ChainID: 56})
	client, err := ethclient.DialContext(chain.ctx, chain.URL())
	testkit.Must(t, err)
	defer client.Close()
	key, _ := chain.payer(chain.Tokens().USDT.Address, 1)
	for nonce := range uint64(20) {
		tx, err := types.SignNewTx(key, types.LatestSignerForChainID(big.NewInt(56)), &types.DynamicFeeTx{
			ChainID: big.NewInt(56), Nonce: nonce, To: &deposit, Value: big.NewInt(1), Gas: 21_000,
			GasTipCap: big.NewInt(1e9), GasFeeCap: big.NewInt(1e10),
		})
		testkit.Must(t, err)
		testkit.Must(t, client.SendTransaction(chain.ctx, tx))
		chain.Commit()
		if receipt, err := client.TransactionReceipt(chain.ctx, tx.Hash()); err != nil ||
			receipt.Status != types.ReceiptStatusSuccessful {
			t.Fatalf("nonce %d is not in the next block: %v", nonce, err)
		}
	}
	balance, err := client.BalanceAt(chain.ctx, deposit, nil)
	if err != nil || balance.Int64() != 20 {
		t.Errorf("balance %s (%v), want 20", balance, err)
	}
}

// TestFaucetAddress pins the faucet's key: the faucet is part of every chain's first block, so another key
// would make stored chains unreadable.
func TestFaucetAddress(t *testing.T) {
	t.Parallel()
	if got, want := devchain.FaucetAddress(), common.HexToAddress("0x8b5B3Ea75f2344272ad395cc396e0bA66b7E1385"); got != want {
		t.Errorf("faucet %s, want %s", got, want)
	}
	if got := crypto.PubkeyToAddress(devchain.FaucetKey().PublicKey); got != devchain.FaucetAddress() {
		t.Errorf("faucet key is of %s", got)
	}
}
