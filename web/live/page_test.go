package live

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"github.com/florinpay/florin/views"
)

// TestPage_CutInside: a browser whose stream is cut after any number of bytes knows the tag of what the page shows only
// if it was given all of it. Otherwise nobody would send it the rest.
func TestPage_CutInside(t *testing.T) {
	t.Parallel()
	names := []string{"stage", "status", "needs"}
	p := page{feed: Feed{Every: time.Hour, Look: func(context.Context) (State, error) {
		var s State
		for _, name := range names {
			s.Parts = append(s.Parts, views.Part{Name: name, HTML: templ.Raw("<p>new</p>\n<p>" + name + "</p>")})
		}
		return s, nil
	}}}
	var b bytes.Buffer
	if err := p.look(&b, time.Now()); err != nil {
		t.Fatal(err)
	}
	for cut := range b.Len() + 1 {
		last, shown := read(b.String()[:cut])
		if last != "" && len(shown) < len(names) {
			t.Fatalf("cut after %d of %d bytes, the page shows %q and says that it shows %s", cut, b.Len(), shown, last)
		}
		if cut == b.Len() && last != p.shown {
			t.Errorf("the whole names %q, want %q", last, p.shown)
		}
	}
}

// read returns what a browser knows of a stream that was cut: the last id, and the events with data (HTML standard,
// section 9.2.6).
func read(stream string) (last string, events []string) {
	whole := strings.LastIndex(stream, "\n\n")
	if whole < 0 {
		return "", nil
	}
	for block := range strings.SplitSeq(stream[:whole], "\n\n") {
		event, data := "", false
		for line := range strings.Lines(block + "\n") {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
			switch name {
			case "id":
				last = strings.TrimSpace(value)
			case "event":
				event = strings.TrimSpace(value)
			case "data":
				data = true
			}
		}
		if data {
			events = append(events, event)
		}
	}
	return last, events
}

// TestPage_Due: a page that only an event changes is looked at once a minute; another as often as its feed says.
func TestPage_Due(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for _, x := range []struct {
		state State
		want  time.Duration
	}{
		{State{}, 12 * time.Second},
		{State{Moving: true}, time.Second},
		{State{Settled: true}, time.Minute},
		{State{Until: now.Add(5 * time.Second)}, 5 * time.Second},
	} {
		look := func(context.Context) (State, error) { return x.state, nil }
		p := page{feed: Feed{Every: 12 * time.Second, Look: look}}
		if err := p.look(new(bytes.Buffer), now); err != nil || p.due.Sub(now) != x.want {
			t.Errorf("%+v: looked at again after %v, %v, want %v", x.state, p.due.Sub(now), err, x.want)
		}
	}
}
