package views_test

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
)

// sampleNamed is the props of one sample in English.
func sampleNamed(t testing.TB, name string) checkout.Props {
	t.Helper()
	for _, s := range checkoutSamples {
		if s.name == name {
			return s.props(t, "en")
		}
	}
	t.Fatalf("there is no sample %q", name)
	return checkout.Props{}
}

// TestCheckoutStates says what the page of each state holds, what it must not hold, and what it says.
func TestCheckoutStates(t *testing.T) {
	t.Parallel()
	const nb = "\u00a0"
	acts := slices.Clip([]string{"paid-link", "choose-link", "cancel-link"})
	for _, c := range []struct {
		sample    string
		has, not  []string
		says      map[string]string
		mentions  []string
		isWaiting bool // reloads itself without scripts
	}{
		{
			sample: "choose",
			has:    []string{"choose", "network-POLYGON", "network-SOL", "pay-BEP20-USDT", "cancel-link", "live"},
			not:    []string{"send", "address", "countdown", "pay-SOL-USDC", "paid-link", "problem"},
			says:   map[string]string{"amount": "49.90 USD", "merchant": "Nordlicht Coffee", "reference": "Order NL-10423"},
			mentions: []string{
				"Fee below 0.01" + nb + "USD · about 5 seconds", "about 2 minutes",
				"This network is slow at the moment. Please choose another one.", "BNB Smart Chain (BEP20)",
			},
		},
		{sample: "choose-none", has: []string{"no-network"}, not: []string{"network-POLYGON"}, mentions: []string{"Nothing has been charged"}},
		{sample: "choose-problem", has: []string{"problem", "choose"}, mentions: []string{"This way to pay is not available at the moment"}},
		{
			sample: "waiting", isWaiting: true,
			has: append(acts, "send", "address", "copy-address", "copy-amount", "qr-plain", "qr-wallet", "open-wallet",
				"wallets", "warning", "waiting", "tab-exchange", "tab-wallet"),
			not:  []string{"choose", "paid", "short", "seen", "sandbox", "alias", "deposit"},
			says: map[string]string{"address": sampleAddress, "send-amount": "49.90" + nb + "USDC", "countdown": "29 minutes"},
			mentions: []string{
				"Send only USDC on Polygon. USDC.e is a different token and does not count.",
				"This address is for this payment only. Do not use it again.", "add the fee on top",
			},
		},
		{sample: "waiting-hurry", isWaiting: true, says: map[string]string{"countdown": "04:07"}},
		{sample: "waiting-sandbox", isWaiting: true, has: []string{"sandbox", "sandbox-pay"}},
		{
			sample: "behind", isWaiting: true, has: []string{"status", "address"}, not: []string{"countdown"},
			mentions: []string{"This network is slow at the moment; your time does not run", "Polygon is behind"},
		},
		{sample: "choose-again", has: []string{"choose"}, not: []string{"send", "cancel-link"}, mentions: []string{"Back to the address", "Used last time"}},
		{sample: "confirm-cancel", has: []string{"confirm-cancel", "cancel", "keep"}, not: []string{"send"}},
		{sample: "find", has: []string{"find", "hash", "find-submit"}, not: []string{"finding", "send"}},
		{sample: "find-other-chain", has: []string{"finding", "hash"}, mentions: []string{"Your payment is on Base"}},
		{sample: "find-invalid", has: []string{"finding"}, mentions: []string{"This is not a transaction hash or an address"}},
		{
			sample: "seen", isWaiting: true, has: []string{"arriving", "seen", "deposit", "explorer"},
			not:  append(acts, "address", "send", "countdown"),
			says: map[string]string{"final-in": "Final in a moment"}, mentions: []string{"We can see your payment", "On its way"},
		},
		{sample: "confirming", isWaiting: true, has: []string{"arriving"}, says: map[string]string{"final-in": "Final in about 12 seconds"}},
		{
			sample: "short", isWaiting: true, has: []string{"send", "short", "part", "address", "paid-link"},
			not:      []string{"choose-link", "cancel-link"},
			says:     map[string]string{"send-amount": "0.37" + nb + "USDC", "part": "49.53 of 49.90" + nb + "USDC arrived. Send the rest to the same address."},
			mentions: []string{"0.37" + nb + "USDC is still missing", "Send the rest"},
		},
		{sample: "wrong-token", isWaiting: true, has: []string{"other-token", "send"}, not: []string{"deposit"}, mentions: []string{"49.90" + nb + "USDC.e arrived on Polygon, but it does not count"}},
		{
			sample: "wrong-network", isWaiting: true, has: []string{"other-token", "send"}, not: []string{"deposit"},
			mentions: []string{"49.90" + nb + "USDC arrived on BNB Smart Chain, but it does not count", "This payment is to be made in USDC on Polygon."},
		},
		{
			sample: "paid", has: []string{"paid", "paid-at", "hash", "explorer", "return", "receipt-link"},
			not:  append(acts, "send", "live", "over", "received"),
			says: map[string]string{"hash": sampleHash},
		},
		{sample: "over", has: []string{"paid", "over"}, says: map[string]string{"received": "51.00" + nb + "USDC"}, mentions: []string{"You sent 1.10" + nb + "USDC more than was asked"}},
		{sample: "late", has: []string{"late", "deposit", "return", "live"}, not: []string{"send", "just-paid"}, mentions: []string{"Your money is safe", "Received late"}},
		{sample: "expired", has: []string{"expired", "just-paid", "paid-link", "return", "live"}, not: []string{"send", "address", "qr-plain"}, mentions: []string{"Do not pay again"}},
		{sample: "expired-part", has: []string{"expired", "received", "deposit"}, mentions: []string{"Only 20 of 49.90" + nb + "USDC arrived in time"}},
		{sample: "cancelled", has: []string{"cancelled", "just-paid"}, not: []string{"send"}, mentions: []string{"Nothing was charged."}},
		{sample: "solana", isWaiting: true, has: []string{"open-wallet"}, not: []string{"wallets", "alias"}, mentions: []string{"Send only USDT on Solana, not on another network."}},
	} {
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

// TestCheckoutForms: what a form posts, and where.
func TestCheckoutForms(t *testing.T) {
	t.Parallel()
	p := sampleNamed(t, "choose")
	p.Lang = "de"
	button := open(t, checkout.Pay(p)).one("pay-BEP20-USDT")
	form := button.Parent
	if got, want := attribute(form, "action"), "/pay/"+sampleTxn+"/start?lang=de"; got != want || attribute(form, "method") != "post" {
		t.Errorf("choosing posts to %q, want %q", got, want)
	}
	if attribute(button, "name") != "token" || attribute(button, "value") != "USDT" {
		t.Errorf("the button sends %s=%s", attribute(button, "name"), attribute(button, "value"))
	}
	var network string
	for n := range form.Descendants() {
		if attribute(n, "name") == "network" {
			network = attribute(n, "value")
		}
	}
	if network != "BEP20" {
		t.Errorf("the form chooses the network %q", network)
	}
	for _, c := range []struct{ sample, button, act string }{{"confirm-cancel", "cancel", "cancel"}, {"find", "find-submit", "find"}} {
		form := open(t, checkout.Pay(sampleNamed(t, c.sample))).one(c.button).Parent
		if got, want := attribute(form, "action"), "/pay/"+sampleTxn+"/"+c.act+"?lang=en"; got != want || form.Data != "form" {
			t.Errorf("%s: <%s> posts to %q, want %q", c.sample, form.Data, got, want)
		}
	}
}

// TestCheckoutCopies: copy buttons carry the plain text, whatever the language makes of it for reading.
func TestCheckoutCopies(t *testing.T) {
	t.Parallel()
	for _, l := range views.Languages() {
		p := sampleCheckout(t, l.Tag)
		p.Amount, p.Pay.Amount = "12345.67", "12345.67"
		d := open(t, checkout.Pay(p))
		if got := attribute(d.one("copy-amount"), "data-copy"); got != "12345.67" {
			t.Errorf("%s copies the amount as %q", l.Tag, got)
		}
		if got := attribute(d.one("copy-address"), "data-copy"); got != sampleAddress {
			t.Errorf("%s copies the address as %q", l.Tag, got)
		}
		// The gaps between groups are drawn, not written: a selection copies the address, too.
		if got := d.says("address"); got != sampleAddress {
			t.Errorf("%s: the address reads %q", l.Tag, got)
		}
	}
}

// TestCheckoutAliases: the name under which wallets show the right token is told where it differs.
func TestCheckoutAliases(t *testing.T) {
	t.Parallel()
	p := sampleCheckout(t, "en")
	p.Pay.Network, p.Pay.Token = "BEP20", "USDT"
	d := open(t, checkout.Pay(p))
	if got, want := d.says("alias"), "Some wallets show this USDT as BSC-USD."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := d.says("warning"), "Send only USDT on BNB Smart Chain (BEP20), not on Ethereum (ERC20)."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestCheckoutSideSteps: a side step that does not fit the state is not shown, so that money on its way
// can be neither cancelled nor sent to another network.
func TestCheckoutSideSteps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		state checkout.State
		view  checkout.View
		want  string
	}{
		{checkout.StateChoose, checkout.ViewCancel, "confirm-cancel"},
		{checkout.StateChoose, checkout.ViewChoose, "choose"},
		{checkout.StateChoose, checkout.ViewFind, "find"},
		{checkout.StateWaiting, checkout.ViewChoose, "choose"},
		{checkout.StateWaiting, checkout.ViewCancel, "confirm-cancel"},
		{checkout.StateWaiting, checkout.ViewFind, "find"},
		{checkout.StateSeen, checkout.ViewCancel, "arriving"},
		{checkout.StateSeen, checkout.ViewChoose, "arriving"},
		{checkout.StateConfirming, checkout.ViewCancel, "arriving"},
		{checkout.StateShort, checkout.ViewCancel, "send"},
		{checkout.StateShort, checkout.ViewChoose, "send"},
		{checkout.StateShort, checkout.ViewFind, "find"},
		{checkout.StatePaid, checkout.ViewFind, "paid"},
		{checkout.StatePaid, checkout.ViewCancel, "paid"},
		{checkout.StateLate, checkout.ViewCancel, "late"},
		{checkout.StateExpired, checkout.ViewChoose, "expired"},
		{checkout.StateExpired, checkout.ViewFind, "find"},
		{checkout.StateCancelled, checkout.ViewFind, "find"},
	} {
		p := sampleCheckout(t, "en")
		p.State, p.View, p.Received, p.Missing = c.state, c.view, "49.53", "0.37"
		if c.state == checkout.StateChoose {
			p.Pay = nil
		}
		if d := open(t, checkout.Pay(p)); !d.has(c.want) {
			t.Errorf("%s with view %q does not show %q", c.state, c.view, c.want)
		}
	}
}

func TestParseView(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]checkout.View{"": checkout.ViewNow, "find": checkout.ViewFind, "choose": checkout.ViewChoose, "cancel": checkout.ViewCancel, "FIND": checkout.ViewNow, "<script>": checkout.ViewNow} {
		if got := checkout.ParseView(text); got != want {
			t.Errorf("ParseView(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestCheckoutReturns: the way back to the merchant carries number and status, and keeps the merchant's own query.
func TestCheckoutReturns(t *testing.T) {
	t.Parallel()
	for sample, want := range map[string]string{
		"paid":      "https://nordlicht.example/thanks?order=10423&status=completed&txnid=" + sampleTxn,
		"expired":   "https://nordlicht.example/cart?status=expired&txnid=" + sampleTxn,
		"cancelled": "https://nordlicht.example/cart?status=cancelled&txnid=" + sampleTxn,
	} {
		if got := attribute(open(t, checkout.Pay(sampleNamed(t, sample))).one("return"), "href"); got != want {
			t.Errorf("%s leads back to %q, want %q", sample, got, want)
		}
	}
	p := sampleNamed(t, "paid")
	p.ReturnURL = ""
	open(t, checkout.Pay(p)).hasNone("return")
}

// TestProblems: every problem has words of its own.
func TestProblems(t *testing.T) {
	t.Parallel()
	seen := map[string]checkout.Problem{}
	for _, problem := range []checkout.Problem{
		checkout.ProblemUnavailable, checkout.ProblemReceived, checkout.ProblemCannotCancel, checkout.ProblemClosed, checkout.ProblemMerchant, checkout.ProblemTooOften,
	} {
		p := sampleCheckout(t, "en")
		p.Problem = problem
		words := open(t, checkout.Pay(p)).says("problem")
		if other, ok := seen[words]; ok {
			t.Errorf("%s and %s are both told as %q", problem, other, words)
		}
		seen[words] = problem
	}
}

// TestFindings: every verdict has words of its own, and what was asked stays in the field.
func TestFindings(t *testing.T) {
	t.Parallel()
	seen := map[string]checkout.Verdict{}
	for _, verdict := range []checkout.Verdict{
		checkout.VerdictCredited, checkout.VerdictNotFinal, checkout.VerdictShort, checkout.VerdictOtherChain, checkout.VerdictOtherToken, checkout.VerdictOtherAddress,
		checkout.VerdictTokenContract, checkout.VerdictFailed, checkout.VerdictWorthless, checkout.VerdictNotFound, checkout.VerdictInvalid, checkout.VerdictUnavailable, checkout.VerdictTooOften,
	} {
		p := sampleCheckout(t, "en")
		p.View = checkout.ViewFind
		p.Finding = &checkout.Finding{
			Verdict: verdict, Asked: "0xabc", Network: "BASE", Token: "USDC", Amount: "5", Missing: "1", SecondsToFinal: 100,
		}
		d := open(t, checkout.Pay(p))
		words := d.says("finding")
		if other, ok := seen[words]; ok {
			t.Errorf("%s and %s are both told as %q", verdict, other, words)
		}
		seen[words] = verdict
		if got := attribute(d.one("hash"), "value"); got != "0xabc" {
			t.Errorf("%s: the field holds %q", verdict, got)
		}
		if got := attribute(d.one("hash"), "aria-invalid") == "true"; got != (verdict == checkout.VerdictInvalid) {
			t.Errorf("%s: the field is marked as invalid: %t", verdict, got)
		}
	}
}

// TestFindingByAddress: who looked for an address is told of an address.
func TestFindingByAddress(t *testing.T) {
	t.Parallel()
	for byAddress, want := range map[bool]string{false: "this transaction", true: "this address"} {
		p := sampleCheckout(t, "en")
		p.View, p.Finding = checkout.ViewFind, &checkout.Finding{Verdict: checkout.VerdictNotFound, Asked: sampleAddress, ByAddress: byAddress}
		words := open(t, checkout.Pay(p)).says("finding")
		if !strings.Contains(words, want) || strings.Contains(words, "this transaction") == byAddress {
			t.Errorf("by address %t: %q", byAddress, words)
		}
	}
}

// TestFees: a fee is said in cents, and one of less than a cent as that.
func TestFees(t *testing.T) {
	t.Parallel()
	for fee, want := range map[string]string{
		"0.005": "Fee below 0.01\u00a0USD", "0.0099": "Fee below 0.01\u00a0USD", "0.01": "Fee about 0.01\u00a0USD",
		"0.05": "Fee about 0.05\u00a0USD", "1.5": "Fee about 1.5\u00a0USD", "": "",
	} {
		p := sampleCheckout(t, "en")
		if got := p.NetworkFacts(checkout.NetworkChoice{FeeUSD: fee}); got != want {
			t.Errorf("%q is said as %q, want %q", fee, got, want)
		}
	}
}

// TestTokenReasons: a token that cannot be chosen says why where everybody reads it, also on a phone.
func TestTokenReasons(t *testing.T) {
	t.Parallel()
	d := open(t, checkout.Pay(sampleNamed(t, "choose")))
	if got, want := d.says("token-reason"), "USDT: Nordlicht Coffee does not accept this."; got != want {
		t.Errorf("the page says %q, want %q", got, want)
	}
	if got := attribute(d.one("pay-BASE-USDT"), "aria-describedby"); got != attribute(d.one("token-reason"), "id") {
		t.Errorf("the button is described by %q", got)
	}
}

// TestReasons: a network that cannot be chosen says why and offers no button.
func TestReasons(t *testing.T) {
	t.Parallel()
	for reason, want := range map[checkout.Reason]string{
		checkout.ReasonBehind: "This network is slow at the moment. Please choose another one.", checkout.ReasonNotOffered: "Nordlicht Coffee does not accept this.",
		checkout.ReasonTooSmall: "The amount is too small for this network.", checkout.ReasonTooLarge: "The amount is too large for this network.",
	} {
		p := sampleNamed(t, "choose")
		p.Choices = []checkout.NetworkChoice{{Network: "BASE", Tokens: []checkout.TokenChoice{{Token: "USDC"}}, Reason: reason}}
		d := open(t, checkout.Pay(p))
		d.hasNone("pay-BASE-USDC")
		if got := d.says("reason"); got != want {
			t.Errorf("%s is told as %q, want %q", reason, got, want)
		}
	}
}

// TestLiveEvent walks through a payment as an open page hears of it.
func TestLiveEvent(t *testing.T) {
	t.Parallel()
	waiting, confirming, short, paid := sampleNamed(t, "waiting"), sampleNamed(t, "confirming"), sampleNamed(t, "short"), sampleNamed(t, "paid")
	hurry, sooner := waiting, confirming
	hurry.CountdownSeconds, sooner.SecondsToFinal = 100, 4
	shown := waiting.Stage()
	for _, c := range []struct {
		name  string
		props checkout.Props
		event string
		done  bool
		has   string
	}{
		{"the clock runs", hurry, "status", false, "countdown"},
		{"money is seen", confirming, "stage", false, "arriving"},
		{"it gets closer", sooner, "status", false, "final-in"},
		{"it was too little", short, "stage", false, "send"},
		{"more is seen", confirming, "stage", false, "arriving"},
		{"paid", paid, "stage", true, "paid"},
	} {
		event, fragment, next, done := checkout.LiveEvent(c.props, shown)
		if event != c.event || done != c.done {
			t.Errorf("%s: event %q, done %t; want %q, %t", c.name, event, done, c.event, c.done)
		}
		if !open(t, fragment).has(c.has) {
			t.Errorf("%s: the fragment has no %q", c.name, c.has)
		}
		shown = next
	}
}

// TestCountdown: quiet minutes round up, so that nobody is told less time than there is; then seconds.
func TestCountdown(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[int]string{
		3600: "60 minutes", 3541: "60 minutes", 3540: "59 minutes", checkout.QuietSeconds + 1: "6 minutes",
		checkout.QuietSeconds: "05:00", 61: "01:01", 5: "00:05", 0: "00:00", -3: "00:00",
	} {
		p := checkout.Props{CountdownSeconds: seconds}
		if got := p.CountdownText(); got != want {
			t.Errorf("%d s: %q, want %q", seconds, got, want)
		}
	}
}

// TestCheckoutSurvivesBareProps: a handler that knows little still gets a page.
func TestCheckoutSurvivesBareProps(t *testing.T) {
	t.Parallel()
	for _, state := range []checkout.State{
		checkout.StateChoose, checkout.StateWaiting, checkout.StateShort, checkout.StateSeen, checkout.StateConfirming, checkout.StatePaid, checkout.StateLate, checkout.StateExpired, checkout.StateCancelled,
	} {
		open(t, checkout.Pay(checkout.Props{State: state, TxnID: sampleTxn, Amount: "1", PaidAt: time.Unix(0, 0)})).hasAll("checkout", "amount")
	}
}

func BenchmarkCheckout(b *testing.B) {
	p := sampleCheckout(b, "en")
	for b.Loop() {
		if err := checkout.Pay(p).Render(context.Background(), io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

// TestCheckoutInert: the preview of a merchant's branding is the real page, but a picture of it.
func TestCheckoutInert(t *testing.T) {
	t.Parallel()
	p := sampleNamed(t, "waiting")
	p.Inert = true
	d := open(t, checkout.Pay(p))
	if !hasAttribute(d.one("checkout"), "inert") {
		t.Error("the page can be used")
	}
	d.hasNone("live")
	if d.reloads() {
		t.Error("the page reloads itself")
	}
	if hasAttribute(open(t, checkout.Pay(sampleNamed(t, "waiting"))).one("checkout"), "inert") {
		t.Error("the real page cannot be used")
	}
}
