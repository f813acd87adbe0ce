package views_test

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
	"github.com/florinpay/florin/views/sandbox"
)

// TestFailures: each kind has words of its own, says what to do next and, to payers, whether their money is safe.
func TestFailures(t *testing.T) {
	t.Parallel()
	seen := map[string]views.FailureKind{}
	for _, kind := range failureKinds {
		p := sampleFailure(kind, "en")
		d := open(t, views.Failure(p))
		words := d.says("failure")
		if other, ok := seen[words]; ok {
			t.Errorf("%s and %s have the same text %q", kind, other, words)
		}
		seen[words] = kind
		if got := attribute(d.one("failure"), "data-kind"); got != string(kind) {
			t.Errorf("the page of %s says it is of %s", kind, got)
		}
		if got := d.says("request-id"); got != p.RequestID {
			t.Errorf("%s: the number for help is %q", kind, got)
		}
		d.hasAll("languages")
		// The page of an unknown payment cannot say that its money is safe.
		if kind == views.FailurePaymentUnknown || kind == views.FailureNotFound {
			d.hasNone("money-safe")
		} else {
			d.hasAll("money-safe")
		}
		p.Checkout, p.RequestID = false, ""
		open(t, views.Failure(p)).hasNone("money-safe", "request-id")
	}
	unknown := open(t, views.Failure(views.FailureProps{Kind: "something new"}))
	if !strings.Contains(unknown.says("failure"), "Something went wrong on our side") {
		t.Error("a kind without words is not shown as an internal error")
	}
}

// TestFailureAgain: the link offers to try again only where that may succeed, and never leads to another host.
func TestFailureAgain(t *testing.T) {
	t.Parallel()
	for _, kind := range failureKinds {
		p := sampleFailure(kind, "en")
		p.Again = "/pay?txnid=" + sampleTxn
		want := "Back"
		if kind == views.FailureTooOften || kind == views.FailureUnavailable || kind == views.FailureInternal {
			want = "Try again"
		}
		d := open(t, views.Failure(p))
		if got := d.says("again"); got != want {
			t.Errorf("%s: the button says %q, want %q", kind, got, want)
		}
		if got := attribute(d.one("again"), "href"); got != p.Again {
			t.Errorf("%s: the button leads to %q", kind, got)
		}
		for _, stranger := range []string{"", "//evil.example/", `/\evil.example/`, "https://evil.example/", "javascript:alert(1)"} {
			p.Again = stranger
			open(t, views.Failure(p)).hasNone("again")
		}
	}
}

// TestFailureRetry: the time to come back is written in the largest fitting unit, and vaguely if it is unknown.
func TestFailureRetry(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[int]string{
		0: "Please try again in a moment.", 1: "Please try again in 1 second.", 40: "Please try again in 40 seconds.",
		89: "Please try again in 89 seconds.", 90: "Please try again in 2 minutes.",
		3600: "Please try again in 60 minutes.",
	} {
		for _, kind := range []views.FailureKind{views.FailureTooOften, views.FailureUnavailable} {
			d := open(t, views.Failure(views.FailureProps{Kind: kind, RetrySeconds: seconds}))
			if !strings.Contains(d.says("failure"), want) {
				t.Errorf("%s after %d s says %q, want %q", kind, seconds, d.says("failure"), want)
			}
		}
	}
}

// TestLanguageLinks: the menu changes the language and no other part of the address.
func TestLanguageLinks(t *testing.T) {
	t.Parallel()
	find := sampleNamed(t, "find")
	for _, c := range []struct {
		name string
		page document
		want string
	}{
		{"checkout", open(t, checkout.Pay(find)), "/pay?txnid=" + sampleTxn + "&lang=fr&view=find"},
		{"receipt", open(t, checkout.Receipt(sampleReceipt("en"))), "/pay/" + sampleTxn + "/receipt?lang=fr"},
		{"failure", open(t, views.Failure(views.FailureProps{Kind: views.FailurePaymentUnknown, Path: "/pay?txnid=X%26Y&lang=de"})), "/pay?lang=fr&txnid=X%26Y"},
		{"another host in the path", open(t, views.Failure(views.FailureProps{Kind: views.FailureNotFound, Path: "//evil.example/pay?a=b"})), "?a=b&lang=fr"},
		{"bare failure", open(t, views.Failure(views.FailureProps{Kind: views.FailureNotFound})), "?lang=fr"},
	} {
		links := c.page.elements(func(n *html.Node) bool { return attribute(n, "hreflang") == "fr" })
		if len(links) != 1 || attribute(links[0], "href") != c.want {
			t.Errorf("%s: French is at %q, want %q", c.name, attribute(links[0], "href"), c.want)
		}
		current := c.page.elements(func(n *html.Node) bool {
			return attribute(n, "hreflang") != "" && attribute(n, "aria-current") == "true"
		})
		if len(current) != 1 || attribute(current[0], "lang") != "en" {
			t.Errorf("%s: %d views.Languages() are marked as the current one", c.name, len(current))
		}
	}
}

// TestPayPath: whatever a payment is called, its address leads to it.
func TestPayPath(t *testing.T) {
	t.Parallel()
	for _, id := range []string{sampleTxn, "a&b=c", "ä/ö?#", ""} {
		u, err := url.Parse(checkout.PayPath(id, "de", checkout.ViewFind))
		if err != nil || u.Path != "/pay" || u.Query().Get("txnid") != id || u.Query().Get("lang") != "de" ||
			u.Query().Get("view") != "find" {
			t.Errorf("%q is at %v: %v", id, u, err)
		}
	}
	if got, want := checkout.PayPath(sampleTxn, "", checkout.ViewNow), "/pay?txnid="+sampleTxn; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestReceipt(t *testing.T) {
	t.Parallel()
	p := sampleReceipt("en")
	d := open(t, checkout.Receipt(p))
	for id, want := range map[string]string{
		"received": "49.90 USDC", "address": sampleAddress, "hash": sampleHash, "txnid": sampleTxn,
		"merchant":    "Nordlicht Coffee",
		"description": "2 × Espresso No. 4, 1 kg", "reference": "NL-10423", "verify": p.VerifyURL,
	} {
		if got := d.says(id); got != want {
			t.Errorf("%s reads %q, want %q", id, got, want)
		}
	}
	d.hasNone("asked", "by-hand")
	d.hasAll("print", "copy-link", "explorer")
	p.Amount, p.ByHand, p.Deposits = "50", true, nil
	d = open(t, checkout.Receipt(p))
	d.hasAll("asked", "by-hand")
	d.hasNone("hash", "explorer")
	if strings.Contains(content(d.root), "block explorer") {
		t.Error("a receipt without a transaction promises one")
	}
}

// TestReceiptDeposits: a receipt of several transfers lists the amount of each, without those that did not count.
func TestReceiptDeposits(t *testing.T) {
	t.Parallel()
	p := sampleReceipt("en")
	p.Deposits = []checkout.Deposit{sampleDeposit(checkout.DepositFinal, "49.53"), sampleDeposit(checkout.DepositFinal, "0.37"), sampleDeposit(checkout.DepositOther, "7")}
	d := open(t, checkout.Receipt(p))
	if got := len(d.all("hash")); got != 2 {
		t.Errorf("%d transactions are named, want 2", got)
	}
	for _, want := range []string{"49.53\u00a0USDC", "0.37\u00a0USDC"} {
		if !strings.Contains(content(d.root), want) {
			t.Errorf("the receipt does not say %q", want)
		}
	}
}

func TestLanding(t *testing.T) {
	t.Parallel()
	p := sampleLanding()
	p.PictureURL = "/docs/checkout-example"
	d := open(t, views.Landing(p))
	d.hasAll("sign-in", "sign-up", "sandbox", "demo", "picture", "docs", "networks")
	open(t, views.Landing(views.LandingProps{Version: "1"})).hasNone("sign-in", "sign-up", "sandbox", "docs",
		"networks", "demo", "picture")
}

func TestSandbox(t *testing.T) {
	t.Parallel()
	p := sampleSandbox()
	d := open(t, sandbox.Page(p))
	d.hasAll("notice", "create", "curl", "receiver", "delivery", "verdict")
	if got := len(d.all("act-exactly")); got != 3 {
		t.Errorf("%d payments can be paid, want the 2 that have an address and the one whose network is not chosen", got)
	}
	if got := d.says("mail"); !strings.Contains(got, "owner@shop.example") || !strings.Contains(got, "/reset?token=") {
		t.Errorf("the mail reads %q", got)
	}
	form := d.all("act-exactly")[0].Parent
	if got, want := attribute(form, "action"), "/sandbox/pay/"+sampleTxn; got != want {
		t.Errorf("paying posts to %q, want %q", got, want)
	}
	if got := attribute(d.one("receiver"), "data-mode"); got != "up" {
		t.Errorf("the receiver is %q", got)
	}
	if got := d.says("payment-" + sampleTxn); !strings.Contains(got, "Polygon · created Nov 21, 2026 · 09:30 UTC") {
		t.Errorf("the payment reads %q", got)
	}
	open(t, sandbox.Page(sandbox.Props{})).hasAll("no-payments", "no-deliveries", "no-mails")
}

// TestGroups: joined, the groups of an address are the address.
func TestGroups(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		sampleAddress: "0x71C7 656E C7ab 88b0 98de fB75 1B74 01B5 f6d8 976F", "abcde": "abcd e", "abcd": "abcd", "": "", "0x": "0x", "0x1": "0x1",
	} {
		got := views.Groups(text)
		if strings.Join(got, " ") != want || strings.Join(got, "") != text {
			t.Errorf("views.Groups(%q) = %q, want %q", text, got, want)
		}
	}
}
