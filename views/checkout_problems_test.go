package views_test

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
)

// TestProblems: every problem has words of its own.
func TestProblems(t *testing.T) {
	t.Parallel()
	seen := map[string]checkout.Problem{}
	for _, problem := range []checkout.Problem{
		checkout.ProblemUnavailable, checkout.ProblemReceived, checkout.ProblemCannotCancel, checkout.ProblemClosed,
		checkout.ProblemMerchant, checkout.ProblemTooOften,
	} {
		p := sampleCheckout(t, "en")
		p.Problem = problem
		words := open(t, checkout.Pay(p)).says("problem")
		if other, ok := seen[words]; ok {
			t.Errorf("%s and %s have the same text %q", problem, other, words)
		}
		seen[words] = problem
	}
}

// TestLookups: every verdict has words of its own, and the payer's input stays in the field.
func TestLookups(t *testing.T) {
	t.Parallel()
	seen := map[string]checkout.Verdict{}
	for _, verdict := range []checkout.Verdict{
		checkout.VerdictCredited, checkout.VerdictNotFinal, checkout.VerdictShort, checkout.VerdictOtherChain,
		checkout.VerdictOtherToken, checkout.VerdictOtherAddress,
		checkout.VerdictTokenContract, checkout.VerdictFailed, checkout.VerdictWorthless, checkout.VerdictNotFound,
		checkout.VerdictInvalid, checkout.VerdictUnavailable, checkout.VerdictTooOften,
	} {
		p := sampleCheckout(t, "en")
		p.View = checkout.ViewFind
		p.Lookup = &checkout.Lookup{
			Verdict: verdict, Asked: "0xabc", Network: "BASE", Token: "USDC", Amount: "5", Missing: "1",
			SecondsToFinal: 100,
		}
		d := open(t, checkout.Pay(p))
		words := d.says("finding")
		if other, ok := seen[words]; ok {
			t.Errorf("%s and %s have the same text %q", verdict, other, words)
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

// TestLookupByAddress: the lookup of an address has words for addresses.
func TestLookupByAddress(t *testing.T) {
	t.Parallel()
	for byAddress, want := range map[bool]string{false: "this transaction", true: "this address"} {
		p := sampleCheckout(t, "en")
		p.View, p.Lookup = checkout.ViewFind,
			&checkout.Lookup{Verdict: checkout.VerdictNotFound, Asked: sampleAddress, ByAddress: byAddress}
		words := open(t, checkout.Pay(p)).says("finding")
		if !strings.Contains(words, want) || strings.Contains(words, "this transaction") == byAddress {
			t.Errorf("by address %t: %q", byAddress, words)
		}
	}
}

// TestFees: a fee is written in cents, and a smaller one as less than a cent.
func TestFees(t *testing.T) {
	t.Parallel()
	for fee, want := range map[string]string{
		"0.005": "Fee below 0.01\u00a0USD", "0.0099": "Fee below 0.01\u00a0USD", "0.01": "Fee about 0.01\u00a0USD",
		"0.05": "Fee about 0.05\u00a0USD", "1.5": "Fee about 1.5\u00a0USD", "": "5 seconds",
	} {
		p := sampleNamed(t, "choose")
		for i := range p.Choices {
			p.Choices[i].FeeUSD, p.Choices[i].Seconds = fee, 5
		}
		if page := render(t, checkout.Pay(p)); !strings.Contains(page, `<span class="facts">`+want) {
			t.Errorf("%q is not said as %q", fee, want)
		}
	}
}

// TestTokenReasons: a token that cannot be chosen on a network has the reason as text, also on a phone.
func TestTokenReasons(t *testing.T) {
	t.Parallel()
	d := open(t, checkout.Pay(sampleNamed(t, "choose")))
	if got, want := d.says("reason-BASE-USDT"), "Nordlicht Coffee does not accept this."; got != want {
		t.Errorf("the page says %q, want %q", got, want)
	}
	d.hasAll("pay-BASE-USDC")
	d.hasNone("pay-BASE-USDT", "reason-BASE-USDC")
}

// TestReasons: a network that cannot be chosen says why and offers no button.
func TestReasons(t *testing.T) {
	t.Parallel()
	for reason, want := range map[checkout.Reason]string{
		checkout.ReasonBehind:     "This network is slow at the moment.",
		checkout.ReasonNotOffered: "Nordlicht Coffee does not accept this.",
		checkout.ReasonTooSmall:   "The amount is too small for this network.", checkout.ReasonTooLarge: "The amount is too large for this network.",
	} {
		p := sampleNamed(t, "choose")
		p.Choices = []checkout.NetworkChoice{{Network: "BASE", Tokens: []checkout.TokenChoice{{Token: "USDC"}}, Reason: reason}}
		d := open(t, checkout.Pay(p))
		d.hasNone("pay-BASE-USDC")
		if got := d.says("reason-BASE-USDC"); got != want {
			t.Errorf("%s has the text %q, want %q", reason, got, want)
		}
	}
}

// TestLiveEvent follows the events of a payment on an open page.
func TestLiveEvent(t *testing.T) {
	t.Parallel()
	waiting, confirming, short, paid := sampleNamed(t, "waiting"), sampleNamed(t, "confirming"),
		sampleNamed(t, "short"), sampleNamed(t, "paid")
	over, sooner := waiting, confirming
	reversed, back := sampleNamed(t, "reversed"), paid
	back.Back = checkout.Back{Asked: "20", Unit: "USDC"}
	over.CountdownSeconds, sooner.SecondsToFinal = 0, 4
	shown := tagOf(waiting)
	for _, c := range []struct {
		name  string
		props checkout.Props
		event string
		has   string
	}{
		{"the time is up", over, "status", "time-up"},
		{"money is seen", confirming, "stage", "arriving"},
		{"it gets closer", sooner, "status", "final-in"},
		{"it was too little", short, "stage", "send"},
		{"more is seen", confirming, "stage", "arriving"},
		{"paid", paid, "stage", "paid"},
		{"a reorg took it back", reversed, "stage", "reversed"},
		{"paid again", paid, "stage", "paid"},
		{"some of it goes back", back, "stage", "back"},
	} {
		event, html, next := liveEvent(t, c.props, shown)
		if event != c.event {
			t.Errorf("%s: event %q, want %q", c.name, event, c.event)
		}
		if !open(t, templ.Raw(html)).has(c.has) {
			t.Errorf("%s: the fragment has no %q", c.name, c.has)
		}
		shown = next
	}
}

// TestTag: what a page counts down by itself is no change.
func TestTag(t *testing.T) {
	t.Parallel()
	waiting := sampleNamed(t, "waiting")
	later := waiting
	later.CountdownSeconds--
	if event, _, next := liveEvent(t, later, tagOf(waiting)); event != "" || next != tagOf(waiting) {
		t.Errorf("a second later the page is sent %q", event)
	}
}

// liveEvent is what an open page is sent that shows what the tag names: the event, its data, and the tag it shows then.
func liveEvent(t testing.TB, p checkout.Props, shown string) (event, html, next string) {
	t.Helper()
	for _, part := range p.Parts(func() (checkout.Props, error) { return p, nil }) {
		if !strings.Contains(shown, part.Mark()) {
			event, html = part.Name, render(t, part.HTML)
			break
		}
	}
	return event, html, tagOf(p)
}

func tagOf(p checkout.Props) string { return views.Tag(p.Parts(nil)...) }

// TestCountdown: quiet minutes round up, so that the page never shows too little time; then seconds.
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
