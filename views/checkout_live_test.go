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
	credited, reversed := paid, sampleNamed(t, "reversed")
	credited.Provisional = true
	over.CountdownSeconds, sooner.SecondsToFinal = 0, 4
	shown := tagOf(waiting)
	for _, c := range []struct {
		name  string
		props checkout.Props
		event string
		done  bool
		has   string
	}{
		{"the time is up", over, "status", false, "time-up"},
		{"money is seen", confirming, "stage", false, "arriving"},
		{"it gets closer", sooner, "status", false, "final-in"},
		{"it was too little", short, "stage", false, "send"},
		{"more is seen", confirming, "stage", false, "arriving"},
		{"paid, but not finalized", credited, "stage", false, "paid"},
		{"a reorg took it back", reversed, "stage", false, "reversed"},
		{"paid", paid, "stage", true, "paid"},
	} {
		event, html, next, done := liveEvent(t, c.props, shown)
		if event != c.event || done != c.done {
			t.Errorf("%s: event %q, done %t; want %q, %t", c.name, event, done, c.event, c.done)
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
	if event, _, next, _ := liveEvent(t, later, tagOf(waiting)); event != "" || next != tagOf(waiting) {
		t.Errorf("a second later the page is sent %q", event)
	}
}

// liveEvent is what an open page is sent that shows what the tag names: the event, its data, the tag it shows then, and
// whether nothing will change any more.
func liveEvent(t testing.TB, p checkout.Props, shown string) (event, html, next string, done bool) {
	t.Helper()
	for _, part := range p.Parts(func() (checkout.Props, error) { return p, nil }) {
		if !strings.Contains(shown, part.Mark()) {
			event, html = part.Name, render(t, part.HTML)
			break
		}
	}
	return event, html, tagOf(p), !p.Live()
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
