package devchain_test

import (
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/testkit"
)

func filterOf(token common.Address) ethereum.FilterQuery {
	return ethereum.FilterQuery{
		Addresses: []common.Address{token},
		Topics:    [][]common.Hash{{crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)"))}},
	}
}

// TestChain_Timer: the timer makes a block a second, with or without transactions, and the chain's clock is
// the wall clock, even after Commit ran it ahead.
func TestChain_Timer(t *testing.T) {
	t.Parallel()
	chain := start(t, devchain.Config{ChainID: 56, BlockTime: time.Second})
	heads := make(chan *types.Header, 10)
	subscription, err := chain.Client().SubscribeNewHead(chain.ctx, heads)
	testkit.Must(t, err)
	defer subscription.Unsubscribe()
	tx := chain.sent(chain.FundNative(chain.ctx, deposit, big.NewInt(5)))
	if _, err := chain.WaitReceipt(chain.ctx, tx); err != nil {
		t.Fatal(err)
	}
	chain.Mine(2)
	for empty := 0; empty < 2; {
		select {
		case head := <-heads:
			late := time.Since(time.Unix(int64(head.Time), 0))
			if late < -time.Minute || late > time.Minute {
				t.Errorf("block %s is of %s ago", head.Number, late)
			}
			if head.GasUsed == 0 {
				empty++
			}
		case <-chain.ctx.Done():
			t.Fatal("the timer makes no blocks")
		}
	}
}
