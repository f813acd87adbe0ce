package views_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
	"github.com/florinpay/florin/static"
	"github.com/florinpay/florin/views/checkout"
)

// broken is the stream of a payment that breaks off twice while its money is seen and vanishes again.
type broken struct {
	t     testing.TB
	mu    sync.Mutex
	shown []string // the steps that the page said it shows, one for each time it opened the stream
}

// turn notes what the page says it shows, and counts how often it came.
func (s *broken) turn(r *http.Request) (shown string, times int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown = r.Header.Get("Last-Event-ID")
	if shown == "" {
		shown = r.URL.Query().Get("shown")
	}
	s.shown = append(s.shown, shown)
	return shown, len(s.shown)
}

func (s *broken) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	shown, times := s.turn(r)
	if times == 2 {
		http.Error(w, "not now", http.StatusServiceUnavailable) // then the page opens a new stream
		return
	}
	p := sampleNamed(s.t, "waiting")
	if times == 1 {
		p = sampleNamed(s.t, "confirming")
	}
	event, html, next := liveEvent(s.t, p, shown)
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprintf(w, "retry: 10\n\nid: %s\nevent: %s\ndata: %s\n\n", next, event,
		strings.ReplaceAll(html, "\n", "\ndata: "))
	w.(http.Flusher).Flush()
	if times > 1 {
		<-r.Context().Done()
	}
}

// TestReconnectInBrowser: a page that was sent a step, and whose stream breaks off, says which step it shows when it
// opens the stream again, however it does. After a reorg it shows the address again.
func TestReconnectInBrowser(t *testing.T) {
	t.Parallel()
	live := &broken{t: t}
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("/pay", func(w http.ResponseWriter, r *http.Request) {
		if err := checkout.Pay(sampleNamed(t, "waiting")).Render(r.Context(), w); err != nil {
			t.Error(err)
		}
	})
	mux.HandleFunc("/pay/{txnid}/now", unchanged)
	mux.Handle("/pay/{txnid}/live", live)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	ctx := browser.New(t, browser.Phone, browser.ReducedMotion, browser.AllowError(`status of 503`))
	addressAgain := `document.getElementById("announce").textContent === "Waiting for your payment" && ` +
		`!!document.querySelector('` + test("copy-address") + `')`
	browser.Run(ctx, t, chromedp.Navigate(server.URL+"/pay"),
		chromedp.Poll(addressAgain, nil, chromedp.WithPollingTimeout(reloadTime)))
	live.mu.Lock()
	defer live.mu.Unlock()
	waiting, seen := sampleNamed(t, "waiting"), sampleNamed(t, "confirming")
	if want := []string{
		tagOf(waiting), tagOf(seen), tagOf(seen),
	}; strings.Join(live.shown, " ") != strings.Join(want, " ") {
		t.Errorf("the page says it shows %q, want %q", live.shown, want)
	}
}

const (
	paidAtOnce = "eth_requestAccounts eth_chainId eth_call eth_getBalance eth_chainId eth_sendTransaction"
	paidAfter  = "eth_requestAccounts eth_chainId wallet_switchEthereumChain eth_chainId eth_call eth_getBalance eth_chainId eth_sendTransaction"
	saysSent   = "Sent. We show it here as soon as the network does."
	saysNo     = "You declined in your wallet, so nothing was sent. Try again whenever you like."
)

// oddWallets answer in other forms than the standards write.
var oddWallets = []walletCase{
	{name: "UpperCaseHash", setup: `{chain: "0x89", knows: ["0x89"], hash: "0X" + "AB".repeat(32)}`, methods: paidAtOnce, says: saysSent, sent: true},
	{name: "BareHash", setup: `{chain: "0x89", knows: ["0x89"], hash: "ab".repeat(32) + "\n"}`, methods: paidAtOnce, says: saysSent, sent: true},
	{name: "HashInObject", setup: `{chain: "0x89", knows: ["0x89"], hash: {result: {transactionHash: "0x" + "ab".repeat(32)}}}`, methods: paidAtOnce, says: saysSent, sent: true},
	{name: "HashInList", setup: `{chain: "0x89", knows: ["0x89"], hash: ["0x" + "ab".repeat(32)]}`, methods: paidAtOnce, says: saysSent, sent: true},
	{name: "AccountAlone", setup: `{chain: "0x89", knows: ["0x89"], accounts: "0x" + "1".repeat(40)}`, methods: paidAtOnce, says: saysSent, sent: true},
	{name: "AccountChanged", setup: `{chain: "0x1", knows: ["0x89"], late: 300, moved: "0x" + "2".repeat(40)}`, methods: paidAfter, says: saysSent, sent: true, from: "2"},
	{name: "ChainAsNumber", setup: `{chain: 137, knows: ["0x89"]}`, methods: paidAtOnce, says: saysSent, sent: true},
	{name: "ChainWithPrefix", setup: `{chain: "eip155:137", knows: ["0x89"]}`, methods: paidAtOnce, says: saysSent, sent: true},
	{name: "SwitchesSilently", setup: `{chain: "0x1", knows: ["0x89"], silent: true, late: 300}`, methods: paidAfter, says: saysSent, sent: true},
	{
		name: "UnknownByText", setup: `{chain: "0x1", knows: ["0x1"], throws: {wallet_switchEthereumChain: {code: -32603, message: 'Unrecognized chain ID "0x89". Try adding the chain first.'}}}`,
		methods: "eth_requestAccounts eth_chainId wallet_switchEthereumChain", says: "Your wallet does not know Polygon. Add the network there and try again. Nothing was sent.",
	},
	{name: "RefusedByName", setup: `{chain: "0x89", knows: ["0x89"], throws: {eth_sendTransaction: {name: "UserRejectedRequestError"}}}`, methods: paidAtOnce, says: saysNo},
	{name: "RefusedInAWord", setup: `{chain: "0x89", knows: ["0x89"], throws: {eth_sendTransaction: "cancelled"}}`, methods: paidAtOnce, says: saysNo},
	{name: "RefusedOnDevice", setup: `{chain: "0x89", knows: ["0x89"], throws: {eth_sendTransaction: {message: "Ledger device: Condition of use not satisfied (0x6985)"}}}`, methods: paidAtOnce, says: saysNo},
	{name: "RefusedInShort", setup: `{chain: "0x89", knows: ["0x89"], throws: {eth_sendTransaction: {code: -32000, shortMessage: "User refused"}}}`, methods: paidAtOnce, says: saysNo},
}

// TestWalletAskedTwice: where nobody knows whether a wallet has sent the money, it is not asked for it once more
// without a warning.
func TestWalletAskedTwice(t *testing.T) {
	t.Parallel()
	ctx := openWithWallet(t, serveWaiting(t, sampleNamed(t, "waiting")), `{chain: "0x89", knows: ["0x89"], hash: null}`)
	say := `document.querySelector("[data-wallet-say]").textContent`
	sent := `String(window.asked.filter(call => call[0] === "eth_sendTransaction").length)`
	press := func(want, times string) {
		t.Helper()
		browser.Run(ctx, t, chromedp.Click("#wallets button"))
		expect(ctx, t, say, want)
		expect(ctx, t, sent, times)
	}
	const problem = "Your wallet reports a problem. Check in the wallet whether the payment was sent. If it was not, copy the amount and the address instead."
	press(problem, "1")
	press("You may have sent this already. Look in your wallet first; to send it once more, press again.", "1")
	press(problem, "2")
}

// TestCopyOfTheLast: a copy that a browser was slow with does not take the clipboard from the one that was asked for
// after it.
func TestCopyOfTheLast(t *testing.T) {
	t.Parallel()
	ctx := openWithScript(t, serveWaiting(t, sampleNamed(t, "waiting")), `
		window.commands = 0;
		document.execCommand = () => { window.commands++; return true; };
		let times = 0;
		Object.defineProperty(navigator, "clipboard", {value: {writeText: () => times++ ? Promise.resolve() : new Promise(() => {})}});`)
	browser.Run(ctx, t, chromedp.Click(`label[for="via-x"]`), chromedp.Click(test("copy-address")), chromedp.Click(test("copy-amount")))
	expect(ctx, t, `document.getElementById("announce").textContent`, "Copied")
	browser.Run(ctx, t, chromedp.Sleep(1500*time.Millisecond))
	expect(ctx, t, `String(window.commands)`, "0")
	expect(ctx, t, `String(document.querySelectorAll(".byhand").length)`, "0")
}

// TestClockSetBack: a phone whose clock is set back by hours while the page is open counts on as before.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	ctx := openWithScript(t, serveWaiting(t, sampleNamed(t, "waiting-last-minutes")), "")
	left := `document.querySelector("[data-left]").textContent`
	before := evaluate[string](ctx, t, left)
	browser.Run(ctx, t, chromedp.Evaluate(`(() => { const real = Date.now; Date.now = () => real() - 3 * 3600e3; })()`, nil), chromedp.Sleep(3*time.Second))
	if after := evaluate[string](ctx, t, left); after >= before || len(after) != len(before) {
		t.Errorf("%s were left, and then %s", before, after)
	}
}
