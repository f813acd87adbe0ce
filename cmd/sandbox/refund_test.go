package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/ethereum/go-ethereum/crypto"
	solana "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// TestRefund pays money back on the development chains, on each network in each token: the payer's wallet signs for an
// address, or the payer types one, and the merchant's wallet sends three refunds, two of which are equal and go to one
// address. It sends them at once where it can: EVM wallets with EIP-5792 and without, and wallets on Solana that send,
// and that only sign.
func TestRefund(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir())
	for _, n := range chain.Networks() {
		t.Run(string(n), func(t *testing.T) {
			t.Parallel()
			// One after the other: the wallet is asked for all that waits on the network.
			for _, token := range []money.Token{money.USDT, money.USDC} {
				t.Run(string(token), func(t *testing.T) { r.paysBack(t, n, token) })
			}
		})
	}
}

// paysBack is TestRefund of one token.
func (r *running) paysBack(t *testing.T, n chain.Network, token money.Token) {
	t.Helper()
	payer, merchant := r.wallets(t, n, token)
	p := r.create(t, "49.90")
	_, err := r.App.Payments.Start(t.Context(), string(p.ID), choice(string(n), string(token)))
	if err != nil {
		t.Fatal(err)
	}
	page := openWallet(t, r.link(p), payer.script, payer.testWallet, browser.Phone)
	browser.Run(page, t, chromedp.Click(`label[for="via-w"]`), chromedp.WaitVisible("#wallets button"))
	pays(page, t)
	list := []refund.Refund{r.request(t, p, "12.5"), r.request(t, p, "7"), r.request(t, p, "7")}
	r.prove(t, list[0], payer)
	to := newAddress(t, n)
	r.giveAddress(t, list[1], to)
	r.giveAddress(t, list[2], to)
	dashboard := r.sendAll(t, p, merchant)
	hashes := map[chain.TxHash]bool{}
	for _, made := range list {
		hashes[r.awaitRefund(t, made.ID)] = true
	}
	browser.Run(dashboard, t, chromedp.Navigate(r.BaseURL+"/dashboard/payments/"+string(p.ID)),
		chromedp.WaitVisible(`[data-status="FINAL"] ~ [data-status="FINAL"] ~ [data-status="FINAL"]`))
	browser.Screenshot(dashboard, t, "final")
	if w, ok := merchant.testWallet.(*evmWallet); !ok && len(hashes) != 1 {
		t.Errorf("sent by %v, want one transaction", hashes)
	} else if ok && !strings.HasSuffix(w.requests(), merchant.asked) {
		t.Errorf("the wallet was asked for\n%s, want at the end\n%s", w.requests(), merchant.asked)
	}
}

func newAddress(t *testing.T, n chain.Network) chain.Address {
	t.Helper()
	if n == chain.Solana {
		return chain.Address(newSolanaWallet(t, "").key.PublicKey().String())
	}
	return chain.Address(crypto.PubkeyToAddress(newAccount(t).PublicKey).Hex())
}

// refunder is a wallet of a payer or merchant, and what it is asked for at last.
type refunder struct {
	testWallet

	script  string
	address chain.Address
	asked   string
}

// wallets are a payer's and a merchant's wallet with 60 of the token. The wallets of merchants differ by token.
func (r *running) wallets(t *testing.T, n chain.Network, token money.Token) (payer, merchant refunder) {
	t.Helper()
	list := make([]refunder, 2)
	for i := range list {
		if n == chain.Solana {
			list[i] = r.solanaRefunder(t, token)
			continue
		}
		on := r.Chain(n)
		w := &evmWallet{
			chain: on.ChainID(), key: newAccount(t), chains: map[uint64]*devchain.Chain{on.ChainID(): on},
			known: map[uint64]bool{on.ChainID(): true}, batches: token == money.USDC,
		}
		account := crypto.PubkeyToAddress(w.key.PublicKey)
		coin := on.Tokens().USDC
		if token == money.USDT {
			coin = on.Tokens().USDT
		}
		pay(t, on, coin, account, 60)
		list[i] = refunder{w, evmScript, chain.Address(account.Hex()), "wallet_sendCalls wallet_getCallsStatus"}
		if !w.batches {
			list[i].asked = "wallet_sendCalls" + strings.Repeat(" eth_sendTransaction", 3)
		}
	}
	if n == chain.Solana && token == money.USDT {
		list[1].script = signsOnly + solanaScript
	}
	return list[0], list[1]
}

func (r *running) solanaRefunder(t *testing.T, token money.Token) refunder {
	t.Helper()
	ledger := r.Ledger()
	w := newSolanaWallet(t, ledger.URL())
	mint := ledger.Tokens().USDC
	if token == money.USDT {
		mint = ledger.Tokens().USDT
	}
	if _, err := ledger.FundSOL(w.key.PublicKey(), solana.LAMPORTS_PER_SOL); err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.Pay(mint, w.key.PublicKey(), 60_000_000); err != nil {
		t.Fatal(err)
	}
	for paid := ledger.Slot(); ledger.Slot() < paid+slotsToConfirm; time.Sleep(50 * time.Millisecond) {
		if t.Context().Err() != nil {
			t.Fatal("no slots are made")
		}
	}
	return refunder{testWallet: w, script: solanaScript, address: chain.Address(w.key.PublicKey().String())}
}

// request makes a refund; an empty amount is all that is left.
func (r *running) request(t *testing.T, p payment.Payment, amount string) refund.Refund {
	t.Helper()
	made, err := r.App.Refunds.Request(t.Context(), r.Demo.KeyID, string(p.ID), refund.Ask{Amount: amount})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// prove lets the wallet that paid sign for its address on the payer's page.
func (r *running) prove(t *testing.T, made refund.Refund, payer refunder) {
	t.Helper()
	ctx := openWallet(t, r.App.Refunds.Link(made), payer.script, payer.testWallet, browser.Phone)
	browser.Run(ctx, t, chromedp.WaitVisible(testID("wallet")))
	browser.Screenshot(ctx, t, "refund")
	browser.Axe(ctx, t)
	browser.Run(ctx, t, chromedp.Click(testID("wallet")), chromedp.WaitVisible(testID("proven")))
	read, err := r.App.Store.Refund(t.Context(), made.ID)
	if err != nil || read.Address.Address != payer.address || !read.Proven {
		t.Errorf("proven: %+v, %v", read, err)
	}
}

// giveAddress types an address on the payer's page: a wrong one first.
func (r *running) giveAddress(t *testing.T, made refund.Refund, to chain.Address) {
	t.Helper()
	ctx := browser.New(t, browser.Phone, browser.AllowError("status of 400"))
	browser.Run(ctx, t, chromedp.Navigate(r.App.Refunds.Link(made)), chromedp.WaitVisible(testID("to")),
		chromedp.SendKeys(testID("to"), string(to[:20])), chromedp.Click(testID("give")),
		chromedp.WaitVisible(testID("problem")))
	browser.Screenshot(ctx, t, "refused")
	browser.Run(ctx, t, chromedp.SetValue(testID("to"), string(to)), chromedp.Click(testID("give")),
		chromedp.WaitVisible(testID("given")))
}

// sendAll lets the merchant's wallet send what waits, from the page of the payment.
func (r *running) sendAll(t *testing.T, p payment.Payment, merchant refunder) context.Context {
	t.Helper()
	ctx := openWallet(t, r.BaseURL+"/signin?next=%2Fdashboard%2Fpayments%2F"+string(p.ID), merchant.script,
		merchant.testWallet, browser.Desktop)
	browser.Run(ctx, t, chromedp.WaitVisible("#f-email"),
		chromedp.SendKeys("#f-email", DemoEmail), chromedp.SendKeys("#f-password", DemoPassword),
		chromedp.Click(testID("submit")), chromedp.WaitVisible(testID("send-all")))
	browser.Screenshot(ctx, t, "send")
	browser.Run(ctx, t, chromedp.Click(testID("send-all")))
	return ctx
}

// awaitRefund waits until Florin has found the refund's transfer, and returns its transaction.
func (r *running) awaitRefund(t *testing.T, id refund.ID) chain.TxHash {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for ; ; time.Sleep(300 * time.Millisecond) {
		read, err := r.App.Store.Refund(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if read.Status == refund.Final {
			return read.Hash
		}
		if ctx.Err() != nil {
			t.Fatalf("not found: %+v", read)
		}
	}
}
