package docs

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/views/docs"
)

var hrefs = regexp.MustCompile(`href="(/docs/operate[^"#]*)(#[^"]*)?"`)

// Every file is a page that is listed, its Markdown says what the file says, and its links lead somewhere.
func TestGuide_EveryFile(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(guides, "operate/*.md")
	must(t, err)
	pages := make(map[string]string) // by path
	for _, p := range docs.Pages() {
		if strings.HasPrefix(p.Path, docs.OperatePath) {
			pages[p.Path] = ask(t, p.Path)
			files = slices.DeleteFunc(files, func(f string) bool { return f == guideFile(p.Path) })
		}
	}
	if len(files) > 0 || len(pages) < 6 {
		t.Errorf("%d pages; no page has %v", len(pages), files)
	}
	for path, page := range pages {
		text, err := guides.ReadFile(guideFile(path))
		must(t, err)
		served := ask(t, path+".md")
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "|--") || strings.Contains(line, "](") || strings.Contains(line, "```") {
				continue // written another way
			}
			if !strings.Contains(squeezed(served), squeezed(line)) {
				t.Errorf("%s lacks %q", path, line)
			}
		}
		links := hrefs.FindAllStringSubmatch(page, -1)
		for _, l := range links {
			target, ok := pages[l[1]]
			if id := strings.TrimPrefix(l[2], "#"); !ok || id != "" && !strings.Contains(target, `id="`+id+`"`) {
				t.Errorf("%s links %s%s, which is not there", path, l[1], l[2])
			}
		}
	}
}

// squeezed leaves out white space, which Markdown may write in another way.
func squeezed(text string) string { return strings.Join(strings.Fields(text), "") }

// What would be shown wrong is refused.
func TestGuide_Refuses(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"an image":                 "![x](https://example.com/x.png)",
		"markup":                   "a <b>x</b>",
		"a block of markup":        "<b>x</b>",
		"a link to nothing":        "[x](nothing.md)",
		"a link out of the folder": "[x](../../README.md)",
		"a link to a script":       "[x](javascript:alert)",
	} {
		if page, err := guideHTML(docs.Frame{}, []byte("# x\n\n"+text)); err == nil {
			t.Errorf("%s: %s", name, page)
		}
	}
}

// The changelog says what CHANGELOG.md says.
func TestGuide_Changelog(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile("../../CHANGELOG.md")
	must(t, err)
	if embedded, err := guides.ReadFile("changelog.md"); err != nil || string(whole) != string(embedded) {
		t.Errorf("changelog.md is not CHANGELOG.md (%v)", err)
	}
	page := ask(t, docs.ChangelogPath)
	if !strings.Contains(page, "<code>GET /events</code>") || !strings.Contains(page, "version test") {
		t.Error("the page shows code as text, or no version")
	}
}
