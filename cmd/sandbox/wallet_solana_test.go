package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	solana "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/testkit"
)

// solanaScript registers a wallet by the Wallet Standard that passes every request to the test.
const solanaScript = `
(() => {
	const chains = ["solana:localnet"];
	const bytes = list => Uint8Array.from(list);
	const wallet = {
		version: "1.0.0", name: "Test Sol", icon: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>", chains, accounts: [],
		features: {
			"standard:connect": {version: "1.0.0", connect: async () => {
				const address = await window.askTest("solana", "connect", []);
				return {accounts: [{address, publicKey: new Uint8Array(32), chains, features: []}]};
			}},
			"solana:signAndSendTransaction": {version: "1.0.0", supportedTransactionVersions: ["legacy", 0], signAndSendTransaction: async input =>
				[{signature: bytes(await window.askTest("solana", "send", Array.from(input.transaction)))}]},
			"solana:signTransaction": {version: "1.0.0", supportedTransactionVersions: ["legacy", 0], signTransaction: async input =>
				[{signedTransaction: bytes(await window.askTest("solana", "sign", Array.from(input.transaction)))}]},
			"solana:signMessage": {version: "1.0.0", signMessage: async input =>
				[{signedMessage: input.message, signature: bytes(await window.askTest("solana", "signMessage", Array.from(input.message)))}]},
		},
	};
	if (window.signsOnly) delete wallet.features["solana:signAndSendTransaction"];
	const callback = ({register}) => register(wallet);
	window.dispatchEvent(new CustomEvent("wallet-standard:register-wallet", {detail: callback}));
	window.addEventListener("wallet-standard:app-ready", ({detail}) => callback(detail));
})();`

// signsOnly makes it a wallet that sends nothing itself.
const signsOnly = "window.signsOnly = true;"

// solanaWallet signs the transactions it is given and sends them to a node.
type solanaWallet struct {
	node     string // its JSON-RPC address
	key      solana.PrivateKey
	refusals int // how often its owner still says no to a payment
}

func newSolanaWallet(t *testing.T, url string) *solanaWallet {
	t.Helper()
	key, err := solana.NewRandomPrivateKey()
	testkit.Must(t, err)
	return &solanaWallet{node: url, key: key}
}

func (w *solanaWallet) answer(ctx context.Context, method string, params json.RawMessage) (any, error) {
	if method == "connect" {
		return w.key.PublicKey().String(), nil
	}
	if w.refusals > 0 {
		w.refusals--
		return nil, &walletError{Code: 4001, Message: "User rejected the request."}
	}
	var numbers []int
	if err := json.Unmarshal(params, &numbers); err != nil {
		return nil, &walletError{Code: -32602, Message: err.Error()}
	}
	var raw bytes.Buffer
	for _, n := range numbers {
		raw.WriteByte(byte(n))
	}
	if method == "signMessage" {
		signature, err := w.key.Sign(raw.Bytes())
		return numbersOf(signature[:]), err
	}
	tx, err := solana.TransactionFromBytes(raw.Bytes())
	if err != nil {
		return nil, &walletError{Code: -32602, Message: err.Error()}
	}
	if _, err := tx.Sign(func(solana.PublicKey) *solana.PrivateKey { return &w.key }); err != nil {
		return nil, &walletError{Code: -32603, Message: err.Error()}
	}
	if method == "sign" {
		signed, err := tx.MarshalBinary()
		return numbersOf(signed), err
	}
	if err := w.send(ctx, tx); err != nil {
		return nil, &walletError{Code: -32603, Message: err.Error()}
	}
	return numbersOf(tx.Signatures[0][:]), nil
}

// numbersOf are bytes as the page gets them.
func numbersOf(raw []byte) []int {
	list := make([]int, len(raw))
	for i, b := range raw {
		list[i] = int(b)
	}
	return list
}

func (w *solanaWallet) send(ctx context.Context, tx *solana.Transaction) error {
	signed, err := tx.MarshalBinary()
	if err != nil {
		return err
	}
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"sendTransaction","params":[%q,{"encoding":"base64"}]}`, base64.StdEncoding.EncodeToString(signed))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.node, bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var answer struct {
		Error *struct{ Message string }
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return err
	}
	if answer.Error != nil {
		return fmt.Errorf("the node says %s", answer.Error.Message)
	}
	return nil
}
