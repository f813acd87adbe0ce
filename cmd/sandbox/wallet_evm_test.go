package main

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/testkit"
)

// evmScript announces a wallet by EIP-6963 whose provider passes every request to the test.
const evmScript = `
(() => {
	const provider = {request: ({method, params}) => window.askTest("evm", method, params || [])};
	const announce = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", {detail: Object.freeze({
		info: {uuid: "350670db-19fa-4704-a166-e52e178b59d2", name: "Test Wallet", icon: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>", rdns: "org.florin.test"},
		provider})}));
	window.addEventListener("eip6963:requestProvider", announce);
	announce();
})();`

// evmWallet answers by EIP-1193 with keys of its own: it signs real transactions and sends them to the
// selected chain.
type evmWallet struct {
	mu       sync.Mutex
	chains   map[uint64]*devchain.Chain // that exist
	known    map[uint64]bool            // to the wallet
	chain    uint64                     // it stands on
	key      *ecdsa.PrivateKey          // of the account that is chosen
	nested   bool                       // hides the code of an unknown chain inside of the error
	refusals map[string]int             // how often a method is still refused by its owner
	asked    []string
	batches  bool     // it takes several calls at once (EIP-5792)
	sent     []string // the transactions of the last batch
}

// walletError is an error in the form that wallets use.
type walletError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *walletError) Error() string { return fmt.Sprint(e.Code, " ", e.Message) }

func newAccount(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := crypto.GenerateKey()
	testkit.Must(t, err)
	return key
}

func (w *evmWallet) answer(ctx context.Context, method string, params json.RawMessage) (any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = append(w.asked, method)
	if w.refusals[method] > 0 {
		w.refusals[method]--
		return nil, &walletError{Code: 4001, Message: "User rejected the request."}
	}
	switch method {
	case "eth_requestAccounts":
		return []string{crypto.PubkeyToAddress(w.key.PublicKey).Hex()}, nil
	case "eth_chainId":
		return hexutil.EncodeUint64(w.chain), nil
	case "wallet_switchEthereumChain", "wallet_addEthereumChain":
		return nil, w.change(ctx, method, params)
	case "eth_call":
		return w.pass(ctx, method, params)
	case "eth_sendTransaction":
		return w.send(ctx, params)
	case "personal_sign":
		return w.sign(params)
	case "wallet_sendCalls", "wallet_getCallsStatus":
		if w.batches {
			return w.batch(ctx, method, params)
		}
	}
	return nil, &walletError{Code: 4200, Message: "unsupported"}
}

// requests lists the requested methods, in order.
func (w *evmWallet) requests() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.asked, " ")
}

// choose selects another account.
func (w *evmWallet) choose(key *ecdsa.PrivateKey) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.key = key
}

// change switches the chain, or adds one after asking the node that the page names for its chain id.
func (w *evmWallet) change(ctx context.Context, method string, params json.RawMessage) error {
	var list []struct {
		ChainID hexutil.Uint64 `json:"chainId"`
		RPCURLs []string       `json:"rpcUrls"`
	}
	if err := json.Unmarshal(params, &list); err != nil || len(list) != 1 {
		return &walletError{Code: -32602, Message: "bad parameters"}
	}
	id := uint64(list[0].ChainID)
	if method == "wallet_switchEthereumChain" {
		if !w.known[id] {
			unknown := &walletError{Code: 4902, Message: "Unrecognized chain ID."}
			if w.nested {
				return &walletError{
					Code: -32603, Message: "Internal error", Data: map[string]any{"originalError": unknown},
				}
			}
			return unknown
		}
		w.chain = id
		return nil
	}
	node, err := rpc.DialContext(ctx, list[0].RPCURLs[0])
	if err != nil {
		return &walletError{Code: -32602, Message: err.Error()}
	}
	defer node.Close()
	var says hexutil.Uint64
	if err := node.CallContext(ctx, &says, "eth_chainId"); err != nil || uint64(says) != id {
		return &walletError{Code: -32602, Message: fmt.Sprintf("the node is of chain %d, %v", says, err)}
	}
	w.known[id] = true
	return nil
}

// pass forwards a request to the node of the selected chain.
func (w *evmWallet) pass(ctx context.Context, method string, params json.RawMessage) (any, error) {
	here, ok := w.chains[w.chain]
	if !ok {
		return nil, &walletError{Code: 4901, Message: "disconnected"}
	}
	var args []any
	if err := json.Unmarshal(params, &args); err != nil {
		return nil, err
	}
	var result json.RawMessage
	if err := here.Client().Client().CallContext(ctx, &result, method, args...); err != nil {
		return nil, &walletError{Code: -32000, Message: err.Error()}
	}
	return result, nil
}

func (w *evmWallet) send(ctx context.Context, params json.RawMessage) (any, error) {
	var list []struct {
		From, To common.Address
		Value    *hexutil.Big
		Data     hexutil.Bytes
	}
	if err := json.Unmarshal(params, &list); err != nil || len(list) != 1 || list[0].Value.ToInt().Sign() != 0 {
		return nil, &walletError{Code: -32602, Message: "bad parameters"}
	}
	tx := list[0]
	if tx.From != crypto.PubkeyToAddress(w.key.PublicKey) {
		return nil, &walletError{Code: 4100, Message: "not an account of this wallet"}
	}
	hash, err := w.chains[w.chain].Send(ctx, w.key, devchain.Tx{To: &tx.To, Data: tx.Data})
	if err != nil {
		return nil, &walletError{Code: -32000, Message: err.Error()}
	}
	return hash.Hex(), nil
}

// sign signs a message by EIP-191.
func (w *evmWallet) sign(params json.RawMessage) (any, error) {
	var list []hexutil.Bytes
	if err := json.Unmarshal(params, &list); err != nil || len(list) != 2 {
		return nil, &walletError{Code: -32602, Message: "bad parameters"}
	}
	signature, err := crypto.Sign(accounts.TextHash(list[0]), w.key)
	if err != nil {
		return nil, err
	}
	signature[64] += 27
	return hexutil.Encode(signature), nil
}

// batch sends calls by EIP-5792, version 2.0.0, one transaction each.
func (w *evmWallet) batch(ctx context.Context, method string, params json.RawMessage) (any, error) {
	if method == "wallet_getCallsStatus" {
		receipts := make([]map[string]string, len(w.sent))
		for i, hash := range w.sent {
			receipts[i] = map[string]string{"transactionHash": hash}
		}
		return map[string]any{"version": "2.0.0", "id": "0x1", "status": 200, "receipts": receipts}, nil
	}
	var list []struct {
		Version string
		ChainID hexutil.Uint64 `json:"chainId"`
		From    common.Address
		Calls   []json.RawMessage
	}
	if err := json.Unmarshal(params, &list); err != nil || len(list) != 1 || list[0].Version != "2.0.0" ||
		uint64(list[0].ChainID) != w.chain {
		return nil, &walletError{Code: -32602, Message: "bad parameters"}
	}
	w.sent = nil
	for _, call := range list[0].Calls {
		var tx map[string]any
		if err := json.Unmarshal(call, &tx); err != nil {
			return nil, err
		}
		tx["from"] = list[0].From
		one, err := json.Marshal([]any{tx})
		if err != nil {
			return nil, err
		}
		hash, err := w.send(ctx, one)
		if err != nil {
			return nil, err
		}
		w.sent = append(w.sent, fmt.Sprint(hash))
	}
	return map[string]string{"id": "0x1"}, nil
}
