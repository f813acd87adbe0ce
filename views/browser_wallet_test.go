package views_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/static"
	"github.com/florinpay/florin/views/checkout"
)

// walletScript announces a wallet by EIP-6963 that answers by EIP-1193 and keeps its calls. It
// is on chain window.setup.chain, knows those in setup.knows, and fails as setup.fails says.
const walletScript = `
window.asked = [];
(() => {
	const setup = window.setup;
	const refuse = error => Promise.reject(error);
	const unknown = {plain: {code: 4902, message: "unrecognized"}, nested: {code: -32603, data: {originalError: {code: 4902}}}};
	const provider = {on(name, changed) { if (setup.moved) setTimeout(changed, 0, [setup.moved]); }, request({method, params}) {
		window.asked.push([method, params || []]);
		if (setup.fails && setup.fails[method]) return refuse({code: setup.fails[method], message: "no"});
		if (setup.throws && setup.throws[method]) return refuse(setup.throws[method]);
		if (setup.never === method) return new Promise(() => {});
		switch (method) {
			case "eth_requestAccounts": return Promise.resolve(setup.locked ? [] : setup.accounts || ["0x1111111111111111111111111111111111111111"]);
			case "eth_chainId": return Promise.resolve(setup.chain);
			case "wallet_switchEthereumChain":
				if (!setup.knows.includes(params[0].chainId)) return refuse(unknown[setup.says]);
				if (!setup.stays) setTimeout(() => { setup.chain = params[0].chainId; }, setup.late || 0);
				return setup.silent ? new Promise(() => {}) : Promise.resolve(null);
			case "wallet_addEthereumChain": setup.knows.push(params[0].chainId); return Promise.resolve(null);
			case "eth_call": return setup.holds ? Promise.resolve(setup.holds) : refuse({code: 4200});
			case "eth_getBalance": return setup.coins ? Promise.resolve(setup.coins) : refuse({code: 4200});
			case "eth_sendTransaction": return "hash" in setup ? Promise.resolve(setup.hash) : Promise.resolve("0x" + "ab".repeat(32));
		}
		return refuse({code: 4200});
	}};
	const announce = () => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", {detail: Object.freeze({
		info: {uuid: "350670db-19fa-4704-a166-e52e178b59d2", name: setup.name || "Example Wallet", icon: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>", rdns: "com.example"},
		provider})}));
	window.addEventListener("eip6963:requestProvider", announce);
	announce();
})();`

// serveWaiting serves one waiting payment and nothing else: a page that asked for more would make its browser complain.
func serveWaiting(t testing.TB, p checkout.Props) (address string) {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("GET /pay", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		if err := checkout.Pay(p).Render(r.Context(), w); err != nil {
			t.Error(err)
		}
	})
	mux.HandleFunc("/pay/{txnid}/now", unchanged)
	mux.HandleFunc("POST /txn/{txnid}/find", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"finding":{"verdict":"not_found"}}`))
	})
	mux.HandleFunc("GET /pay/{txnid}/live", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/pay"
}

// openWithWallet opens the wallet tab in a browser whose wallet is set up as given, and waits for its button.
func openWithWallet(t testing.TB, address, setup string) context.Context {
	t.Helper()
	ctx := openWithScript(t, address, "window.setup = "+setup+";"+walletScript)
	browser.Run(ctx, t, chromedp.WaitVisible("#wallets button"))
	return ctx
}

// openWithScript opens the wallet tab in a browser that runs a script of its own before the page's.
func openWithScript(t testing.TB, address, script string, options ...browser.Option) context.Context {
	t.Helper()
	ctx := browser.New(t, append(options, browser.ReducedMotion)...)
	browser.Run(ctx, t, chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(script).Do(ctx)
		return err
	}), chromedp.Navigate(address), chromedp.Click(`label[for="via-w"]`))
	return ctx
}

// asked is the calls of the wallet: the methods in order and the parameters of each.
func asked(ctx context.Context, t testing.TB) (methods []string, params map[string]string) {
	t.Helper()
	params = map[string]string{}
	for _, call := range evaluate[[][]any](ctx, t, "window.asked") {
		b, err := json.Marshal(call[1])
		if err != nil {
			t.Fatal(err)
		}
		// Asked again and again, it counts once.
		if name := call[0].(string); len(methods) == 0 || methods[len(methods)-1] != name {
			methods = append(methods, name)
		}
		params[call[0].(string)] = string(b)
	}
	return methods, params
}

// walletCase is a wallet, with the methods the page calls and the message it shows. from is the account that pays;
// empty: the first one.
type walletCase struct {
	name, setup, rpc string
	methods          string
	says             string
	sent             bool
	from             string
}

// walletCases are wallets by what they know and refuse.
var walletCases = []walletCase{
	{
		name: "OK", setup: `{chain: "0x89", knows: ["0x89"]}`,
		methods: "eth_requestAccounts eth_chainId eth_call eth_getBalance eth_chainId eth_sendTransaction", says: "Sent. We show it here as soon as the network does.", sent: true,
	},
	{
		name: "Switch", setup: `{chain: "0x1", knows: ["0x1", "0x89"]}`,
		methods: "eth_requestAccounts eth_chainId wallet_switchEthereumChain eth_chainId eth_call eth_getBalance eth_chainId eth_sendTransaction", says: "Sent. We show it here as soon as the network does.", sent: true,
	},
	{
		name: "Add", setup: `{chain: "0x1", knows: ["0x1"], says: "plain"}`, rpc: "https://polygon-rpc.example",
		methods: "eth_requestAccounts eth_chainId wallet_switchEthereumChain wallet_addEthereumChain eth_chainId wallet_switchEthereumChain eth_chainId eth_call eth_getBalance eth_chainId eth_sendTransaction",
		says:    "Sent. We show it here as soon as the network does.", sent: true,
	},
	{
		name: "AddNested", setup: `{chain: "0x1", knows: ["0x1"], says: "nested"}`, rpc: "https://polygon-rpc.example",
		methods: "eth_requestAccounts eth_chainId wallet_switchEthereumChain wallet_addEthereumChain eth_chainId wallet_switchEthereumChain eth_chainId eth_call eth_getBalance eth_chainId eth_sendTransaction",
		says:    "Sent. We show it here as soon as the network does.", sent: true,
	},
	{
		name: "Unknown", setup: `{chain: "0x1", knows: ["0x1"], says: "plain"}`,
		methods: "eth_requestAccounts eth_chainId wallet_switchEthereumChain",
		says:    "Your wallet does not know Polygon. Add the network there and try again. Nothing was sent.",
	},
	{
		name: "RefusedAccount", setup: `{chain: "0x89", knows: ["0x89"], fails: {eth_requestAccounts: 4001}}`,
		methods: "eth_requestAccounts", says: "You declined in your wallet, so nothing was sent. Try again whenever you like.",
	},
	{
		name: "RefusedPayment", setup: `{chain: "0x89", knows: ["0x89"], fails: {eth_sendTransaction: 4001}}`,
		methods: "eth_requestAccounts eth_chainId eth_call eth_getBalance eth_chainId eth_sendTransaction", says: "You declined in your wallet, so nothing was sent. Try again whenever you like.",
	},
	{
		name: "RefusedSwitch", setup: `{chain: "0x1", knows: ["0x89"], fails: {wallet_switchEthereumChain: 4001}}`,
		methods: "eth_requestAccounts eth_chainId wallet_switchEthereumChain", says: "You declined in your wallet, so nothing was sent. Try again whenever you like.",
	},
	{
		name: "RefusedAdd", setup: `{chain: "0x1", knows: ["0x1"], says: "nested", fails: {wallet_addEthereumChain: 4001}}`, rpc: "https://polygon-rpc.example",
		methods: "eth_requestAccounts eth_chainId wallet_switchEthereumChain wallet_addEthereumChain", says: "You declined in your wallet, so nothing was sent. Try again whenever you like.",
	},
	{
		name: "AlreadyAsking", setup: `{chain: "0x89", knows: ["0x89"], fails: {eth_requestAccounts: -32002}}`,
		methods: "eth_requestAccounts", says: "Your wallet is already waiting for your answer. Open it, answer there, then try again.",
	},
	{
		name: "AlreadyAskingToSwitch", setup: `{chain: "0x1", knows: ["0x89"], fails: {wallet_switchEthereumChain: -32002}}`,
		methods: "eth_requestAccounts eth_chainId wallet_switchEthereumChain", says: "Your wallet is already waiting for your answer. Open it, answer there, then try again.",
	},
	{
		name: "Locked", setup: `{chain: "0x89", knows: ["0x89"], fails: {eth_requestAccounts: 4100}}`,
		methods: "eth_requestAccounts", says: "Your wallet is locked or shows no account. Unlock it and try again. Nothing was sent.",
	},
	{
		name: "NoAccount", setup: `{chain: "0x89", knows: ["0x89"], locked: true}`,
		methods: "eth_requestAccounts", says: "Your wallet is locked or shows no account. Unlock it and try again. Nothing was sent.",
	},
	{
		name: "StaysOnAnotherChain", setup: `{chain: "0x1", knows: ["0x89"], stays: true}`,
		methods: "eth_requestAccounts eth_chainId wallet_switchEthereumChain eth_chainId",
		says:    "Your wallet stayed on another network. Change it to Polygon there and try again. Nothing was sent.",
	},
	{
		name: "Failed", setup: `{chain: "0x89", knows: ["0x89"], fails: {eth_sendTransaction: -32000}}`,
		methods: "eth_requestAccounts eth_chainId eth_call eth_getBalance eth_chainId eth_sendTransaction",
		says:    "Your wallet reports a problem. Check in the wallet whether the payment was sent. If it was not, copy the amount and the address instead.",
	},
	// What the page doubts, the wallet decides.
	{
		name: "TooLittle", setup: `{chain: "0x89", knows: ["0x89"], holds: "0x2f969df"}`,
		methods: "eth_requestAccounts eth_chainId eth_call eth_getBalance eth_chainId eth_sendTransaction",
		says:    "Sent. We show it here as soon as the network does.", sent: true,
	},
	{
		name: "NoCoins", setup: `{chain: "0x89", knows: ["0x89"], holds: "0x2f969e0", coins: "0x0"}`,
		methods: "eth_requestAccounts eth_chainId eth_call eth_getBalance eth_chainId eth_sendTransaction",
		says:    "Sent. We show it here as soon as the network does.", sent: true,
	},
	{
		name: "DoubtSaid", setup: `{chain: "0x89", knows: ["0x89"], holds: "0x0", coins: "0x0", never: "eth_sendTransaction"}`,
		methods: "eth_requestAccounts eth_chainId eth_call eth_getBalance eth_chainId eth_sendTransaction",
		says:    "This account seems to hold too little USDC; your wallet decides. This account seems to hold no POL for the network fee; your wallet decides. Confirm the payment in your wallet.",
	},
	{
		name: "SwitchesLate", setup: `{chain: "0x1", knows: ["0x89"], late: 900}`,
		methods: "eth_requestAccounts eth_chainId wallet_switchEthereumChain eth_chainId eth_call eth_getBalance eth_chainId eth_sendTransaction",
		says:    "Sent. We show it here as soon as the network does.", sent: true,
	},
	{
		name: "RefusedByText", setup: `{chain: "0x89", knows: ["0x89"], throws: {eth_sendTransaction: {code: -32603, message: "User rejected the request."}}}`,
		methods: "eth_requestAccounts eth_chainId eth_call eth_getBalance eth_chainId eth_sendTransaction",
		says:    "You declined in your wallet, so nothing was sent. Try again whenever you like.",
	},
	{
		name: "RefusedByWord", setup: `{chain: "0x89", knows: ["0x89"], throws: {eth_sendTransaction: {code: "ACTION_REJECTED"}}}`,
		methods: "eth_requestAccounts eth_chainId eth_call eth_getBalance eth_chainId eth_sendTransaction",
		says:    "You declined in your wallet, so nothing was sent. Try again whenever you like.",
	},
	{
		name: "Refused5000", setup: `{chain: "0x89", knows: ["0x89"], throws: {eth_sendTransaction: {code: 5000, message: "User disapproved"}}}`,
		methods: "eth_requestAccounts eth_chainId eth_call eth_getBalance eth_chainId eth_sendTransaction",
		says:    "You declined in your wallet, so nothing was sent. Try again whenever you like.",
	},
	{
		name: "RefusedInside", setup: `{chain: "0x89", knows: ["0x89"], throws: {eth_sendTransaction: {code: -32603, data: {cause: {code: 4001}}}}}`,
		methods: "eth_requestAccounts eth_chainId eth_call eth_getBalance eth_chainId eth_sendTransaction",
		says:    "You declined in your wallet, so nothing was sent. Try again whenever you like.",
	},
	{
		name: "RefusedAsText", setup: `{chain: "0x89", knows: ["0x89"], throws: {eth_sendTransaction: "Request denied by user"}}`,
		methods: "eth_requestAccounts eth_chainId eth_call eth_getBalance eth_chainId eth_sendTransaction",
		says:    "You declined in your wallet, so nothing was sent. Try again whenever you like.",
	},
	{
		name: "NullHash", setup: `{chain: "0x89", knows: ["0x89"], hash: null}`,
		methods: "eth_requestAccounts eth_chainId eth_call eth_getBalance eth_chainId eth_sendTransaction",
		says:    "Your wallet reports a problem. Check in the wallet whether the payment was sent. If it was not, copy the amount and the address instead.",
	},
	{
		name: "EmptyHash", setup: `{chain: "0x89", knows: ["0x89"], hash: ""}`,
		methods: "eth_requestAccounts eth_chainId eth_call eth_getBalance eth_chainId eth_sendTransaction",
		says:    "Your wallet reports a problem. Check in the wallet whether the payment was sent. If it was not, copy the amount and the address instead.",
	},
	{
		name: "FalseHash", setup: `{chain: "0x89", knows: ["0x89"], hash: false}`,
		methods: "eth_requestAccounts eth_chainId eth_call eth_getBalance eth_chainId eth_sendTransaction",
		says:    "Your wallet reports a problem. Check in the wallet whether the payment was sent. If it was not, copy the amount and the address instead.",
	},
	{
		name: "ShortHash", setup: `{chain: "0x89", knows: ["0x89"], hash: "0x12"}`,
		methods: "eth_requestAccounts eth_chainId eth_call eth_getBalance eth_chainId eth_sendTransaction",
		says:    "Your wallet reports a problem. Check in the wallet whether the payment was sent. If it was not, copy the amount and the address instead.",
	},
	{
		name: "NeverAsked", setup: `{chain: "0x89", knows: ["0x89"], fails: {eth_requestAccounts: -32603}}`,
		methods: "eth_requestAccounts",
		says:    "We could not prepare the payment for your wallet, so nothing was sent. Copy the amount and the address instead.",
	},
}

// TestWalletInBrowser pays with a wallet in the browser: on the right chain, after a switch, after adding the
// chain, refused, and where nothing helps.
func TestWalletInBrowser(t *testing.T) {
	t.Parallel()
	const polygon = "0x89"
	for _, c := range slices.Concat(walletCases, oddWallets) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := sampleNamed(t, "waiting")
			p.Pay.Browser.RPCURL = c.rpc
			address := serveWaiting(t, p)
			ctx := openWithWallet(t, address, c.setup)
			browser.Run(ctx, t, chromedp.Click("#wallets button"))
			expect(ctx, t, `document.querySelector("[data-wallet-say]").textContent`, c.says)
			methods, params := asked(ctx, t)
			if got := strings.Join(methods, " "); got != c.methods {
				t.Errorf("the wallet was asked for\n%s, want\n%s", got, c.methods)
			}
			if got := evaluate[bool](ctx, t, `document.querySelector("#wallets button").disabled`); got != c.sent && c.name != "DoubtSaid" {
				t.Errorf("the button is locked: %t, want %t", got, c.sent)
			}
			if !c.sent {
				return
			}
			// transfer(address,uint256) with two words (Solidity's ABI), sent to the token's contract.
			data := "0xa9059cbb" + strings.Repeat("0", 24) + strings.ToLower(sampleAddress[2:]) + fmt.Sprintf("%064x", 49_900_000)
			want := `[{"chainId":"` + polygon + `","data":"` + data + `","from":"0x` + strings.Repeat(cmp.Or(c.from, "1"), 40) + `","to":"` + sampleContract + `","value":"0x0"}]`
			if got := params["eth_sendTransaction"]; got != want {
				t.Errorf("the wallet was asked to send\n%s, want\n%s", got, want)
			}
			if got := params["wallet_switchEthereumChain"]; got != "" && got != `[{"chainId":"`+polygon+`"}]` {
				t.Errorf("the wallet was asked to switch to %s", got)
			}
		})
	}
}

// TestWalletNames: a wallet's name is untrusted text.
func TestWalletNames(t *testing.T) {
	t.Parallel()
	address := serveWaiting(t, sampleNamed(t, "waiting"))
	ctx := openWithWallet(t, address, `{chain: "0x89", knows: [], name: "<img src=x onerror=window.hacked=1>"}`)
	if got := evaluate[string](ctx, t, `document.querySelector("#wallets [data-label]").textContent`); got != "Pay with <img src=x onerror=window.hacked=1>" {
		t.Errorf("the button says %q", got)
	}
	checkPage(ctx, t, "wallet")
}

// chooseAgain is longer than a wallet may hold the buttons.
const chooseAgain = 20 * time.Second

// TestWalletNeverAnswers: a request that a wallet never answers has an end. One that was given up asks for nothing
// more.
func TestWalletNeverAnswers(t *testing.T) {
	t.Parallel()
	ctx := openWithWallet(t, serveWaiting(t, sampleNamed(t, "waiting")), `{chain: "0x89", knows: ["0x89"], never: "eth_requestAccounts"}`)
	browser.Run(ctx, t, chromedp.Click("#wallets button"))
	expect(ctx, t, `String(document.querySelector("#wallets button").disabled)`, "true")
	browser.Run(ctx, t, chromedp.Poll(`!document.querySelector("[data-wallet-cancel]").hidden`, nil, chromedp.WithPollingTimeout(chooseAgain)))
	checkPage(ctx, t, "never")
	expect(ctx, t, `String(document.querySelector("#wallets button").disabled)`, "false")
	browser.Run(ctx, t, chromedp.Click("[data-wallet-cancel]"), chromedp.Evaluate(`setup.never = ""`, nil), chromedp.Click("#wallets button"))
	expect(ctx, t, `document.querySelector("[data-wallet-say]").textContent`, "Sent. We show it here as soon as the network does.")
}

// TestWalletClaim: what a wallet says it sent is kept by the browser, and before it is asked for the same money
// twice, the payer is warned.
func TestWalletClaim(t *testing.T) {
	t.Parallel()
	ctx := openWithWallet(t, serveWaiting(t, sampleNamed(t, "waiting")), `{chain: "0x89", knows: ["0x89"]}`)
	say := `document.querySelector("[data-wallet-say]").textContent`
	browser.Run(ctx, t, chromedp.Click("#wallets button"))
	expect(ctx, t, say, "Sent. We show it here as soon as the network does.")
	browser.Run(ctx, t, chromedp.Reload(), chromedp.Click(`label[for="via-w"]`))
	expect(ctx, t, say, "Sent. We show it here as soon as the network does.")
	old := `(() => { const name = Object.keys(localStorage).find(n => n.startsWith("florin-sent:")), kept = JSON.parse(localStorage[name]); kept.at -= 70000; localStorage[name] = JSON.stringify(kept) })()`
	browser.Run(ctx, t, chromedp.Evaluate(old, nil), chromedp.Poll(`!document.querySelector("#wallets button").disabled`, nil, chromedp.WithPollingTimeout(chooseAgain)))
	expect(ctx, t, say, "The network has not seen your payment yet. Look in your wallet whether it was sent, or try again.")
	browser.Run(ctx, t, chromedp.Click("#wallets button"))
	expect(ctx, t, say, "You may have sent this already. Look in your wallet first; to send it once more, press again.")
	expect(ctx, t, `String(window.asked.length)`, "0")
	browser.Run(ctx, t, chromedp.Click("#wallets button"))
	expect(ctx, t, `String(window.asked.some(call => call[0] === "eth_sendTransaction"))`, "true")
}

// TestWalletsListed: wallets that come late, twice, or in a crowd are each listed once.
func TestWalletsListed(t *testing.T) {
	t.Parallel()
	announce := `const announce = (id, rdns) => window.dispatchEvent(new CustomEvent("eip6963:announceProvider", {detail: {info: {uuid: id, name: "W" + rdns, icon: "", rdns: rdns}, provider: {request: () => Promise.reject({code: 4200})}}}));`
	for _, c := range []struct {
		name, script string
		want         int
	}{
		{"Late", `setTimeout(() => { window.ethereum = {request: () => Promise.reject({code: 4200})} }, 3000);`, 1},
		{"Twice", announce + `window.addEventListener("eip6963:requestProvider", () => { announce("a", "com.example"); announce("b", "com.example") });`, 1},
		{"TwoOfOneMaker", strings.Replace(announce, `"W" + rdns`, `"W" + id`, 1) + `window.addEventListener("eip6963:requestProvider", () => { announce("a", "com.example"); announce("b", "com.example") });`, 2},
		{"Nine", announce + `window.addEventListener("eip6963:requestProvider", () => { for (let i = 0; i < 9; i++) announce("id" + i, "com.example" + i) });`, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ctx := openWithScript(t, serveWaiting(t, sampleNamed(t, "waiting")), c.script)
			browser.Run(ctx, t, chromedp.Poll(`document.querySelectorAll("#wallets button:not([data-wallet-cancel])").length >= `+strconv.Itoa(c.want), nil, chromedp.WithPollingTimeout(chooseAgain)))
			if n := evaluate[int](ctx, t, `document.querySelectorAll("#wallets button:not([data-wallet-cancel])").length`); n != c.want {
				t.Errorf("%d wallets are listed, want %d", n, c.want)
			}
		})
	}
}
