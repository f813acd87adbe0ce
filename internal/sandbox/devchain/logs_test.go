package devchain_test

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"

	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/testkit"
)

// TestGetLogs finds logs by address, topics, range and block.
func TestGetLogs(t *testing.T) {
	t.Parallel()
	chain := start(t, devchain.Config{ChainID: 56})
	usdt, usdc := chain.Tokens().USDT.Address, chain.Tokens().USDC.Address
	first := chain.included(chain.Mint(chain.ctx, usdt, deposit, big.NewInt(1))) // block 2
	chain.included(chain.Mint(chain.ctx, usdc, deposit, big.NewInt(1)))          // block 3
	chain.included(chain.Mint(chain.ctx, usdt, common.Address{9}, big.NewInt(1)))
	chain.Mine(3)
	transfer, to := crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)")), common.BytesToHash(deposit[:])
	type query = map[string]any
	for name, c := range map[string]struct {
		query query
		want  int    // logs
		err   string // instead
	}{
		"Address":      {query{"fromBlock": "0x0", "address": usdt}, 2, ""},
		"Addresses":    {query{"fromBlock": "earliest", "toBlock": "latest", "address": []any{usdt, usdc}}, 3, ""},
		"NoAddress":    {query{"fromBlock": "0x0", "address": []any{}, "topics": []any{transfer}}, 3, ""},
		"Topic":        {query{"fromBlock": "0x0", "topics": []any{nil, nil, to}}, 2, ""},
		"Topics":       {query{"fromBlock": "0x0", "topics": []any{[]any{transfer, to}, []any{}, to}}, 2, ""},
		"WrongPlace":   {query{"fromBlock": "0x0", "topics": []any{to}}, 0, ""},
		"LongerTopics": {query{"fromBlock": "0x0", "topics": []any{nil, nil, nil, nil}}, 0, ""},
		"Range":        {query{"fromBlock": "0x3", "toBlock": "0x4"}, 2, ""},
		"Final":        {query{"fromBlock": "0x0", "toBlock": "finalized", "address": usdt}, 2, ""},
		"Newest":       {query{}, 0, ""},
		"Block":        {query{"blockHash": first.BlockHash, "address": usdt}, 1, ""},
		"NoBlock":      {query{"blockHash": to}, 0, "error -32000: unknown block"},
		"BlockOrRange": {query{"blockHash": to, "toBlock": "0x1"}, 0, "error -32602: can't specify"},
		"Backwards":    {query{"fromBlock": "0x4", "toBlock": "0x3"}, 0, "error -32602: invalid block range params"},
		"AfterHead":    {query{"fromBlock": "0x9"}, 0, "error -32602: invalid block range params"},
		"BeyondHead":   {query{"fromBlock": "0x1", "toBlock": "0x9"}, 0, "error -32602: block range extends beyond"},
		"Pending":      {query{"toBlock": "pending"}, 0, "error -32602: pending logs are not supported"},
		"FiveTopics":   {query{"topics": []any{nil, nil, nil, nil, nil}}, 0, "error -32602: exceed max topics"},
	} {
		got := chain.answer("eth_getLogs", c.query)
		if c.err != "" {
			if !strings.HasPrefix(got, c.err) {
				t.Errorf("%s: %s, want %s", name, got, c.err)
			}
			continue
		}
		var logs []types.Log
		if err := json.Unmarshal([]byte(got), &logs); err != nil || len(logs) != c.want || got[0] != '[' {
			t.Errorf("%s: %s (%v), want %d logs", name, got, err, c.want)
		}
	}
}

// TestSubscribe_Heads: a subscriber over WebSocket sees every new head, and the block that a fork goes back to.
func TestSubscribe_Heads(t *testing.T) {
	t.Parallel()
	chain := start(t, devchain.Config{ChainID: 56})
	client, err := ethclient.DialContext(chain.ctx, strings.Replace(chain.URL(), "http://", "ws://", 1))
	testkit.Must(t, err)
	defer client.Close()
	heads := make(chan *types.Header, 10)
	subscription, err := client.SubscribeNewHead(chain.ctx, heads)
	testkit.Must(t, err)
	defer subscription.Unsubscribe()
	want := []common.Hash{chain.Commit(), chain.Commit()}
	testkit.Must(t, chain.Fork(want[0]))
	for _, hash := range append(want, want[0], chain.Commit()) {
		select {
		case head := <-heads:
			if head.Hash() != hash {
				t.Errorf("heard of %s, want %s", head.Hash(), hash)
			}
		case <-chain.ctx.Done():
			t.Fatal("heard nothing")
		}
	}
}
