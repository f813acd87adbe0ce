package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// TestRefund pays money back on the development chains: the payer's wallet signs for its address, or the payer types
// one, and the merchant's wallet sends what is asked for, at once where it can, until Florin finds the transfers.
func TestRefund(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir())
	for name, row := range map[string]struct {
		network chain.Network
		batches bool
		asked   string
	}{
		"Together": {chain.Polygon, true, "wallet_sendCalls wallet_getCallsStatus"},
		"OneByOne": {chain.BEP20, false, "wallet_sendCalls eth_sendTransaction eth_sendTransaction"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			on := r.Chain(row.network)
			payer, merchant := r.wallet(t, on), r.wallet(t, on)
			merchant.batches = row.batches
			p := r.create(t, "49.90")
			_, err := r.App.Payments.Start(t.Context(), string(p.ID), choice(string(row.network), "USDC"))
			if err != nil {
				t.Fatal(err)
			}
			page := openWallet(t, r.link(p), evmScript, payer, browser.Phone)
			browser.Run(page, t, chromedp.Click(`label[for="via-w"]`), chromedp.WaitVisible("#wallets button"))
			pays(page, t)
			proven, typed := r.request(t, p, "12.5"), r.request(t, p, "")
			r.prove(t, proven, payer)
			r.giveAddress(t, typed, newAddress(t))
			dashboard := r.sendAll(t, p, merchant)
			for _, id := range []refund.ID{proven.ID, typed.ID} {
				r.awaitRefund(t, id)
			}
			browser.Run(dashboard, t, chromedp.Navigate(r.BaseURL+"/dashboard/payments/"+string(p.ID)),
				chromedp.WaitVisible(`[data-testid="refund"][data-status="FINAL"] ~ [data-status="FINAL"]`))
			browser.Screenshot(dashboard, t, "final")
			if got := merchant.requests(); !strings.HasSuffix(got, row.asked) {
				t.Errorf("the merchant's wallet was asked for\n%s, want at the end\n%s", got, row.asked)
			}
		})
	}
}

func newAddress(t *testing.T) chain.Address {
	t.Helper()
	return chain.Address(crypto.PubkeyToAddress(newAccount(t).PublicKey).Hex())
}

// wallet is a wallet with 60 USDC on the chain.
func (*running) wallet(t *testing.T, on *devchain.Chain) *evmWallet {
	t.Helper()
	w := &evmWallet{
		chain: on.ChainID(), key: newAccount(t), chains: map[uint64]*devchain.Chain{on.ChainID(): on},
		known: map[uint64]bool{on.ChainID(): true},
	}
	pay(t, on, on.Tokens().USDC, crypto.PubkeyToAddress(w.key.PublicKey), 60)
	return w
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
func (r *running) prove(t *testing.T, made refund.Refund, payer *evmWallet) {
	t.Helper()
	ctx := openWallet(t, r.App.Refunds.Link(made), evmScript, payer, browser.Phone)
	browser.Run(ctx, t, chromedp.WaitVisible(testID("wallet")))
	browser.Screenshot(ctx, t, "refund")
	browser.Axe(ctx, t)
	browser.Run(ctx, t, chromedp.Click(testID("wallet")), chromedp.WaitVisible(testID("proven")))
	read, err := r.App.Store.Refund(t.Context(), made.ID)
	if err != nil || common.HexToAddress(string(read.Address.Address)) != crypto.PubkeyToAddress(payer.key.PublicKey) ||
		!read.Proven {
		t.Errorf("proven: %+v, %v", read, err)
	}
}

// giveAddress types an address on the payer's page: a wrong one first.
func (r *running) giveAddress(t *testing.T, made refund.Refund, to chain.Address) {
	t.Helper()
	ctx := browser.New(t, browser.Phone, browser.AllowError("status of 400"))
	browser.Run(ctx, t, chromedp.Navigate(r.App.Refunds.Link(made)), chromedp.WaitVisible(testID("to")),
		chromedp.SendKeys(testID("to"), string(to[:41])), chromedp.Click(testID("give")),
		chromedp.WaitVisible(testID("problem")))
	browser.Screenshot(ctx, t, "refused")
	browser.Run(ctx, t, chromedp.SetValue(testID("to"), string(to)), chromedp.Click(testID("give")),
		chromedp.WaitVisible(testID("given")))
}

// sendAll lets the merchant's wallet send what waits, from the page of the payment.
func (r *running) sendAll(t *testing.T, p payment.Payment, merchant *evmWallet) context.Context {
	t.Helper()
	ctx := openWallet(t, r.BaseURL+"/signin?next=%2Fdashboard%2Fpayments%2F"+string(p.ID), evmScript, merchant,
		browser.Desktop)
	browser.Run(ctx, t, chromedp.WaitVisible("#f-email"),
		chromedp.SendKeys("#f-email", DemoEmail), chromedp.SendKeys("#f-password", DemoPassword),
		chromedp.Click(testID("submit")), chromedp.WaitVisible(testID("send-all")))
	browser.Screenshot(ctx, t, "send")
	browser.Run(ctx, t, chromedp.Click(testID("send-all")))
	return ctx
}

// awaitRefund waits until Florin has found the refund's transfer.
func (r *running) awaitRefund(t *testing.T, id refund.ID) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for ; ; time.Sleep(300 * time.Millisecond) {
		read, err := r.App.Store.Refund(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if read.Status == refund.Final {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("not found: %+v", read)
		}
	}
}
