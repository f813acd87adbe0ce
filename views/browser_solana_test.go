package views_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/static"
	"github.com/florinpay/florin/views/checkout"
)

// solanaScript registers a wallet by the Wallet Standard, before the page and again when it asks, and keeps what it
// is given to sign.
const solanaScript = `
window.asked = [];
(() => {
	const setup = window.setup;
	const account = {address: "4Nd1mYQtpzG4NnVyuYWbYsxvPA2aWCmA3nnWVzgRGqZB", publicKey: new Uint8Array(32), chains: setup.chains, features: []};
	const refuse = () => Promise.reject(Object.assign(new Error("no"), {code: setup.code}));
	const wallet = {
		version: "1.0.0", name: "Example Sol", icon: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>", chains: setup.chains, accounts: [],
		features: {
			"standard:connect": {version: "1.0.0", connect: () => setup.fails === "connect" ? refuse() : Promise.resolve({accounts: [account]})},
			[setup.signs ? "solana:signTransaction" : "solana:signAndSendTransaction"]: {version: "1.0.0", supportedTransactionVersions: ["legacy", 0],
			signTransaction: input => Promise.resolve([{signedTransaction: Uint8Array.from([...input.transaction, 9])}]),
			signAndSendTransaction: input => {
				window.asked.push({account: input.account.address, chain: input.chain, bytes: Array.from(input.transaction)});
				return setup.fails === "sign" ? refuse() : Promise.resolve(setup.gives || [{signature: Uint8Array.from({length: 64}, (_, i) => i)}]);
			}},
		},
	};
	const callback = ({register}) => register(wallet);
	window.dispatchEvent(new CustomEvent("wallet-standard:register-wallet", {detail: callback}));
	window.addEventListener("wallet-standard:app-ready", ({detail}) => callback(detail));
})();`

// TestSolanaWalletInBrowser pays with a wallet of the Wallet Standard: the transaction of the server is signed byte
// for byte on the right chain.
func TestSolanaWalletInBrowser(t *testing.T) {
	t.Parallel()
	transaction := []byte{1, 0, 255, 128, 7}
	for _, c := range []struct {
		name, setup string
		status      int
		says        string
		sent        bool
		reason      string
	}{
		{"OK", `{chains: ["solana:mainnet"]}`, http.StatusOK, "Sent. We show it here as soon as the network does.", true, ""},
		{"Alone", `{chains: ["solana:mainnet"], gives: {signature: Array.from({length: 64}, (_, i) => i)}}`, http.StatusOK, saysSent, true, ""},
		{"AsText", `{chains: ["solana:mainnet"], gives: {signature: "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW"}}`, http.StatusOK, saysSent, true, ""},
		{"AsJSON", `{chains: ["solana:mainnet"], gives: [{signature: JSON.parse(JSON.stringify(Uint8Array.from({length: 64}, (_, i) => i)))}]}`, http.StatusOK, saysSent, true, ""},
		{"RefusedAccount", `{chains: ["solana:mainnet"], fails: "connect", code: 4001}`, http.StatusOK, "You declined in your wallet, so nothing was sent. Try again whenever you like.", false, ""},
		{"RefusedPayment", `{chains: ["solana:mainnet"], fails: "sign", code: 4001}`, http.StatusOK, "You declined in your wallet, so nothing was sent. Try again whenever you like.", false, ""},
		{"Failed", `{chains: ["solana:mainnet"], fails: "sign"}`, http.StatusOK, "Your wallet reports a problem. Check in the wallet whether the payment was sent. If it was not, copy the amount and the address instead.", false, ""},
		{"Unprepared", `{chains: ["solana:mainnet"]}`, http.StatusServiceUnavailable, "We could not prepare the payment for your wallet, so nothing was sent. Copy the amount and the address instead.", false, ""},
		{"TooLittle", `{chains: ["solana:mainnet"]}`, http.StatusUnprocessableEntity, "This account does not hold enough USDT, so nothing was sent. Choose another account in your wallet, or pay another way.", false, ""},
		{"NoGas", `{chains: ["solana:mainnet"]}`, http.StatusUnprocessableEntity, "This account has too little SOL for the network fee, so nothing was sent. Add some SOL or choose another account, then try again.", false, "gas"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			address, accounts := serveSolana(t, transaction, c.status, c.reason)
			ctx := openWithScript(t, address, "window.setup = "+c.setup+";"+solanaScript, browser.AllowError(`status of (503|422)`))
			browser.Run(ctx, t, chromedp.WaitVisible("#wallets button"), chromedp.Click("#wallets button"))
			expect(ctx, t, `document.querySelector("[data-wallet-say]").textContent`, c.says)
			if !c.sent {
				return
			}
			select {
			case got := <-accounts:
				if got != "4Nd1mYQtpzG4NnVyuYWbYsxvPA2aWCmA3nnWVzgRGqZB" {
					t.Errorf("a transaction was asked for the account %q", got)
				}
			default: // the page says "Sent" only after it has been given one
				t.Error("no transaction was asked for")
			}
			signed := evaluate[[]struct {
				Account, Chain string
				Bytes          []int
			}](ctx, t, "window.asked")
			if len(signed) != 1 || signed[0].Chain != "solana:mainnet" || len(signed[0].Bytes) != len(transaction) ||
				signed[0].Bytes[2] != 255 {
				t.Errorf("the wallet was asked to sign %+v", signed)
			}
		})
	}
}

// TestSolanaWalletSigns: a wallet that only signs is listed, and the server sends what it signed.
func TestSolanaWalletSigns(t *testing.T) {
	t.Parallel()
	address, sent := serveSolana(t, []byte{1, 0, 255}, http.StatusOK, "")
	ctx := openWithScript(t, address, `window.setup = {chains: ["solana:mainnet"], signs: true};`+solanaScript)
	browser.Run(ctx, t, chromedp.WaitVisible("#wallets button"), chromedp.Click("#wallets button"))
	expect(ctx, t, `document.querySelector("[data-wallet-say]").textContent`, saysSent)
	<-sent
	if got, want := <-sent, base64.StdEncoding.EncodeToString([]byte{1, 0, 255, 9}); got != want {
		t.Errorf("the server is given %q, want %q", got, want)
	}
}

// TestSolanaWalletChain: a wallet on another chain is not offered, nor is one of an EVM network.
func TestSolanaWalletChain(t *testing.T) {
	t.Parallel()
	address, _ := serveSolana(t, nil, http.StatusOK, "")
	ctx := openWithScript(t, address, `window.setup = {chains: ["solana:devnet"], chain: "0x89", knows: []};`+solanaScript+walletScript)
	browser.Run(ctx, t, chromedp.WaitVisible(test("qr-wallet")))
	if !evaluate[bool](ctx, t, `document.getElementById("wallets").hidden`) {
		t.Error("a wallet is offered that cannot pay on this chain")
	}
}

// serveSolana serves a payment on Solana and its transaction, and returns what the page sends.
func serveSolana(t testing.TB, transaction []byte, status int, reason string) (address string, accounts <-chan string) {
	t.Helper()
	p := sampleNamed(t, "solana")
	p.Pay.Solana = &checkout.SolanaWallet{Chain: "solana:mainnet"}
	asked := make(chan string, 4)
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("GET /pay", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		if err := checkout.Pay(p).Render(r.Context(), w); err != nil {
			t.Error(err)
		}
	})
	mux.HandleFunc("/pay/{txnid}/now", unchanged)
	mux.HandleFunc("GET /pay/{txnid}/live", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("POST /pay/{txnid}/transaction", func(w http.ResponseWriter, r *http.Request) {
		asked <- r.PostFormValue("account") + r.PostFormValue("signed")
		w.WriteHeader(status)
		if _, err := w.Write([]byte(`{"reason":"` + reason + `","signature":"5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW","transaction":"` + base64.StdEncoding.EncodeToString(transaction) + `"}`)); err != nil {
			t.Error(err)
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/pay", asked
}
