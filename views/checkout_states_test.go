package views_test

import (
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/florinpay/florin/views/checkout"
)

const nb = "\u00a0" // no-break space

// acts are the links of a payer who can still act.
var acts = slices.Clip([]string{"paid-link", "choose-link", "cancel-link"})

// checkoutStates are the samples, with the data-testids that their page has and
// has not, the texts of some, and texts anywhere on the page.
var checkoutStates = []struct {
	sample    string
	has, not  []string
	says      map[string]string
	mentions  []string
	isWaiting bool // reloads itself without scripts
}{
	{
		sample: "choose",
		has:    []string{"choose", "network-POLYGON", "network-SOL", "pay-BEP20-USDT", "cancel-link", "live"},
		not:    []string{"send", "address", "countdown", "pay-SOL-USDC", "paid-link", "problem", "recommended"},
		says:   map[string]string{"amount": "49.90 USD", "merchant": "Nordlicht Coffee", "reference": "Order NL-10423"},
		mentions: []string{
			"Fee below 0.01" + nb + "USD · 5 seconds", "2 minutes",
			"This network is slow at the moment.", "BNB Smart Chain (BEP20)",
		},
	},
	{
		sample: "choose-none", has: []string{"no-network"}, not: []string{"network-POLYGON"},
		mentions: []string{"No money was taken"},
	},
	{sample: "choose-problem", has: []string{"problem", "choose"}, mentions: []string{"This way to pay is not available at the moment"}},
	{
		sample: "waiting", isWaiting: true,
		has: append(acts, "send", "address", "copy-address", "copy-amount", "qr-plain", "qr-wallet", "open-wallet",
			"wallets", "warning", "waiting", "tab-exchange", "tab-wallet"),
		not: []string{"choose", "paid", "short", "seen", "sandbox", "alias", "deposit"},
		says: map[string]string{
			"address": sampleAddress, "send-amount": "49.90" + nb + "USDC",
			"countdown": "29 minutes",
		},
		mentions: []string{
			"Send only USDC on Polygon. USDC.e is a different token and does not count.",
			"This address is for this payment only. Do not use it again.", "Send exactly 49.90",
		},
	},
	{sample: "waiting-last-minutes", isWaiting: true, says: map[string]string{"countdown": "04:07"}},
	{sample: "waiting-sandbox", isWaiting: true, has: []string{"sandbox", "sandbox-pay"}},
	{
		sample: "behind", isWaiting: true, has: []string{"status", "address"}, not: []string{"countdown"},
		mentions: []string{"This network is slow at the moment; your timer is paused", "You see it here as soon as Polygon works normally again."},
	},
	{
		sample: "stalled", isWaiting: true, has: []string{"status", "address"}, not: []string{"countdown"},
		mentions: []string{"Polygon is confirming slowly; your timer is paused"},
	},
	{
		sample: "choose-again", has: []string{"choose"}, not: []string{"send", "cancel-link"},
		mentions: []string{"Back to the address", "Used last time"},
	},
	{sample: "confirm-cancel", has: []string{"confirm-cancel", "cancel", "keep"}, not: []string{"send"}},
	{sample: "find", has: []string{"find", "hash", "find-submit"}, not: []string{"finding", "send"}},
	{sample: "find-other-chain", has: []string{"finding", "hash"}, mentions: []string{"Your payment is on Base"}},
	{sample: "find-invalid", has: []string{"finding"}, mentions: []string{"This is not a transaction hash or an address"}},
	{
		sample: "seen", isWaiting: true, has: []string{"arriving", "seen", "deposit", "explorer"},
		not:      append(acts, "address", "send", "countdown"),
		says:     map[string]string{"final-in": "Final in a moment"},
		mentions: []string{"We can see your payment", "On its way"},
	},
	{
		sample: "confirming", isWaiting: true, has: []string{"arriving"},
		says: map[string]string{"final-in": "Final in about 12 seconds"},
	},
	{
		sample:    "short",
		isWaiting: true, has: []string{"send", "short", "part", "address", "paid-link", "ask", "ask-submit"},
		not:      []string{"choose-link", "cancel-link"},
		says:     map[string]string{"send-amount": "0.37" + nb + "USDC", "part": "49.53 of 49.90" + nb + "USDC arrived. Send the rest to the same address."},
		mentions: []string{"0.37" + nb + "USDC is still missing", "Send the rest", "Can’t send such a small amount? Nordlicht Coffee can accept what has arrived."},
	},
	{
		sample: "short-asked", isWaiting: true,
		has: []string{"send", "short", "asked"}, not: []string{"ask", "ask-submit"},
		mentions: []string{"We have passed your request to Nordlicht Coffee."},
	},
	{
		sample: "wrong-token", isWaiting: true,
		has: []string{"other-token", "ask", "contact", "send"}, not: []string{"deposit", "asked"},
		mentions: []string{"49.90" + nb + "USDC.e arrived on Polygon", "Your money goes to the wallet of Nordlicht Coffee", "You can wait for that, or pay as shown here"},
	},
	{sample: "wrong-asked", isWaiting: true, has: []string{"other-token", "asked"}, not: []string{"ask"}},
	{
		sample: "wrong-network", isWaiting: true, has: []string{"other-token", "send"}, not: []string{"deposit"},
		mentions: []string{"49.90" + nb + "USDC arrived on BNB Smart Chain", "This payment asks for USDC on Polygon."},
	},
	{
		sample: "paid", has: []string{"paid", "paid-at", "hash", "explorer", "return", "receipt-link", "live"},
		not:  append(acts, "send", "over", "received"),
		says: map[string]string{"hash": sampleHash},
	},
	{
		sample: "over", has: []string{"paid", "over"}, says: map[string]string{"received": "51.00" + nb + "USDC"},
		mentions: []string{"You sent 1.10" + nb + "USDC more than was asked"},
	},
	{
		sample: "back-part", has: []string{"paid", "back", "receipt-link", "live"}, not: []string{"all-back"},
		mentions: []string{"20.00" + nb + "USDC of it was sent back.", "wants to send 9.90" + nb + "USDC back"},
	},
	{
		sample: "back-all", has: []string{"paid", "all-back", "receipt-link", "live"}, not: []string{"back"},
		mentions: []string{"All of it was sent back: 49.90" + nb + "USDC."},
	},
	{
		sample: "reversed", has: []string{"reversed", "hash", "explorer", "contact", "live"},
		not:      []string{"paid", "return", "receipt-link", "send"},
		mentions: []string{"The network reversed your payment", "Do not pay again"},
	},
	{
		sample: "late", has: []string{"late", "deposit", "return", "live", "ask"}, not: []string{"send", "just-paid"},
		mentions: []string{"Your money is safe", "Received late"},
	},
	{
		sample: "expired", has: []string{"expired", "just-paid", "paid-link", "return", "live"},
		not: []string{"send", "address", "qr-plain"}, mentions: []string{"Do not pay again"},
	},
	{
		sample: "expired-part", has: []string{"expired", "received", "deposit", "ask"},
		mentions: []string{"Only 20 of 49.90" + nb + "USDC arrived in time"},
	},
	{
		sample: "cancelled", has: []string{"cancelled", "just-paid"}, not: []string{"send"},
		mentions: []string{"No money was taken."},
	},
	{sample: "solana", isWaiting: true, has: []string{"open-wallet"}, not: []string{"wallets", "alias"}, mentions: []string{"Send only USDT on Solana, not on another network."}},
}

// TestCheckoutStates checks the page of each state against checkoutStates.
func TestCheckoutStates(t *testing.T) {
	t.Parallel()
	for _, c := range checkoutStates {
		t.Run(c.sample, func(t *testing.T) {
			t.Parallel()
			d := open(t, checkout.Pay(sampleNamed(t, c.sample)))
			d.hasAll(c.has...)
			d.hasNone(c.not...)
			for id, want := range c.says {
				if got := d.says(id); got != want {
					t.Errorf("%s says %q, want %q", id, got, want)
				}
			}
			for _, want := range c.mentions {
				if !strings.Contains(content(d.root), want) {
					t.Errorf("the page does not say %q", want)
				}
			}
			if got := d.reloads(); got != c.isWaiting {
				t.Errorf("reloads itself without scripts: %t, want %t", got, c.isWaiting)
			}
		})
	}
}

// reloads reports whether a browser without scripts reloads the page.
func (d document) reloads() bool {
	return len(d.elements(func(n *html.Node) bool { return attribute(n, "http-equiv") == "refresh" })) > 0
}
