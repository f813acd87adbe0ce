package views_test

import (
	"testing"

	"github.com/florinpay/florin/views/checkout"
)

// TestLiveEvent follows the events of a payment on an open page.
func TestLiveEvent(t *testing.T) {
	t.Parallel()
	waiting, confirming, short, paid := sampleNamed(t, "waiting"), sampleNamed(t, "confirming"),
		sampleNamed(t, "short"), sampleNamed(t, "paid")
	hurry, sooner := waiting, confirming
	credited, reversed := paid, sampleNamed(t, "reversed")
	credited.Provisional = true
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
		{"paid, but not finalized", credited, "stage", false, "paid"},
		{"a reorg took it back", reversed, "stage", false, "reversed"},
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
