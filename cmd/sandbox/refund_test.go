package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/ethereum/go-ethereum/crypto"
	solana "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// TestRefund pays money back on the development chains, on each network in each token: the payer's wallet signs for an
// address, or the payer types one, and the merchant's wallet sends three refunds, two of which are equal and go to one
// address. It sends them at once where it can: EVM wallets with EIP-5792 and without, and wallets on Solana that send,
// and that only sign. What was sent becomes final meanwhile.
func TestRefund(t *testing.T) {
	t.Parallel()
	r := start(t, t.TempDir())
	var lock sync.Mutex
	sent := map[string]paidBack{}
	t.Run("Sent", func(t *testing.T) {
		for _, n := range chain.Networks() {
			t.Run(string(n), func(t *testing.T) {
				t.Parallel()
				// One after the other: the wallet is asked for all that waits on the network.
				for _, token := range []money.Token{money.USDT, money.USDC} {
					t.Run(string(token), func(t *testing.T) {
						row := r.paysBack(t, n, token)
						lock.Lock()
						defer lock.Unlock()
						sent[string(n)+"/"+string(token)] = row
					})
				}
			})
		}
	})
	for name, row := range sent {
		t.Run("Final/"+name, func(t *testing.T) { r.wantFinal(t, row) })
	}
}

// paidBack is a payment whose refunds the merchant's wallet has sent.
type paidBack struct {
	payment payment.Payment
	refunds []refund.Refund
}

// paysBack pays in one token and sends refunds of it.
func (r *running) paysBack(t *testing.T, n chain.Network, token money.Token) paidBack {
	t.Helper()
	payer, merchant := r.wallets(t, n, token)
	p := r.create(t, "49.90")
	_, err := r.App.Payments.Start(t.Context(), string(p.ID), choice(string(n), string(token)), audit.Act{})
	testkit.Must(t, err)
	page := openWallet(t, r.link(p), payer.script, payer.testWallet, browser.Phone)
	browser.Run(page, t, chromedp.Click(`label[for="via-w"]`), chromedp.WaitVisible("#wallets button"))
	pays(page, t)
	list := []refund.Refund{r.request(t, p, "12.5"), r.request(t, p, "7"), r.request(t, p, "7")}
	r.prove(t, list[0], payer)
	to := newAddress(t, n)
	r.giveAddress(t, list[1], to)
	r.giveAddress(t, list[2], to)
	r.signsIn(t, p, merchant, "send-all", chromedp.Click(testID("send-all")))
	hashes := map[chain.TxHash]bool{}
	for i, made := range list {
		list[i] = r.awaitRefund(t, made.ID, refund.Sent)
		hashes[list[i].Hash] = true
	}
	if w, ok := merchant.testWallet.(*evmWallet); !ok && len(hashes) != 1 {
		t.Errorf("sent by %v, want one transaction", hashes)
	} else if ok && !strings.HasSuffix(w.requests(), merchant.asked) {
		t.Errorf("the wallet was asked for\n%s, want at the end\n%s", w.requests(), merchant.asked)
	}
	return paidBack{p, list}
}

// wantFinal waits until each refund is paid by a transfer of the transaction that sent it, and the merchant sees it.
func (r *running) wantFinal(t *testing.T, row paidBack) {
	t.Helper()
	hashes, transfers := map[chain.TxHash]int{}, map[string]bool{}
	for _, sent := range row.refunds {
		hashes[sent.Hash]++
		final := r.awaitRefund(t, sent.ID, refund.Final)
		hashes[final.Hash]--
		transfers[fmt.Sprint(final.Hash, final.Ordinal)] = true
	}
	for hash, missing := range hashes { // equal ones may have changed places
		if missing != 0 || len(transfers) != len(row.refunds) {
			t.Errorf("%d refunds sent by %s are not paid by it; paid by %v", missing, hash, transfers)
		}
	}
	ctx := r.signsIn(t, row.payment, refunder{testWallet: &solanaWallet{}}, "refund",
		chromedp.WaitVisible(`[data-status="FINAL"] ~ [data-status="FINAL"] ~ [data-status="FINAL"]`))
	browser.Screenshot(ctx, t, "final")
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
	made, err := r.App.Refunds.Request(t.Context(), r.Demo.KeyID, string(p.ID), refund.Ask{Amount: amount}, audit.Act{})
	testkit.Must(t, err)
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

// signsIn opens the page of the payment for the merchant, and acts there once the element is seen.
func (r *running) signsIn(
	t *testing.T, p payment.Payment, merchant refunder, seen string, act chromedp.Action,
) context.Context {
	t.Helper()
	ctx := openWallet(t, r.BaseURL+"/signin?next=%2Fdashboard%2Fpayments%2F"+string(p.ID), merchant.script,
		merchant.testWallet, browser.Desktop)
	browser.Run(ctx, t, chromedp.WaitVisible("#f-email"),
		chromedp.SendKeys("#f-email", DemoEmail), chromedp.SendKeys("#f-password", DemoPassword),
		chromedp.Click(testID("submit")), chromedp.WaitVisible(testID(seen)))
	browser.Screenshot(ctx, t, seen)
	browser.Run(ctx, t, act)
	return ctx
}

// awaitRefund waits until the refund has come to the status, or is final.
func (r *running) awaitRefund(t *testing.T, id refund.ID, status refund.Status) refund.Refund {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for ; ; time.Sleep(300 * time.Millisecond) {
		read, err := r.App.Store.Refund(ctx, id)
		testkit.Must(t, err)
		if read.Status == status || read.Status == refund.Final {
			return read
		}
		if ctx.Err() != nil {
			t.Fatalf("not %s: %+v", status, read)
		}
	}
}
