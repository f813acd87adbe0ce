package views_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
)

// previewDir, when set in the environment as FLORIN_PREVIEW, receives every state as an HTML file for review.
const previewDir = "FLORIN_PREVIEW"

// render is a component as text.
func render(t testing.TB, c templ.Component) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPreview renders every page in every language, and writes the files if previewDir is set.
func TestPreview(t *testing.T) {
	t.Parallel()
	dir := os.Getenv(previewDir)
	for _, l := range views.Languages() {
		for name, component := range samplePages(t, l.Tag) {
			page := render(t, component)
			if len(page) < 1000 {
				t.Errorf("%s in %s: only %d bytes", name, l.Tag, len(page))
			}
			if dir == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name+"."+l.Tag+".html"), []byte(page), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestExample: the picture of the checkout shows the time of a payment that was just started, and asks for no script,
// which its frame would refuse.
func TestExample(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"choose", "send", "done"} {
		p, err := checkout.Example(views.Page{Lang: "en"}, step, nil, time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC))
		if err != nil {
			t.Fatal(err)
		}
		page := render(t, checkout.Pay(p))
		if strings.Contains(page, "<script") {
			t.Errorf("%s: the picture has a script", step)
		}
		if step == "send" && !strings.Contains(page, ">30 minutes<") {
			t.Error("the picture does not have 30 minutes left")
		}
	}
}
