package web

import (
	"crypto/ecdsa"
	"net/url"
	"strings"
	"testing"

	"github.com/ethereum/go-ethereum/accounts"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/crypto"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
)

// offering is a shop that offers refunds, and a payer.
type offering struct {
	*bundle

	m   seller
	key *ecdsa.PrivateKey
}

func newOffering(t *testing.T) offering {
	t.Helper()
	b := newBundle(t)
	o := offering{b, b.newMerchant(9), newKeyOf(t)}
	yes := true
	in := merchant.CustodianInput{OfferRefunds: &yes}
	_, _, err := b.accounts.ArrangeCustodian(t.Context(), o.m.key, in, audit.Act{})
	must(t, err)
	return o
}

func newKeyOf(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := crypto.GenerateKey()
	must(t, err)
	return key
}

func walletOfKey(key *ecdsa.PrivateKey) chain.Address {
	return chain.Address(crypto.PubkeyToAddress(key.PublicKey).Hex())
}

// pays sends money to the payment's address from the wallet.
func (o offering) pays(
	p payment.Payment, from *ecdsa.PrivateKey, asset chain.Asset, amount money.Micros,
) payment.Payment {
	o.t.Helper()
	at := 300 + o.seen.Add(1)
	return o.observe(p, chain.Transfer{
		Key: chain.Key{Network: asset.Network, Tx: testHash(at)}, Asset: asset, From: walletOfKey(from),
		To: p.Routes[0].Address.Address, Units: amount.Units(asset.Decimals),
		Block: chain.Head{Number: at, Hash: string(testHash(at)), Time: o.clock.Now()},
	}, true)
}

// claim posts a signature of the message on the page of what is offered.
func (o offering) claim(link, asset, message string, key *ecdsa.PrivateKey) reply {
	o.t.Helper()
	signature, err := crypto.Sign(accounts.TextHash([]byte(message)), key)
	must(o.t, err)
	signature[64] += 27
	return o.postForm("/refund/of/"+link+"?lang=en", url.Values{
		"asset": {asset}, "account": {string(walletOfKey(key))}, "signature": {hexutil.Encode(signature)},
	})
}

func usdcOn(n chain.Network) chain.Asset {
	asset, _ := profileOf(n).Asset(money.USDC)
	asset.Network = n
	return asset
}

// TestRefundOffer: the page of an overpaid payment offers exactly the rest, to the wallet that paid alone.
func TestRefundOffer(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	p := o.start(o.newPaymentOf(o.m, "10"), chain.Polygon)
	p = o.pays(p, o.key, usdcOn(chain.Polygon), 10_370_000)
	id, offer := string(p.ID), `href="/refund/of/`+string(p.ID)
	message := "Send 0.37 USDC on Polygon back to the wallet that signs this.\n\nPayment " + id
	offered := []string{offer, "Get 0.37"}
	o.run(t, []scenario{
		{name: "page", method: "GET", path: "/pay?txnid=" + id + "&lang=en", status: 200, want: offered},
		{name: "receipt", method: "GET", path: "/pay/" + id + "/receipt?lang=en", status: 200, want: offered},
		{
			name: "offer", method: "GET", path: "/refund/of/" + id + "?lang=en", status: 200,
			want: []string{"0.37", "data-refund"},
		},
		{name: "forged link", method: "GET", path: "/refund/of/" + id + "AAAA", status: 404},
	})
	for name, r := range map[string]reply{
		"another wallet":  o.claim(id, "POLYGON:USDC", message, newKeyOf(t)),
		"another message": o.claim(id, "POLYGON:USDC", strings.Replace(message, "0.37", "9.37", 1), o.key),
		"nothing signed":  o.postForm("/refund/of/"+id, url.Values{"asset": {"POLYGON:USDC"}}),
	} {
		if r.status != 400 {
			t.Errorf("%s: %d %s", name, r.status, r.start())
		}
	}
	o.hasRefunds(p)
	if r := o.claim(id, "POLYGON:USDC", message, o.key); r.status != 303 {
		t.Fatalf("claimed: %d %s", r.status, r.body)
	}
	o.hasRefunds(p, "0.37 USDC ADDRESS_GIVEN "+string(walletOfKey(o.key)))
	if r := o.claim(id, "POLYGON:USDC", message, o.key); r.status != 409 {
		t.Errorf("claimed twice: %d", r.status)
	}
	o.hasRefunds(p, "0.37 USDC ADDRESS_GIVEN "+string(walletOfKey(o.key)))
}

// hasRefunds compares the refunds of the payment.
func (o offering) hasRefunds(p payment.Payment, want ...string) {
	o.t.Helper()
	list, err := o.store.RefundsOf(o.t.Context(), p.ID)
	must(o.t, err)
	var got []string
	for _, r := range list {
		got = append(got, r.Amount()+" "+r.Asset.Symbol+" "+string(r.Status)+" "+string(r.Address.Address))
	}
	if strings.Join(got, ",") != strings.Join(want, ",") {
		o.t.Errorf("refunds %q, want %q", got, want)
	}
}

// TestRefundOffer_Mailed: by the link in the receipt's mail the customer asks for it without a wallet, and says where
// to on the refund's own page: money from an exchange goes nowhere by itself.
func TestRefundOffer_Mailed(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	p := o.pays(o.start(o.ofCustomer(o.m, "10"), chain.Polygon), o.key, usdcOn(chain.Polygon), 12_000_000)
	letter := o.letters()[0].Text.Reveal()
	_, link, found := strings.Cut(letter, "/refund/of/")
	if !found {
		t.Fatal(letter)
	}
	link, _, _ = strings.Cut(link, "?")
	o.run(t, []scenario{{
		name: "offer", method: "GET", path: "/refund/of/" + link + "?lang=en", status: 200,
		want: []string{`data-testid="claim"`, "Get 2.00"}, not: []string{"data-refund"},
	}})
	if r := o.postForm("/refund/of/"+link, url.Values{"asset": {"POLYGON:USDC"}}); r.status != 303 {
		t.Fatalf("%d %s", r.status, r.start())
	}
	o.hasRefunds(p, "2 USDC REQUESTED ")
}

// TestRefundOffer_What: what is offered back, by what came.
func TestRefundOffer_What(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	other := newKeyOf(t)
	usdc := usdcOn(chain.Polygon)
	type pays = func(payment.Payment) payment.Payment
	some := func(from *ecdsa.PrivateKey, amount money.Micros) pays {
		return func(p payment.Payment) payment.Payment { return o.pays(p, from, usdc, amount) }
	}
	const none = "nothing to get back"
	for name, c := range map[string]struct {
		pay, then pays
		want      string // of the page
		taken     bool   // o.key may have it
	}{
		"Exact":       {some(o.key, 10_000_000), nil, none, false},
		"Speck":       {some(o.key, 10_009_999), nil, none, false},
		"TwoHavePaid": {some(o.key, 10_000_000), some(other, 5_000_000), "5.00", false},
		"Late":        {o.expire, some(o.key, 10_000_000), "10.00", true},
		"Short":       {some(o.key, 3_000_000), o.expire, "3.00", true},
		"Pending":     {some(o.key, 3_000_000), nil, none, false},
		"Nothing":     {o.expire, nil, none, false},
	} {
		p := c.pay(o.start(o.newPaymentOf(o.m, "10"), chain.Polygon))
		if c.then != nil {
			p = c.then(p)
		}
		page := o.ask("GET", "/refund/of/"+string(p.ID)+"?lang=en", "")
		if page.status != 200 || !strings.Contains(page.body, c.want) {
			t.Errorf("%s: %d %s", name, page.status, page.body)
			continue
		}
		list, err := o.refunds().Offers(t.Context(), p)
		must(t, err)
		if len(list) == 0 {
			continue
		}
		r := o.claim(string(p.ID), "POLYGON:USDC", refund.ClaimMessage(p.ID, list[0]), o.key)
		if (r.status == 303) != c.taken {
			t.Errorf("%s: %d %s", name, r.status, r.start())
		}
	}
}

// TestRefundOffer_NotOffered: without the setting a page offers nothing, and takes nothing.
func TestRefundOffer_NotOffered(t *testing.T) {
	t.Parallel()
	o := newOffering(t)
	m := o.newMerchant(5)
	p := o.pays(o.start(o.newPaymentOf(m, "10"), chain.Polygon), o.key, usdcOn(chain.Polygon), 12_000_000)
	o.run(t, []scenario{{
		name: "page", method: "GET", path: "/pay?txnid=" + string(p.ID) + "&lang=en", status: 200,
		not: []string{"/refund/of/"},
	}})
	h := refund.Holding{Asset: usdcOn(chain.Polygon), Left: money.Micros(2_000_000).Units(6)}
	if r := o.claim(string(p.ID), "POLYGON:USDC", refund.ClaimMessage(p.ID, h), o.key); r.status != 409 {
		t.Errorf("%d %s", r.status, r.start())
	}
	o.hasRefunds(p)
}
