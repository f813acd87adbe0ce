package live

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/shell"
)

// State is what an open page has to show now.
type State struct {
	Parts []views.Part
	// Moving: it changes every second. Until is when it changes by itself; zero for never.
	Moving bool
	Until  time.Time
	// Settled: nothing that it shows is on its way, so that only an event changes it.
	Settled bool
}

// View reads what an open page has to show.
type View func(ctx context.Context) (State, error)

// ErrOver is what a view returns whose page may show nothing any more.
var ErrOver = fault.New(fault.Forbidden, "the page may not be shown any more")

// change is a part that a page does not show as it is now.
type change struct{ name, html string }

// since returns the parts that differ from those of the tag, and the tag of all as they are now. What has not changed
// is not rendered, unless it has no key.
func (s State) since(ctx context.Context, shown string) (all []change, tag string, err error) {
	same := make(map[string]bool)
	for mark := range strings.SplitSeq(shown, views.TagSeparator) {
		same[mark] = true
	}
	sent, marks := make(map[string]bool), make([]string, len(s.Parts))
	for i, p := range s.Parts {
		html := ""
		if p.Key == "" {
			if html, err = render(ctx, p); err != nil {
				return nil, "", err
			}
			p.Key = html
		}
		marks[i] = p.Mark()
		if same[marks[i]] {
			continue
		}
		sent[p.Name] = true
		if sent[p.In] {
			continue
		}
		if html == "" {
			if html, err = render(ctx, p); err != nil {
				return nil, "", err
			}
		}
		all = append(all, change{p.Name, html})
	}
	return all, strings.Join(marks, views.TagSeparator), nil
}

// Rendered renders the parts, for many pages that show the same.
func Rendered(ctx context.Context, parts []views.Part) error {
	for i, p := range parts {
		html, err := render(ctx, p)
		if err != nil {
			return err
		}
		parts[i].Key, parts[i].HTML = html, templ.Raw(html)
	}
	return nil
}

func render(ctx context.Context, p views.Part) (string, error) {
	b := shell.GetBuffer()
	defer shell.PutBuffer(b)
	err := p.HTML.Render(ctx, b)
	return b.String(), err
}

// shown is the tag of what the page shows: as it was last sent, on a stream that broke off or in an answer, or as it
// was loaded.
func shown(r *http.Request) string {
	for _, header := range []string{"Last-Event-ID", "If-None-Match"} {
		if tag := r.Header.Get(header); tag != "" {
			// A proxy that compresses an answer makes its entity tag a weak one.
			return strings.Trim(strings.TrimPrefix(tag, "W/"), `"`)
		}
	}
	return r.URL.Query().Get("shown")
}

// answer is what a page that asks gets.
type answer struct {
	Tag   string            `json:"tag"`
	Parts map[string]string `json:"parts"`
}

// batchTime is the time in which pages that ask are answered at once. They share their reads, which are most of what an
// answer costs, as those do that have their turn in the same tick of the hub.
const batchTime = 100 * time.Millisecond

// Now answers a page that asks what it does not show yet: the second way by which it learns of changes, for all that
// can become of a stream. The answer for a page that shows everything is 304, with no body.
func Now(c echo.Context, look View) error {
	ctx := c.Request().Context()
	now := time.Now()
	select {
	case <-time.After(now.Truncate(batchTime).Add(batchTime).Sub(now)):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	state, err := look(ctx)
	if err != nil {
		return err
	}
	old := shown(c.Request())
	changed, tag, err := state.since(ctx, old)
	if err != nil {
		return err
	}
	c.Response().Header().Set("ETag", `"`+tag+`"`)
	if old == tag {
		return c.NoContent(http.StatusNotModified)
	}
	out := answer{Tag: tag, Parts: make(map[string]string, len(changed))}
	for _, part := range changed {
		out.Parts[part.name] = part.html
	}
	return shell.WriteJSON(c, http.StatusOK, out)
}
