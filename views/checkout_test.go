package views_test

import (
	"context"
	"io"
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

// TestCheckoutForms: what a form posts, and where.
func TestCheckoutForms(t *testing.T) {
	t.Parallel()
	p := sampleNamed(t, "choose")
	p.Lang = "de"
	d := open(t, checkout.Pay(p))
	button := d.one("pay-BEP20-USDT")
	form := ancestor(button, "form")
	if got, want := attribute(form, "action"), "/pay/"+sampleTxn+"/start?lang=de"; got != want ||
		attribute(form, "method") != "post" {
		t.Errorf("choosing posts to %q, want %q", got, want)
	}
	if attribute(button, "name") != "network" || attribute(button, "value") != "BEP20" {
		t.Errorf("the button sends %s=%s", attribute(button, "name"), attribute(button, "value"))
	}
	for _, name := range []string{"tab-exchange", "tab-wallet", "coin-USDT", "coin-USDC"} {
		if ancestor(d.one(name), "form") != form {
			t.Errorf("the form does not send %s", name)
		}
	}
	// The default button, which Enter in a field presses, must choose no network (HTML, implicit submission).
	if first := d.elements(func(n *html.Node) bool {
		return n.Data == "button" && ancestor(n, "form") == form
	})[0]; !hasAttribute(first, "disabled") || hasAttribute(first, "name") {
		t.Error("Enter in the form chooses a network")
	}
	for _, c := range []struct{ sample, button, act string }{
		{"confirm-cancel", "cancel", "cancel"},
		{"find", "find-submit", "find"},
	} {
		form := open(t, checkout.Pay(sampleNamed(t, c.sample))).one(c.button).Parent
		if got, want := attribute(form, "action"), "/pay/"+sampleTxn+"/"+c.act+"?lang=en"; got != want ||
			form.Data != "form" {
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

// TestCheckoutAliases: the name under which wallets show the right token is shown where it differs.
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
	for text, want := range map[string]checkout.View{
		"": checkout.ViewNow, "find": checkout.ViewFind,
		"choose": checkout.ViewChoose, "cancel": checkout.ViewCancel, "FIND": checkout.ViewNow,
		"<script>": checkout.ViewNow,
	} {
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

// TestCheckoutSurvivesBareProps: a handler that knows little still gets a page.
func TestCheckoutSurvivesBareProps(t *testing.T) {
	t.Parallel()
	for _, state := range []checkout.State{
		checkout.StateChoose, checkout.StateWaiting, checkout.StateShort, checkout.StateSeen,
		checkout.StateConfirming, checkout.StatePaid, checkout.StateLate, checkout.StateExpired,
		checkout.StateCancelled,
	} {
		open(t, checkout.Pay(checkout.Props{
			State: state, TxnID: sampleTxn, Amount: "1",
			PaidAt: time.Unix(0, 0),
		})).hasAll("checkout", "amount")
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
