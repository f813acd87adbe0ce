package web

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// giveTo posts an address to the page of a link.
func (b *bundle) giveTo(token, address string) reply {
	b.t.Helper()
	return b.postForm("/refund/"+token+"?lang=en", url.Values{"address": {address}})
}

func TestRefundPage(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	p := b.paidIn(m, 10*money.USD)
	id, token := b.requestRefund(m, p, `,"amount":2.50`)
	page := "/refund/" + token + "?lang=en"
	b.run(t, []scenario{{
		name: "asked", method: "GET", path: page, status: 200,
		want: []string{
			`data-state="REQUESTED"`, "Nordlicht pays you back 2.50", "on Polygon", `data-testid="to"`,
			"Order <bdi>" + p.Reference,
		},
		not: []string{"data-again"}, // it waits for nobody but the payer
	}})
	if r := b.giveTo(token, " "+strings.ToLower(payerWallet)+" "); r.status != 303 {
		t.Fatalf("%d %s", r.status, r.start())
	}
	b.run(t, []scenario{{
		name: "given", method: "GET", path: page, status: 200,
		want: []string{`data-state="ADDRESS_GIVEN"`, "It will be sent to this address", "Change the address", "0x52"},
	}})
	if r := b.giveTo(token, merchantWallet); r.status != 303 {
		t.Fatalf("another address: %d %s", r.status, r.start())
	}
	r, err := b.store.Refund(t.Context(), refund.ID(id))
	must(t, err)
	if r.Address.Address != merchantWallet || r.Proven {
		t.Errorf("%+v", r)
	}
	_, err = b.refunds().Ask(t.Context(), r, audit.Act{})
	must(t, err)
	if got := b.giveTo(token, payerWallet); got.status != 409 || !strings.Contains(got.body, `data-state="SENT"`) ||
		strings.Contains(got.body, `data-testid="to"`) {
		t.Errorf("changed after the ask: %d %s", got.status, got.start())
	}
	if after, err := b.store.Refund(t.Context(), r.ID); err != nil || after.Address.Address != merchantWallet {
		t.Errorf("%+v, %v", after, err)
	}
}

// TestRefundPage_Refused: the refusal stands beside the field, which keeps what was typed.
func TestRefundPage_Refused(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	p := b.paidIn(m, 10*money.USD)
	id, token := b.requestRefund(m, p, "")
	for name, c := range map[string]struct{ address, want string }{
		"Checksum": {strings.Replace(merchantWallet, "aAeb", "AAeb", 1), "This is not an address on Polygon"},
		"Empty":    {"", "This is not an address on Polygon"},
		"Solana":   {solanaWallet, "This is not an address on Polygon"},
		"Token":    {string(profileOf(chain.Base).Assets[0].Contract), "would be lost"},
		"Burn":     {"0x000000000000000000000000000000000000dEaD", "would be lost"},
		"Zero":     {"0x0000000000000000000000000000000000000000", "This is not an address on Polygon"},
		"Deposit":  {string(p.Routes[0].Address.Address), "that a payment was sent to"},
	} {
		t.Run(name, func(t *testing.T) {
			r := b.giveTo(token, c.address)
			if r.status != 400 || !strings.Contains(r.body, c.want) || !strings.Contains(r.body, `value="`+c.address+`"`) {
				t.Errorf("%d %s", r.status, r.body)
			}
		})
	}
	if r, err := b.store.Refund(t.Context(), refund.ID(id)); err != nil || r.Status != refund.Requested {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestRefundPage_Links: without its signature a link opens nothing, and a stale one takes no address.
func TestRefundPage_Links(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	p := b.paidIn(m, 10*money.USD)
	id, token := b.requestRefund(m, p, "")
	other, _ := b.requestRefund(m, b.paidIn(m, 10*money.USD), "")
	for name, forged := range map[string]string{
		"TxnidAlone": string(p.ID), "IdAlone": id, "AnotherId": other + token[len(other):], "Cut": token[:len(token)-1],
	} {
		b.run(t, []scenario{{
			name: name, method: "GET", path: "/refund/" + forged, status: 404, not: []string{"10.00"},
		}})
		if r := b.giveTo(forged, payerWallet); r.status != 404 {
			t.Errorf("%s: address taken: %d", name, r.status)
		}
	}
	b.clock.advance(refund.LinkFor + time.Second)
	b.run(t, []scenario{{
		name: "stale", method: "GET", path: "/refund/" + token + "?lang=en", status: 200,
		want: []string{"This link has ended"}, not: []string{`data-testid="to"`},
	}})
	if r := b.giveTo(token, payerWallet); r.status != 409 || !strings.Contains(r.body, "This link has ended") {
		t.Errorf("stale: %d %s", r.status, r.start())
	}
}

// TestRefundPage_Mail: the customer is mailed the link, and each address that is given.
func TestRefundPage_Mail(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	p, err := b.payments.Create(t.Context(), payment.CreateInput{
		KeyID: m.key.ID, Amount: "10", Details: payment.Details{CustomerEmail: "ada@mail.example"},
	}, audit.Act{})
	must(t, err)
	_, token := b.requestRefund(m, b.deposit(b.start(p, chain.Polygon), 10*money.USD, true), "")
	for _, a := range []string{payerWallet, merchantWallet} {
		if r := b.giveTo(token, a); r.status != 303 {
			t.Fatalf("%d %s", r.status, r.start())
		}
	}
	for i, m := range b.letters() {
		wantMail(t, m, []string{"Your receipt", "/refund/" + token, payerWallet, merchantWallet}[i])
	}
}

// TestRefundPage_Wallet: the wallet that paid signs for its address. Another wallet, and the signature for another
// refund, are refused.
func TestRefundPage_Wallet(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	b.networks.health[chain.Solana] = b.networks.health[chain.Polygon]
	m := b.newSolanaMerchant()
	public, key, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	payer := chain.AddressOf(chain.Solana, public).Address
	otherPublic, otherKey, err := ed25519.GenerateKey(rand.Reader)
	must(t, err)
	p := b.start(b.newPaymentOf(m, "10"), chain.Solana)
	asset, _ := profileOf(chain.Solana).Asset(money.USDC)
	p = b.observe(p, chain.Transfer{
		Key: chain.Key{Network: chain.Solana, Tx: "tx"}, Asset: asset, From: payer, To: p.Routes[0].Address.Address,
		Units: money.UnitsFromUint64(10_000_000), Block: chain.Head{Number: 9, Hash: "h", Time: b.clock.Now()},
	}, true)
	id, token := b.requestRefund(m, p, `,"amount":2`)
	another, _ := b.requestRefund(m, p, `,"amount":3`)
	message := func(id string) []byte {
		r, err := b.store.Refund(t.Context(), refund.ID(id))
		must(t, err)
		return []byte(r.Message())
	}
	post := func(account chain.Address, signature []byte) reply {
		return b.postForm("/refund/"+token+"/wallet?lang=en", url.Values{
			"account": {string(account)}, "signature": {"0x" + hex.EncodeToString(signature)},
		})
	}
	for name, c := range map[string]struct {
		account   chain.Address
		signature []byte
	}{
		"AnotherWallet":  {chain.AddressOf(chain.Solana, otherPublic).Address, ed25519.Sign(otherKey, message(id))},
		"AnotherSigner":  {payer, ed25519.Sign(otherKey, message(id))},
		"AnotherRefund":  {payer, ed25519.Sign(key, message(another))},
		"Nothing":        {payer, nil},
		"NoSolanaWallet": {merchantWallet, ed25519.Sign(key, message(id))},
	} {
		r := post(c.account, c.signature)
		if r.status != 400 || !strings.Contains(r.body, "This is not the wallet that paid") {
			t.Errorf("%s: %d %s", name, r.status, r.start())
		}
	}
	if r := post(payer, ed25519.Sign(key, message(id))); r.status != 303 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if r, err := b.store.Refund(t.Context(), refund.ID(id)); err != nil || r.Address.Address != payer || !r.Proven {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestRefundPage_Open: a page that stays open says that the money is on its way, and when it has arrived.
func TestRefundPage_Open(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	server := httptest.NewServer(b.server.Handler())
	t.Cleanup(server.CloseClientConnections)
	r := b.addressed(b.refundOf(b.paidIn(b.newMerchant(5), 10*money.USD), "2.50"))
	ctx := browser.New(t, browser.Phone)
	at := server.URL + strings.TrimPrefix(b.refunds().Link(r), testBaseURL) + "?lang=en"
	browser.Run(ctx, t, chromedp.Navigate(at), chromedp.WaitVisible("[data-state=ADDRESS_GIVEN]"))
	r = b.asked(r)
	seen := soon(ctx, t, "2.50 USDC is on its way back.", "can no longer be changed")
	if strings.Contains(seen, "Change the address") {
		t.Errorf("the address can be changed: %s", seen)
	}
	b.arrived(r)
	seen = soon(ctx, t, "The refund has arrived", "When", "Transaction")
	if strings.Contains(seen, "pays you back") {
		t.Errorf("it is still to be paid: %s", seen)
	}
	browser.Screenshot(ctx, t, "arrived")
	browser.Axe(ctx, t)
}
