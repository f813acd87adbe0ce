package views_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/florinpay/florin/views/checkout"
)

// ways are the buttons of the list for a place of the money and a token, in order.
func (d document) ways(via, token string) []string {
	list := map[string]string{"exchange": "x ", "wallet": "w "}[via] + token
	var all []string
	for _, n := range d.elements(func(n *html.Node) bool {
		return n.Data == "button" && attribute(n, "name") == "network"
	}) {
		if attribute(ancestor(n, "ul"), "class") == list {
			all = append(all, attribute(n, "value"))
		}
	}
	return all
}

// ancestor is the nearest element around n of the kind.
func ancestor(n *html.Node, kind string) *html.Node {
	for n != nil && n.Data != kind {
		n = n.Parent
	}
	return n
}

// TestChoose: first where the money is, then the token, then the network, the best one first.
func TestChoose(t *testing.T) {
	t.Parallel()
	p := sampleNamed(t, "choose")
	for i := range p.Choices {
		p.Choices[i].Last = false
	}
	d := open(t, checkout.Pay(p))
	d.hasAll("tab-exchange", "tab-wallet", "coin-USDT", "coin-USDC", "recommended")
	for _, row := range []struct {
		name, via, token string
		want             []string
	}{
		{"ExchangeFees", "exchange", "USDC", []string{"POLYGON", "BASE", "BEP20"}},
		{"NetworkFees", "wallet", "USDC", []string{"POLYGON", "BEP20", "BASE"}},
		{"OnlyWhatIsOffered", "wallet", "USDT", []string{"POLYGON", "BEP20"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			if got := d.ways(row.via, row.token); !slices.Equal(got, row.want) {
				t.Errorf("offers %v, want %v", got, row.want)
			}
		})
	}
	for _, want := range []string{
		"Fee about 0.10" + nb + "USD", "Fee below 0.01" + nb + "USD", "Recommended",
	} {
		if !strings.Contains(content(d.root), want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// TestChoose_Last: the way the payer chose last comes first, and the page opens with it.
func TestChoose_Last(t *testing.T) {
	t.Parallel()
	p := sampleNamed(t, "choose-again")
	p.Via = checkout.ViaWallet
	for i := range p.Choices {
		p.Choices[i].Last = p.Choices[i].Network == "BASE"
	}
	d := open(t, checkout.Pay(p))
	if got := d.ways("wallet", "USDC"); len(got) == 0 || got[0] != "BASE" {
		t.Errorf("offers %v", got)
	}
	for id, want := range map[string]bool{
		"tab-exchange": false, "tab-wallet": true, "coin-USDC": true, "coin-USDT": false,
	} {
		if got := hasAttribute(d.one(id), "checked"); got != want {
			t.Errorf("%s is chosen: %t, want %t", id, got, want)
		}
	}
}

// TestExchangeFee: before paying, the page names the amount to type so that the whole amount arrives.
func TestExchangeFee(t *testing.T) {
	t.Parallel()
	p := sampleNamed(t, "waiting")
	d := open(t, checkout.Pay(p))
	if got := attribute(d.one("copy-with-fee"), "data-copy"); got != "50.00" {
		t.Errorf("the amount to type is %q", got)
	}
	const want = "Exchanges usually take their fee from the amount. If yours does, type 50.00" + nb + "USDC so that 49.90" +
		nb + "USDC arrives."
	if got := d.says("exchange-fee"); got != want {
		t.Errorf("the page says %q", got)
	}
	p.Pay.WithFee = ""
	open(t, checkout.Pay(p)).hasNone("copy-with-fee", "exchange-fee")
}

// TestWalletLinks: each wallet opens the page in its own browser, in the format that its makers document.
func TestWalletLinks(t *testing.T) {
	t.Parallel()
	const page = "https://pay.example/pay?txnid=" + sampleTxn + "&lang=en&via=wallet"
	at := url.QueryEscape(page)
	site := url.QueryEscape("https://pay.example")
	for _, row := range []struct {
		name, network, page string
		want                []string
	}{
		{"EVM", "POLYGON", page, []string{
			"https://link.metamask.io/dapp/pay.example/pay?txnid=" + sampleTxn + "&lang=en&via=wallet",
			"https://link.trustwallet.com/open_url?coin_id=966&url=" + at,
			"https://web3.okx.com/download?deeplink=" + url.QueryEscape("okx://wallet/dapp/url?dappUrl="+at),
		}},
		{"Solana", "SOL", page, []string{
			"https://phantom.app/ul/browse/" + at + "?ref=" + site,
			"https://solflare.com/ul/v1/browse/" + at + "?ref=" + site,
			"https://link.trustwallet.com/open_url?coin_id=501&url=" + at,
			"https://web3.okx.com/download?deeplink=" + url.QueryEscape("okx://wallet/dapp/url?dappUrl="+at),
		}},
		{"NoTLS", "POLYGON", "http://127.0.0.1:8080/pay", nil},
		{"NoAddress", "POLYGON", "", nil},
		{"UnknownNetwork", "TRON", page, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, l := range checkout.WalletLinks(row.network, row.page) {
				got = append(got, l.Href)
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("links\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(row.want, "\n"))
			}
		})
	}
}

// TestWalletLinks_Page: the links stand on the page of a payment, with its own address.
func TestWalletLinks_Page(t *testing.T) {
	t.Parallel()
	p := sampleNamed(t, "waiting")
	d := open(t, checkout.Pay(p))
	d.hasAll("wallet-apps", "app-metamask", "app-trust", "app-okx")
	d.hasNone("app-phantom", "app-solflare")
	if got := attribute(d.one("app-metamask"), "href"); !strings.Contains(got, sampleTxn) || !strings.Contains(got, "via=wallet") {
		t.Errorf("MetaMask opens %q", got)
	}
}

// TestParseVia: an unknown place of the money is an exchange, where most payers have theirs.
func TestParseVia(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]checkout.Via{
		"wallet": checkout.ViaWallet, "exchange": checkout.ViaExchange,
		"": checkout.ViaExchange, "x": checkout.ViaExchange,
	} {
		if got := checkout.ParseVia(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
