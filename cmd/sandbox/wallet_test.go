package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"
	solana "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// bridgeScript lets a wallet in the page ask the test: the page's policy
// forbids it any other way out.
const bridgeScript = `
(() => {
	const open = new Map();
	let last = 0;
	window.askTest = (wallet, method, params) => new Promise((resolve, reject) => {
		open.set(++last, {resolve, reject});
		window.testWallet(JSON.stringify({id: last, wallet, method, params}));
	});
	window.testAnswers = (id, result, error) => { error ? open.get(id).reject(error) : open.get(id).resolve(result); };
})();`

// testWallet is a wallet outside the page.
type testWallet interface {
	answer(ctx context.Context, method string, params json.RawMessage) (any, error)
}

// openWallet opens a page in a browser with a wallet, and the wallet's tab.
func openWallet(t *testing.T, address, script string, w testWallet, options ...browser.Option) context.Context {
	t.Helper()
	ctx := browser.New(t, options...)
	requests := make(chan string, 16)
	chromedp.ListenTarget(ctx, func(event any) {
		if called, ok := event.(*runtime.EventBindingCalled); ok && called.Name == "testWallet" {
			requests <- called.Payload
		}
	})
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case request := <-requests:
				reply(ctx, t, w, request)
			}
		}
	}()
	browser.Run(ctx, t, runtime.AddBinding("testWallet"), chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(bridgeScript + script).Do(ctx)
		return err
	}), chromedp.Navigate(address))
	return ctx
}

// reply makes the wallet answer one request of the page.
func reply(ctx context.Context, t *testing.T, w testWallet, request string) {
	var asked struct {
		ID             int
		Wallet, Method string
		Params         json.RawMessage
	}
	if err := json.Unmarshal([]byte(request), &asked); err != nil {
		t.Error(err)
		return
	}
	result, err := w.answer(ctx, asked.Method, asked.Params)
	var refused *walletError
	if err != nil && !errors.As(err, &refused) {
		refused = &walletError{Code: -32603, Message: err.Error()}
	}
	body, err := json.Marshal([]any{asked.ID, result, refused})
	if err != nil {
		t.Error(err)
		return
	}
	if err := browser.Try(ctx, chromedp.Evaluate(fmt.Sprintf("testAnswers(...%s)", body), nil)); err != nil &&
		ctx.Err() == nil {
		t.Errorf("answer %s: %v", asked.Method, err)
	}
}

// press presses the wallet's button, in the middle of the window: on a phone the
// live line covers the lower edge.
var press = chromedp.Tasks{
	chromedp.WaitVisible("#wallets button:enabled"),
	chromedp.Evaluate(`document.querySelector("#wallets button").scrollIntoView({block: "center"})`, nil),
	chromedp.Click("#wallets button:enabled"),
}

// presses clicks the wallet's button until the page shows the expected text.
func presses(ctx context.Context, t *testing.T, want string) {
	t.Helper()
	browser.Run(ctx, t, press)
	says := chromedp.Poll(fmt.Sprintf(`document.querySelector("[data-wallet-say]").textContent.includes(%q)`, want), nil, chromedp.WithPollingTimeout(patience))
	if err := browser.Try(ctx, says); err != nil {
		var shown string
		browser.Run(ctx, t, chromedp.Evaluate(`document.getElementById("stage").innerText`, &shown))
		t.Fatalf("the page does not say %q: %v; it says\n%s", want, err, shown)
	}
}

// pays clicks the wallet's button and waits for the end, on the same page.
func pays(ctx context.Context, t *testing.T) {
	t.Helper()
	var kept bool
	browser.Run(ctx, t, chromedp.Evaluate(`window.notReloaded = true`, nil), press)
	var says string
	paid := chromedp.Poll(`!!document.querySelector('[data-testid="paid"]')`, nil, chromedp.WithPollingTimeout(patience))
	if err := browser.Try(ctx, paid); err != nil {
		browser.Run(ctx, t, chromedp.Evaluate(`document.getElementById("stage").innerText`, &says))
		t.Fatalf("not paid: %v; the page says\n%s", err, says)
	}
	browser.Run(ctx, t, chromedp.Evaluate(`window.notReloaded === true`, &kept))
	if !kept {
		t.Error("the page was reloaded on the way")
	}
}

// pay gives an account test money and coins.
func pay(t *testing.T, on *devchain.Chain, token devchain.Token, to common.Address, whole int64) {
	t.Helper()
	units := new(big.Int).Mul(
		big.NewInt(whole), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(token.Decimals)), nil),
	)
	if _, err := on.Mint(t.Context(), token.Address, to, units); err != nil {
		t.Fatal(err)
	}
	tx, err := on.FundNative(t.Context(), to, big.NewInt(1e18))
	testkit.Must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := on.WaitReceipt(ctx, tx); err != nil {
		t.Fatal(err)
	}
}

// TestPay_BrowserWallet pays with wallets in the browser that sign real transactions on the development
// chains, from the click to "Paid" without a reload.
func TestPay_BrowserWallet(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir())
	t.Run("EVM", func(t *testing.T) {
		for name, row := range map[string]struct {
			network chain.Network
			knows   bool
			nested  bool
			asked   string
		}{
			"Switch":    {chain.Polygon, true, false, "wallet_switchEthereumChain eth_chainId"},
			"Add":       {chain.BEP20, false, false, "wallet_switchEthereumChain wallet_addEthereumChain eth_chainId wallet_switchEthereumChain eth_chainId"},
			"AddNested": {chain.Base, false, true, "wallet_switchEthereumChain wallet_addEthereumChain eth_chainId wallet_switchEthereumChain eth_chainId"},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				on := r.Chain(row.network)
				w := &evmWallet{
					chain: 1, key: newAccount(t), nested: row.nested,
					chains: map[uint64]*devchain.Chain{on.ChainID(): on},
					known:  map[uint64]bool{1: true, on.ChainID(): row.knows},
				}
				pay(t, on, on.Tokens().USDC, crypto.PubkeyToAddress(w.key.PublicKey), 50)
				ctx := r.openStarted(t, row.network, evmScript, w, browser.Phone)
				pays(ctx, t)
				want := "eth_requestAccounts eth_chainId " + row.asked + " eth_call eth_getBalance eth_chainId eth_sendTransaction"
				if got := w.requests(); got != want {
					t.Errorf("the wallet was asked for\n%s, want\n%s", got, want)
				}
			})
		}
	})
	t.Run("ChangeOfMind", r.changeOfMind)
	t.Run("Solana", r.payWithSolana)
}

// openStarted starts a payment of 49.90 USDC and opens its page with a wallet.
func (r *running) openStarted(
	t *testing.T, n chain.Network, script string, w testWallet, options ...browser.Option,
) context.Context {
	t.Helper()
	p := r.create(t, "49.90")
	if _, err := r.App.Payments.Start(t.Context(), string(p.ID), choice(string(n), "USDC"), audit.Act{}); err != nil {
		t.Fatal(err)
	}
	ctx := openWallet(t, r.link(p), script, w, options...)
	browser.Run(ctx, t, chromedp.Click(`label[for="via-w"]`), chromedp.WaitVisible("#wallets button"))
	return ctx
}

// slotsToConfirm is how many slots after a payment a wallet is sure to see it.
const slotsToConfirm = 4

// changeOfMind refuses at first, then tries an account without money, then pays.
func (r *running) changeOfMind(t *testing.T) {
	t.Parallel()
	on := r.Chain(chain.Polygon)
	rich := newAccount(t)
	w := &evmWallet{
		chain: on.ChainID(), key: newAccount(t), refusals: map[string]int{"eth_requestAccounts": 1},
		chains: map[uint64]*devchain.Chain{on.ChainID(): on}, known: map[uint64]bool{on.ChainID(): true},
	}
	pay(t, on, on.Tokens().USDC, crypto.PubkeyToAddress(rich.PublicKey), 50)
	ctx := r.openStarted(t, chain.Polygon, evmScript, w)
	presses(ctx, t, "You declined in your wallet, so nothing was sent.")
	presses(ctx, t, "Your wallet reports a problem.") // it was asked all the same, since it may know of other funds
	browser.Screenshot(ctx, t, "too-little")
	w.choose(rich)
	presses(ctx, t, "You may have sent this already.") // it was asked, and its answer does not say
	pays(ctx, t)
}

// payWithSolana is changeOfMind on Solana.
func (r *running) payWithSolana(t *testing.T) {
	t.Parallel()
	ledger := r.Ledger()
	w := newSolanaWallet(t, ledger.URL())
	w.refusals = 1
	ctx := r.openStarted(t, chain.Solana, solanaScript, w, browser.Phone, browser.AllowError(`status of 422`))
	presses(ctx, t, "This account does not hold enough USDC")
	if _, err := ledger.FundSOL(w.key.PublicKey(), solana.LAMPORTS_PER_SOL); err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.Pay(ledger.Tokens().USDC, w.key.PublicKey(), 49_900_000); err != nil {
		t.Fatal(err)
	}
	for paid := ledger.Slot(); ledger.Slot() < paid+slotsToConfirm; time.Sleep(50 * time.Millisecond) {
		if t.Context().Err() != nil {
			t.Fatal("no slots are made")
		}
	}
	presses(ctx, t, "You declined in your wallet, so nothing was sent.")
	pays(ctx, t)
}
