package devchain_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/florinpay/florin/internal/chain/evm/contracts"
	"github.com/florinpay/florin/internal/chain/evm/contracts/contractstest"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/testkit"
)

// answer is what a method returns over HTTP, as JSON; or what it is refused with: "error CODE: MESSAGE [DATA]".
func (c testChain) answer(method string, params ...any) string {
	c.t.Helper()
	client, err := rpc.DialContext(c.ctx, c.URL())
	testkit.Must(c.t, err)
	defer client.Close()
	var raw json.RawMessage
	if err = client.CallContext(c.ctx, &raw, method, params...); err == nil {
		return string(raw)
	}
	refused, ok := errors.AsType[rpc.Error](err)
	if !ok {
		c.t.Fatal(err)
	}
	text, _ := json.Marshal(refused.ErrorCode())
	said := "error " + string(text) + ": " + refused.Error()
	if data, ok := errors.AsType[rpc.DataError](err); ok && data.ErrorData() != nil {
		said += " " + data.ErrorData().(string)
	}
	return said
}

// faucetTx is a transaction of the faucet, in the form of eth_sendRawTransaction.
func (c testChain) faucetTx(nonce uint64, edit func(*types.DynamicFeeTx)) (raw string, hash common.Hash) {
	c.t.Helper()
	tx := &types.DynamicFeeTx{
		ChainID: new(big.Int).SetUint64(c.ChainID()), Nonce: nonce, To: &deposit, Value: big.NewInt(1), Gas: 21_000,
		GasTipCap: big.NewInt(2e9), GasFeeCap: big.NewInt(4e9),
	}
	edit(tx)
	signed, err := types.SignNewTx(devchain.FaucetKey(), types.LatestSignerForChainID(tx.ChainID), tx)
	testkit.Must(c.t, err)
	text, err := signed.MarshalBinary()
	testkit.Must(c.t, err)
	return hexutil.Encode(text), signed.Hash()
}

// TestSend_Refusals: what the pool does not take it refuses in geth's words, by which senders act.
func TestSend_Refusals(t *testing.T) {
	t.Parallel()
	chain := start(t, devchain.Config{ChainID: 56})
	next, err := chain.Client().NonceAt(chain.ctx, devchain.FaucetAddress(), nil)
	testkit.Must(t, err)
	known, _ := chain.faucetTx(next, func(*types.DynamicFeeTx) {})
	if got := chain.answer("eth_sendRawTransaction", known); strings.HasPrefix(got, "error") {
		t.Fatal(got)
	}
	if got := chain.answer("eth_sendRawTransaction", known); got != "error -32000: already known" {
		t.Error(got)
	}
	type tx = *types.DynamicFeeTx
	for name, c := range map[string]struct {
		nonce uint64
		edit  func(tx)
		want  string
	}{
		"NonceUsed":     {0, func(tx) {}, "nonce too low: next nonce 9, tx nonce 0"},
		"PaysTooLittle": {next, func(t tx) { t.GasTipCap = big.NewInt(2.19e9) }, "replacement transaction underpriced"},
		"PaysOnlyTip": {next, func(t tx) {
			t.GasTipCap, t.GasFeeCap = big.NewInt(3e9), big.NewInt(4.39e9)
		}, "replacement transaction underpriced"},
		"LittleGas": {
			next + 1, func(t tx) { t.Gas = 20_999 }, "intrinsic gas too low: gas 20999, minimum needed 21000",
		},
		"MuchGas": {next + 1, func(t tx) { t.Gas = 1<<24 + 1 }, "transaction gas limit too high"},
		"NoTip":   {next + 1, func(t tx) { t.GasTipCap = new(big.Int) }, "minimum needed 1"},
		"TipAboveCap": {
			next + 1, func(t tx) { t.GasTipCap = big.NewInt(5e9) },
			"max priority fee per gas higher than max fee per gas",
		},
		"Poor": {
			next + 1, func(t tx) { t.Value = new(big.Int).Lsh(big.NewInt(1), 121) },
			"insufficient funds for gas * price + value: balance",
		},
		"OtherChain": {next + 1, func(t tx) { t.ChainID = big.NewInt(1) }, "invalid sender"},
	} {
		raw, _ := chain.faucetTx(c.nonce, c.edit)
		if got := chain.answer("eth_sendRawTransaction", raw); !strings.HasPrefix(got, "error -32000: ") ||
			!strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %q", name, got, c.want)
		}
	}
	replacing, hash := chain.faucetTx(next, func(tx *types.DynamicFeeTx) {
		tx.GasTipCap, tx.GasFeeCap = big.NewInt(2.2e9), big.NewInt(4.4e9)
	})
	if got := chain.answer("eth_sendRawTransaction", replacing); got != `"`+hash.Hex()+`"` {
		t.Error("a replacement that pays a tenth more:", got)
	}
}

// TestPool_Order: the best paid comes first, of one sender the lower nonce, and after a gap nothing.
func TestPool_Order(t *testing.T) {
	t.Parallel()
	chain := start(t, devchain.Config{ChainID: 56})
	key, address := chain.payer(chain.Tokens().USDT.Address, 1)
	send := func(nonce uint64, tip int64) common.Hash {
		tx := devchain.Tx{To: &deposit, Gas: 21_000, Nonce: &nonce, Tip: big.NewInt(tip)}
		return chain.sent(chain.Send(chain.ctx, key, tx))
	}
	late, cheap := send(3, 9e9), send(0, 1)
	other := chain.sent(chain.FundNative(chain.ctx, deposit, big.NewInt(1)))
	dear := send(1, 9e9)
	if got := chain.answer("eth_getTransactionCount", address, "pending"); got != `"0x2"` {
		t.Errorf("next nonce %s, want 2, before the gap", got)
	}
	want := []common.Hash{other, cheap, dear}
	for _, number := range []int64{int64(rpc.PendingBlockNumber), int64(rpc.LatestBlockNumber)} {
		if number == int64(rpc.LatestBlockNumber) {
			chain.Commit()
		}
		var block struct{ Transactions []common.Hash }
		text := chain.answer("eth_getBlockByNumber", rpc.BlockNumber(number), false)
		if err := json.Unmarshal([]byte(text), &block); err != nil {
			t.Fatal(text, err)
		}
		if !slices.Equal(block.Transactions, want) {
			t.Errorf("block %s has %s, want %s", rpc.BlockNumber(number), block.Transactions, want)
		}
	}
	if _, pending, err := chain.Client().TransactionByHash(chain.ctx, late); err != nil || !pending {
		t.Errorf("after a gap: pending %t (%v), want it to wait", pending, err)
	}
}

// TestCall_Reverts: a refusal has code 3, the reason in words and as the contract returned it.
func TestCall_Reverts(t *testing.T) {
	t.Parallel()
	chain := start(t, devchain.Config{ChainID: 56})
	usdt := chain.Tokens().USDT.Address
	poor := contractstest.NewTestToken().PackTransfer(deposit, big.NewInt(1))
	for _, method := range []string{"eth_call", "eth_estimateGas"} {
		for name, c := range map[string]struct{ data, want string }{
			"Custom": {hexutil.Encode(poor), "error 3: execution reverted 0xe450d38c"},
			"Silent": {"0xffffffff", "error 3: execution reverted 0x"},
		} {
			got := chain.answer(method, map[string]any{"from": deposit, "to": usdt, "data": c.data})
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("%s, %s: %s, want %s", method, name, got, c.want)
			}
		}
	}
	// Creation code that reverts with Error("no").
	reason, err := hexutil.Decode("0x08c379a0" + word("20") + word("2") + "6e6f" + strings.Repeat("0", 60))
	testkit.Must(t, err)
	code := append(common.FromHex("6064600c60003960646000fd"), reason...)
	want := "error 3: execution reverted: no " + hexutil.Encode(reason)
	if got := chain.answer("eth_call", map[string]any{"data": hexutil.Bytes(code)}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func word(hex string) string { return strings.Repeat("0", 64-len(hex)) + hex }

// TestCall_BlockHash: a contract sees the hashes of the blocks before.
func TestCall_BlockHash(t *testing.T) {
	t.Parallel()
	chain := start(t, devchain.Config{ChainID: 56})
	chain.Mine(20)
	at := chain.number(rpc.LatestBlockNumber)
	for _, back := range []byte{1, 2, 15} {
		// return blockhash(number - back) behind a zero: code that begins with 0xef cannot be deployed (EIP-3541).
		code := []byte{0x60, back, 0x43, 0x03, 0x40, 0x60, 1, 0x52, 0x60, 33, 0x60, 0, 0xf3}
		got := chain.answer("eth_call", map[string]any{"input": hexutil.Bytes(code)}, hexutil.Uint64(at))
		header, err := chain.Client().HeaderByNumber(chain.ctx, new(big.Int).SetUint64(at-uint64(back)))
		if err != nil || got != `"0x00`+header.Hash().Hex()[2:]+`"` {
			t.Errorf("hash of %d blocks before: %s (%v), want %s", back, got, err, header.Hash())
		}
	}
}

// TestReceipt_Fields: the oldest kind of transaction has its fields, too, in the receipt and by hash, and code that
// was deployed its address.
func TestReceipt_Fields(t *testing.T) {
	t.Parallel()
	chain := start(t, devchain.Config{ChainID: 56})
	tx := contracts.DeployerTransaction()
	for method, want := range map[string][]string{
		"eth_getTransactionReceipt": {
			`"type":"0x0"`, `"status":"0x1"`, `"to":null`, `"logs":[]`, `"effectiveGasPrice":"0x174876e800"`,
			`"contractAddress":"` + strings.ToLower(contracts.DeployerAddress.Hex()) + `"`, `"blockNumber":"0x1"`,
			`"from":"` + strings.ToLower(contracts.DeployerSigner.Hex()) + `"`,
		},
		"eth_getTransactionByHash": {
			`"type":"0x0"`, `"to":null`, `"gasPrice":"0x174876e800"`, `"transactionIndex":"0x0"`, `"nonce":"0x0"`,
			`"from":"` + strings.ToLower(contracts.DeployerSigner.Hex()) + `"`,
		},
	} {
		got := chain.answer(method, tx.Hash())
		for _, field := range want {
			if !strings.Contains(got, field) {
				t.Errorf("%s: no %s in %s", method, field, got)
			}
		}
		for _, field := range []string{"maxFeePerGas", "root"} {
			if strings.Contains(got, `"`+field+`"`) {
				t.Errorf("%s: %s in %s", method, field, got)
			}
		}
	}
	all, one := chain.answer("eth_getBlockReceipts", "0x1"), chain.answer("eth_getTransactionReceipt", tx.Hash())
	if !strings.HasPrefix(all, "["+one+",") {
		t.Errorf("receipts of the block do not begin with that of %s: %s", tx.Hash(), all)
	}
	if got := chain.answer("eth_getBlockReceipts", "0x99"); got != "null" {
		t.Errorf("receipts of no block: %s", got)
	}
}

// TestBlock_Root: a block's header commits to its transactions and receipts, as a client checks it.
func TestBlock_Root(t *testing.T) {
	t.Parallel()
	chain := start(t, devchain.Config{ChainID: 56})
	receipt := chain.included(chain.Mint(chain.ctx, chain.Tokens().USDT.Address, deposit, big.NewInt(1)))
	block, err := chain.Client().BlockByHash(chain.ctx, receipt.BlockHash)
	testkit.Must(t, err)
	parent, err := chain.Client().HeaderByHash(chain.ctx, block.ParentHash())
	if err != nil || parent.Root == block.Root() {
		t.Errorf("state %s did not change from %v (%v)", block.Root(), parent, err)
	}
	if txs := block.Transactions(); len(txs) != 1 || txs[0].Hash() != receipt.TxHash ||
		block.Hash() != receipt.BlockHash || block.GasUsed() != receipt.GasUsed {
		t.Errorf("block %s of %d transactions with %d gas, receipt %+v", block.Hash(), len(txs), block.GasUsed(), receipt)
	}
	log := receipt.Logs[0]
	if !types.BloomLookup(block.Bloom(), log.Address) || !types.BloomLookup(block.Bloom(), log.Topics[0]) {
		t.Error("the bloom does not have the log")
	}
}
