package views_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/static"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
)

// smallPhone is a phone whose browser has its bars open.
func smallPhone() chromedp.Action { return phone(664) }

// phone is a phone whose window is so many pixels high.
func phone(height int64) chromedp.Action {
	return chromedp.EmulateViewport(390, height,
		chromedp.EmulatePortrait, chromedp.EmulateMobile, chromedp.EmulateTouch)
}

// inSight reports whether an element is wholly in the window and nothing lies over it.
const inSight = `(id => {
	const e = document.querySelector('[data-testid="' + id + '"]'), r = e.getBoundingClientRect();
	if (r.height < 1 || r.top < 0 || r.bottom > innerHeight) return "outside of the window: " + [r.top, r.bottom, innerHeight].map(Math.round);
	const xs = [r.left + 2, (r.left + r.right) / 2, r.right - 2], ys = [r.top + 2, (r.top + r.bottom) / 2, r.bottom - 2];
	for (const x of xs) for (const y of ys) {
		const top = document.elementFromPoint(x, y);
		if (!e.contains(top) && !top.contains(e)) return "covered by " + top.outerHTML.slice(0, 80);
	}
	return "";
})`

// TestSendOnPhone: on a small phone nothing that a payer needs first is below the fold or covered, and the
// amount is there once.
func TestSendOnPhone(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	for _, sample := range []string{"waiting-sandbox", "solana", "stalled", "short", "gift", "gift-stalled"} {
		t.Run(sample, func(t *testing.T) {
			t.Parallel()
			ctx := browser.New(t, browser.ReducedMotion)
			browser.Run(ctx, t, smallPhone())
			for _, l := range views.Languages() {
				browser.Run(ctx, t, chromedp.Navigate(origin+"/sample/"+l.Tag+"/"+sample))
				for _, id := range []string{
					"send-amount", "copy-amount", "address", "copy-address", "show-qr", "warning", "status",
				} {
					if problem := evaluate[string](ctx, t, fmt.Sprintf("%s(%q)", inSight, id)); problem != "" {
						t.Errorf("%s: %s is %s", l.Tag, id, problem)
					}
				}
				if l.Tag == "en" && (sample == "solana" || sample == "waiting-sandbox") {
					fee := fmt.Sprintf("%s(%q)", inSight, "copy-with-fee")
					if problem := evaluate[string](ctx, t, fee); problem != "" {
						t.Errorf("the amount with the fee is %s", problem)
					}
				}
				browser.Screenshot(ctx, t, l.Tag)
			}
		})
	}
}

// TestSendOnDesktop: on a desktop the whole step is in sight, and the live line with it.
func TestSendOnDesktop(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	ctx := browser.New(t, browser.ReducedMotion)
	browser.Run(ctx, t, chromedp.EmulateViewport(1280, 800))
	for _, page := range []string{
		"en/waiting", "de/stalled", "de/waiting-sandbox", "fr/short", "ar/gift", "de/gift", "fr/gift", "ru/gift",
	} {
		browser.Run(ctx, t, chromedp.Navigate(origin+"/sample/"+page))
		for _, id := range []string{"status", "copy-amount", "copy-address", "warning", "qr-plain"} {
			if problem := evaluate[string](ctx, t, fmt.Sprintf("%s(%q)", inSight, id)); problem != "" {
				t.Errorf("%s: %s is %s", page, id, problem)
			}
		}
	}
}

// TestOneLeads: of the buttons in sight one has the colour of the shop, whatever the payer pays from.
func TestOneLeads(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	const leading = `(() => {
		const sample = document.body.appendChild(document.createElement("i"));
		sample.style.background = "var(--accent)";
		const colour = getComputedStyle(sample).backgroundColor;
		return [...document.querySelectorAll("main .btn")].filter(e => e.checkVisibility() &&
			getComputedStyle(e).backgroundColor === colour).map(e => e.dataset.testid || e.className).join(" ");
	})()`
	ctx := browser.New(t, browser.ReducedMotion)
	for _, c := range []struct{ name, via, wallet, want string }{
		{"Exchange", "via-x", "", "copy-address"},
		{"App", "via-w", "", "open-wallet"},
		{"Wallet in the browser", "via-w", `document.querySelector("#wallets").append(document.querySelector("#wallets template").content);
			document.querySelector("#wallets").hidden = false`, "btn main wide"},
	} {
		browser.Run(ctx, t, smallPhone(), chromedp.Navigate(origin+"/sample/en/waiting"),
			chromedp.Click(`label[for="`+c.via+`"]`))
		if c.wallet != "" {
			browser.Run(ctx, t, chromedp.Evaluate(c.wallet, nil))
		}
		if got := evaluate[string](ctx, t, leading); got != c.want {
			t.Errorf("%s: %q leads, want %q", c.name, got, c.want)
		}
	}
}

// TestFeesInOneLine: on a phone each network has its fee and its time in one line.
func TestFeesInOneLine(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	ctx := browser.New(t, browser.ReducedMotion)
	browser.Run(ctx, t, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	for _, l := range views.Languages() {
		browser.Run(ctx, t, chromedp.Navigate(origin+"/sample/"+l.Tag+"/choose"))
		if long := evaluate[string](ctx, t, `[...document.querySelectorAll("span.facts")].filter(e => e.checkVisibility() &&
			e.offsetHeight > 1.5 * parseFloat(getComputedStyle(e).lineHeight)).map(e => e.textContent).join(", ")`); long != "" {
			t.Errorf("%s: %s takes two lines", l.Tag, long)
		}
	}
}

// TestSendOnce: the page shows the amount to send once.
func TestSendOnce(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	ctx := browser.New(t, browser.ReducedMotion)
	for _, sample := range []string{"waiting", "gift"} {
		browser.Run(ctx, t, smallPhone(), chromedp.Navigate(origin+"/sample/en/"+sample))
		text := evaluate[string](ctx, t, `(document.querySelectorAll("main *").forEach((e) => {
			if (getComputedStyle(e).clipPath !== "none") e.remove();
		}), [...document.querySelectorAll("h1, h2")].map((e) => e.innerText).join(" "))`)
		if got := strings.Count(text, "49.90"); got != 1 {
			t.Errorf("%s: the amount is there %d times: %q", sample, got, text)
		}
	}
}

// TestCodeOnDesktop: the code is large enough to be scanned from a distance.
func TestCodeOnDesktop(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	ctx := browser.New(t, browser.ReducedMotion)
	for _, c := range []struct{ tab, code string }{{"via-x", "qr-plain"}, {"via-w", "qr-wallet"}} {
		browser.Run(ctx, t, chromedp.EmulateViewport(1280, 800), chromedp.Navigate(origin+"/sample/en/waiting"),
			chromedp.Click(`label[for="`+c.tab+`"]`), chromedp.WaitVisible(test(c.code)))
		size := evaluate[float64](ctx, t, `document.querySelector('`+test(c.code)+`').getBoundingClientRect().width`)
		if size < 220 {
			t.Errorf("%s is %g px wide, want at least 220", c.code, size)
		}
	}
}

// TestCopyKeepsItsWidth: a copy button answers with a tick in the same place, and nothing moves.
func TestCopyKeepsItsWidth(t *testing.T) {
	t.Parallel()
	origin := serveSamples(t)
	ctx := browser.New(t, browser.ReducedMotion)
	for _, l := range []string{"en", "zh", "ar", "fr"} {
		browser.Run(ctx, t, smallPhone(), chromedp.Navigate(origin+"/sample/"+l+"/waiting"),
			chromedp.Evaluate(`Object.defineProperty(navigator, "clipboard", {value: {writeText: () => Promise.resolve()}})`, nil))
		for _, id := range []string{"copy-amount", "copy-address", "copy-with-fee"} {
			size := `(r => [r.width, r.height].join())(document.querySelector('` + test(id) + `').getBoundingClientRect())`
			before := evaluate[string](ctx, t, size)
			browser.Run(ctx, t, chromedp.Evaluate(`document.querySelector('`+test(id)+`').click()`, nil),
				chromedp.WaitVisible(test(id)+" .did svg"))
			if after := evaluate[string](ctx, t, size); after != before {
				t.Errorf("%s in %s is %s, and was %s", id, l, after, before)
			}
		}
	}
}

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
