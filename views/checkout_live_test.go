package views_test

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
)

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
