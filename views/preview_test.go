package views_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/a-h/templ"

	"github.com/florinpay/florin/views"
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
