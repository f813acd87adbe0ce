package docs

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/views/docs"
)

// Every file is a page that is listed, and its Markdown says what the file says.
func TestGuide_EveryFile(t *testing.T) {
	t.Parallel()
	var files, unlisted []string
	must(t, fs.WalkDir(guides, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return err
	}))
	unlisted = slices.Clone(files)
	for _, p := range docs.Pages() {
		if !slices.Contains(files, guideFile(p.Path)) {
			continue
		}
		unlisted = slices.DeleteFunc(unlisted, func(f string) bool { return f == guideFile(p.Path) })
		text, err := guides.ReadFile(guideFile(p.Path))
		must(t, err)
		served := ask(t, p.Path+".md")
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "|--") || strings.HasPrefix(line, "## [") || strings.Contains(line, "](") ||
				strings.Contains(line, "```") {
				continue // written another way
			}
			if !strings.Contains(squeezed(served), squeezed(line)) {
				t.Errorf("%s lacks %q", p.Path, line)
			}
		}
	}
	if len(unlisted) > 0 || len(files) < 20 {
		t.Errorf("%d files; no page has %v", len(files), unlisted)
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
		"a link to no page":        "[x](/docs/nothing)",
		"a link out of the folder": "[x](../../README.md)",
		"a link to a script":       "[x](javascript:alert)",
	} {
		if page, err := guideHTML(docs.Frame{Path: docs.OperatePath}, []byte("# x\n\n"+text)); err == nil {
			t.Errorf("%s: %s", name, page)
		}
	}
}

func TestGuide_Changelog(t *testing.T) {
	t.Parallel()
	page := ask(t, docs.ChangelogPath)
	if !strings.Contains(page, "<code>GET /events</code>") || !strings.Contains(page, "version test") {
		t.Error("the page shows code as text, or no version")
	}
}

// On a phone, where the rows of a table are stacked, its cells say which column they are of; of two columns that is
// plain.
func TestGuide_Tables(t *testing.T) {
	t.Parallel()
	page, err := guideHTML(docs.Frame{Path: docs.OperatePath},
		[]byte("# x\n\n| a | b & b | c |\n|---|---|---|\n| 1 | 2 | 3 |\n\n| a | b |\n|---|---|\n| 4 | 5 |\n"))
	must(t, err)
	for _, want := range []string{
		`<th scope="row" class="word">1</th>`, `<td data-label="b &amp; b">2</td>`, `<td data-label="c">3</td>`, `<td>5</td>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in %s", want, page)
		}
	}
}
