package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// running is a sandbox that serves until the test ends.
type running struct {
	*Sandbox
	end  context.CancelFunc
	done chan error
}

func start(t *testing.T, dir string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s, err := Start(ctx, Config{
		Dir: dir, Listen: "127.0.0.1:0", BlockTime: time.Second, Version: "test",
		Log: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	})
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	r := &running{Sandbox: s, end: cancel, done: make(chan error, 1)}
	go func() { r.done <- s.Run(ctx) }()
	t.Cleanup(func() { r.stop(t) })
	r.awaitNetworks(t)
	return r
}

// stopLimit is the time limit of Ctrl-C while other tests use the processors; otherwise it takes under a
// second.
const stopLimit = 30 * time.Second

func (r *running) stop(t *testing.T) {
	t.Helper()
	if r.end == nil {
		return
	}
	began := time.Now()
	r.end()
	r.end = nil
	if err := <-r.done; err != nil {
		t.Errorf("the sandbox ended with %v", err)
	}
	if took := time.Since(began); took > stopLimit {
		t.Errorf("stopping took %s, more than %s", took, stopLimit)
	}
}

// patience bounds every wait of these tests.
const patience = 2 * time.Minute

func (r *running) awaitNetworks(t *testing.T) {
	t.Helper()
	testkit.Until(t, patience, "the sandbox's networks are well", func() bool {
		healthy := true
		for _, n := range []string{"BEP20", "POLYGON", "BASE", "SOL"} {
			healthy = healthy && r.App.Payments.Health(chainNetwork(n)).OK
		}
		return healthy
	})
}

// becomes waits until the payment is so, and returns it.
func (r *running) becomes(t *testing.T, id payment.ID, what string, so func(payment.Payment) bool) (p payment.Payment) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("payment %s is %s with %+v", id, p.Status, p.Deposits)
		}
	}()
	testkit.Until(t, 2*patience, "the payment is "+what, func() bool {
		var err error
		p, err = r.App.Payments.Get(t.Context(), string(id))
		testkit.Must(t, err)
		return so(p)
	})
	return p
}

// create makes a payment with the demo merchant's key.
func (r *running) create(t *testing.T, amount string) payment.Payment {
	t.Helper()
	p, err := r.App.Payments.Create(t.Context(), payment.CreateInput{
		KeyID: r.Demo.KeyID, Amount: amount,
		Details: payment.Details{Description: "Two bags of coffee", Reference: "order-" + rand.Text()},
	}, audit.Act{})
	testkit.Must(t, err)
	return p
}

func (r *running) link(p payment.Payment) string { return r.BaseURL + "/pay?txnid=" + string(p.ID) }

// payWith presses a button of the sandbox page, as a form does.
func (r *running) payWith(t *testing.T, p payment.Payment, how string) {
	t.Helper()
	res, err := http.PostForm(r.BaseURL+"/sandbox/pay/"+string(p.ID), url.Values{"how": {how}})
	testkit.Must(t, err)
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("pay %s: %s", how, res.Status)
	}
}

func testID(id string) string { return `[data-testid="` + id + `"]` }

// choose chooses a token and a network, for money on an exchange.
func choose(network, token string) chromedp.Action {
	return chromedp.Tasks{
		chromedp.Click(`label[for="coin-`+token+`"]`, chromedp.ByQuery),
		chromedp.Click(testID("pay-"+network+"-"+token), chromedp.ByQuery),
	}
}

// noteSeen makes the page note that it has shown the payment as seen: it may be paid before a busy machine looks.
var noteSeen = chromedp.Evaluate(`new MutationObserver(() => {
	if (document.querySelector('[data-testid="seen"]')?.getClientRects().length > 0) window.wasSeen = true;
}).observe(document.documentElement, {childList: true, subtree: true, attributes: true})`, nil)

// TestPay pays in a browser on every network and token, and checks the page in each state without reloading
// it.
func TestPay(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir())
	for _, name := range []string{"BEP20", "POLYGON", "BASE", "SOL"} {
		for _, token := range []string{"USDT", "USDC"} {
			t.Run(name+token, func(t *testing.T) {
				t.Parallel()
				p := r.create(t, "49.90")
				size := browser.Phone
				if token == "USDC" {
					size = browser.Desktop
				}
				ctx := browser.New(t, size)
				browser.Run(ctx, t, chromedp.Navigate(r.link(p)), chromedp.WaitVisible(testID("choose")))
				browser.Screenshot(ctx, t, "choose")
				browser.Run(ctx, t, choose(name, token), chromedp.WaitVisible(testID("waiting")))
				browser.Screenshot(ctx, t, "waiting")
				browser.Axe(ctx, t)
				browser.Run(ctx, t, chromedp.Evaluate(`window.notReloaded = true`, nil), noteSeen)
				r.payWith(t, p, "exactly")
				browser.Run(ctx, t, chromedp.Poll(`window.wasSeen`, nil, chromedp.WithPollingTimeout(patience)))
				browser.Screenshot(ctx, t, "seen")
				var kept bool
				browser.Run(ctx, t, chromedp.WaitVisible(testID("paid")), chromedp.Evaluate(`window.notReloaded === true`, &kept))
				browser.Screenshot(ctx, t, "paid")
				browser.Axe(ctx, t)
				browser.FirstParty(ctx, t, r.BaseURL)
				if !kept {
					t.Error("the page was reloaded on the way")
				}
				r.showsWebhook(t, p)
			})
		}
	}
}

// showsWebhook waits until the sandbox's inbox shows the payment's webhook
// with a valid signature.
func (r *running) showsWebhook(t *testing.T, p payment.Payment) {
	t.Helper()
	ctx := browser.New(t)
	delivery := `[data-testid="delivery"][data-txnid="` + string(p.ID) + `"]`
	testkit.Until(t, patience, "the inbox says that the signature is valid", func() bool {
		var verdict string
		browser.Run(ctx, t, chromedp.Navigate(r.BaseURL+"/sandbox"),
			chromedp.Evaluate(`document.querySelector('`+delivery+` [data-testid="verdict"]')?.textContent ?? ""`, &verdict))
		return verdict == "Signature valid"
	})
}

// TestPay_Otherwise makes the mistakes of customers, and checks what the page says.
func TestPay_Otherwise(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir())
	for how, want := range map[string]string{
		"short": "short", "over": "paid", "late": "late", "wrong-token": "paid", "other-chain": "paid",
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			p := r.create(t, "49.90")
			ctx := browser.New(t, browser.Phone, browser.Dark)
			browser.Run(
				ctx, t, chromedp.Navigate(r.link(p)),
				choose("POLYGON", "USDC"), chromedp.WaitVisible(testID("waiting")),
			)
			r.payWith(t, p, how)
			browser.Run(ctx, t, chromedp.WaitVisible(testID(want)))
			browser.Screenshot(ctx, t, how)
			browser.Axe(ctx, t)
		})
	}
}

// TestPay_NoScript pays in a browser without JavaScript, with forms and automatic refreshes.
func TestPay_NoScript(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir())
	p := r.create(t, "49.90")
	ctx := browser.New(t, browser.Phone, browser.NoScript)
	browser.Run(ctx, t, chromedp.Navigate(r.link(p)), choose("BASE", "USDC"), chromedp.WaitVisible(testID("waiting")))
	r.payWith(t, p, "exactly")
	browser.Run(ctx, t, chromedp.WaitVisible(testID("paid")))
	browser.Screenshot(ctx, t, "paid")
}

// slowLine is the network profile "slow 3G" of browsers: 400 kbit/s, latency 400 ms.
func slowLine() chromedp.Action {
	const latencyMillis, bytesPerSecond = 400, 50_000
	return network.EmulateNetworkConditions(false, latencyMillis, bytesPerSecond, bytesPerSecond)
}

// shownFirst opens a page whose scripts do not arrive until something is painted, and fails if nothing is.
func shownFirst(ctx context.Context, t *testing.T, address string) {
	t.Helper()
	var held atomic.Int64
	painted := make(chan struct{})
	chromedp.ListenTarget(ctx, func(event any) {
		if paused, ok := event.(*fetch.EventRequestPaused); ok {
			held.Add(1)
			go func() {
				<-painted
				if err := chromedp.Run(ctx, fetch.ContinueRequest(paused.RequestID)); err != nil && ctx.Err() == nil {
					t.Errorf("a script that was held back: %v", err)
				}
			}()
		}
	})
	defer close(painted)
	scripts := []*fetch.RequestPattern{{ResourceType: network.ResourceTypeScript}}
	browser.Run(ctx, t, fetch.Enable().WithPatterns(scripts),
		chromedp.ActionFunc(func(ctx context.Context) error { // chromedp.Navigate would wait for the scripts
			_, _, _, _, err := page.Navigate(address).Do(ctx)
			return err
		}))
	testkit.Until(t, patience, "something is shown while the scripts are held back", func() (shown bool) {
		err := chromedp.Run(ctx, chromedp.Evaluate(
			`performance.getEntriesByName("first-contentful-paint").length > 0`, &shown))
		return err == nil && shown && held.Load() > 0
	})
}

// TestPay_Keyboard makes a whole payment without a pointer, on a slow line: Tab,
// the arrow keys and Enter, from the choice to the shop.
func TestPay_Keyboard(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir())
	p := r.create(t, "49.90")
	ctx := browser.New(t, browser.ReducedMotion)
	browser.Run(ctx, t, network.Enable(), slowLine())
	shownFirst(ctx, t, r.link(p))
	browser.Run(ctx, t, chromedp.WaitVisible(testID("choose")))
	tabTo(ctx, t, "coin-USDT")
	browser.Run(ctx, t, chromedp.KeyEvent(kb.ArrowRight))
	tabTo(ctx, t, "pay-SOL-USDC")
	browser.Run(ctx, t, chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(testID("waiting")))
	tabTo(ctx, t, "tab-exchange")
	browser.Run(ctx, t, chromedp.KeyEvent(kb.ArrowRight), chromedp.WaitVisible(testID("qr-wallet")))
	tabTo(ctx, t, "copy-address")
	browser.Run(ctx, t, chromedp.KeyEvent(kb.Enter), chromedp.Poll(`document.activeElement.classList.contains("copied")`, nil, chromedp.WithPollingTimeout(patience)))
	r.payWith(t, p, "exactly")
	browser.Run(ctx, t, chromedp.WaitVisible(testID("paid")))
	// The button that had the focus is gone; the heading of the new step has it.
	var on string
	browser.Run(ctx, t, chromedp.Evaluate(`document.activeElement.textContent`, &on))
	if on != "Paid" {
		t.Errorf("the focus is on %q", on)
	}
	tabTo(ctx, t, "receipt-link")
	browser.Run(ctx, t, chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(testID("receipt")))
	tabTo(ctx, t, "verify")
}

// tabTo presses Tab until the element has the focus, once the page is loaded: before, no script answers a key.
func tabTo(ctx context.Context, t *testing.T, id string) {
	t.Helper()
	const most = 30
	var on string
	browser.Run(ctx, t, chromedp.Poll(`document.readyState === "complete"`, nil, chromedp.WithPollingTimeout(patience)))
	for range most {
		browser.Run(ctx, t, chromedp.KeyEvent(kb.Tab), chromedp.Evaluate(`document.activeElement.dataset.testid ?? ""`, &on))
		if on == id {
			return
		}
	}
	t.Fatalf("Tab does not reach %s", id)
}

// TestStart_Again: a second start continues with the same data.
func TestStart_Again(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := start(t, dir)
	p := first.create(t, "12.50")
	key := first.Demo.Key
	first.stop(t)

	second := start(t, dir)
	if second.Demo.Key != key {
		t.Errorf("the key that was printed changed")
	}
	again, err := second.App.Payments.Get(t.Context(), string(p.ID))
	if err != nil || again.Number != p.Number {
		t.Errorf("the payment of the first run: %+v, %v", again, err)
	}
	started, err := second.App.Payments.Start(t.Context(), string(p.ID), choice("POLYGON", "USDC"), audit.Act{})
	testkit.Must(t, err)
	second.payWith(t, started, "exactly")
	second.becomes(t, p.ID, "completed", func(p payment.Payment) bool { return p.Status == payment.Completed })
}
