package views_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"github.com/florinpay/florin/views"
)

// document is a rendered page as a browser without scripts reads it.
type document struct {
	t    testing.TB
	root *html.Node
	text string
}

// open renders a component and parses what came out.
func open(t testing.TB, c templ.Component) document {
	t.Helper()
	text := render(t, c)
	return document{t, parse(t, text), text}
}

func parse(t testing.TB, text string) *html.Node {
	t.Helper()
	root, err := html.ParseWithOptions(strings.NewReader(text), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// TestTemplates_Attributes: "else if" among the attributes of a tag is no word
// of templ, which writes it into the page.
func TestTemplates_Attributes(t *testing.T) {
	t.Parallel()
	var sources []string
	for _, pattern := range []string{"*_templ.go", "*/*_templ.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, found...)
	}
	if len(sources) < 10 {
		t.Fatalf("only %d templates are here", len(sources))
	}
	for _, source := range sources {
		text, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), `" else`) {
			t.Errorf("%s writes an else into a tag", source)
		}
	}
}

// elements are all elements that fit, in the order of the document.
func (d document) elements(fits func(*html.Node) bool) []*html.Node {
	var found []*html.Node
	for n := range d.root.Descendants() {
		if n.Type == html.ElementNode && fits(n) {
			found = append(found, n)
		}
	}
	return found
}

// all are the elements with a data-testid.
func (d document) all(testID string) []*html.Node {
	return d.elements(func(n *html.Node) bool { return attribute(n, "data-testid") == testID })
}

// has reports whether there is an element with a data-testid.
func (d document) has(testID string) bool { return len(d.all(testID)) > 0 }

// one is the only element with a data-testid; the test fails if there is none or more.
func (d document) one(testID string) *html.Node {
	d.t.Helper()
	found := d.all(testID)
	if len(found) != 1 {
		d.t.Fatalf("%d elements are called %q, want 1", len(found), testID)
	}
	return found[0]
}

// says is the text of the only element with a data-testid, with single spaces.
func (d document) says(testID string) string {
	d.t.Helper()
	return content(d.one(testID))
}

// hasAll and hasNone check for a set of elements at once.
func (d document) hasAll(testIDs ...string) {
	d.t.Helper()
	for _, id := range testIDs {
		if !d.has(id) {
			d.t.Errorf("there is no %q", id)
		}
	}
}

func (d document) hasNone(testIDs ...string) {
	d.t.Helper()
	for _, id := range testIDs {
		if d.has(id) {
			d.t.Errorf("there is a %q", id)
		}
	}
}

// attribute of an element; empty when it has none.
func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func hasAttribute(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// content is the text inside a node, white space made single; a no-break space stays what it is.
func content(n *html.Node) string {
	var b strings.Builder
	for child := range n.Descendants() {
		if child.Type == html.TextNode {
			b.WriteString(child.Data)
		}
	}
	words := strings.FieldsFunc(b.String(), func(r rune) bool { return r == ' ' || r == '\n' || r == '\t' })
	return strings.Join(words, " ")
}

// void are the elements without an end tag (HTML standard, section 13.1.2).
var void = []string{
	"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
	"wbr",
}

// malformed says what a browser would have to repair in the text of a page: tags that are not closed or
// not nested, attributes and ids given twice, references to ids that do not exist. Nesting that the
// grammar forbids (a <div> in a <p>) shows as an element at another depth than it was written at.
func malformed(t testing.TB, text string) []string {
	t.Helper()
	var problems []string
	written, stack := []string{}, []string{}
	z := html.NewTokenizer(strings.NewReader(text))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		problems = append(problems, doubled(string(z.Raw()))...)
		token := z.Token()
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			written = append(written, fmt.Sprintf("%d %s", len(stack), token.Data))
			if kind == html.StartTagToken && !slices.Contains(void, token.Data) {
				stack = append(stack, token.Data)
			}
			if token.Data == "noscript" {
				z.NextIsNotRawText()
			}
		case html.EndTagToken:
			if len(stack) == 0 || stack[len(stack)-1] != token.Data {
				return append(problems, fmt.Sprintf("</%s> closes %v", token.Data, stack))
			}
			stack = stack[:len(stack)-1]
		}
	}
	if len(stack) > 0 {
		problems = append(problems, fmt.Sprintf("%v stays open", stack))
	}
	root := parse(t, text)
	if read := depths(root); !slices.Equal(read, written) {
		problems = append(problems, "a browser nests it differently: "+firstDifference(written, read))
	}
	return append(problems, dangling(root)...)
}

var (
	startTag      = regexp.MustCompile(`^<[a-zA-Z]`)
	quotedValue   = regexp.MustCompile(`"[^"]*"`)
	attributeName = regexp.MustCompile(`\s([a-zA-Z][^\s=/>]*)`)
)

// doubled finds attributes given twice in the raw text of a tag; parsers drop the second silently.
func doubled(raw string) []string {
	if !startTag.MatchString(raw) {
		return nil
	}
	var problems []string
	seen := map[string]bool{}
	for _, name := range attributeName.FindAllStringSubmatch(quotedValue.ReplaceAllString(raw, ""), -1) {
		if seen[name[1]] {
			problems = append(problems, fmt.Sprintf("%.40s has %s twice", raw, name[1]))
		}
		seen[name[1]] = true
	}
	return problems
}

// depths are the elements of a tree with how deep each one is.
func depths(root *html.Node) []string {
	var all []string
	var walk func(n *html.Node, depth int)
	walk = func(n *html.Node, depth int) {
		if n.Type == html.ElementNode {
			all = append(all, fmt.Sprintf("%d %s", depth, strings.ToLower(n.Data)))
			depth++
		}
		for child := range n.ChildNodes() {
			walk(child, depth)
		}
	}
	walk(root, 0)
	return all
}

func firstDifference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("element %d is written as %q after %v and read as %q", i, a[i], a[max(0, i-3):i], b[i])
		}
	}
	return fmt.Sprintf("%d elements are written, %d read", len(a), len(b))
}

// dangling are ids given twice and references to none.
func dangling(root *html.Node) []string {
	var problems []string
	ids := map[string]int{}
	for n := range root.Descendants() {
		if id := attribute(n, "id"); id != "" {
			ids[id]++
		}
	}
	for id, times := range ids {
		if times > 1 {
			problems = append(problems, fmt.Sprintf("%d elements have the id %q", times, id))
		}
	}
	for n := range root.Descendants() {
		for _, name := range []string{"for", "aria-labelledby", "aria-describedby", "aria-controls", "list", "form"} {
			for id := range strings.FieldsSeq(attribute(n, name)) {
				if ids[id] == 0 {
					problems = append(problems, fmt.Sprintf("%s=%q refers to nothing", name, id))
				}
			}
		}
	}
	return problems
}

// TestPagesWellFormed reads every page in every language as strictly as no browser does.
func TestPagesWellFormed(t *testing.T) {
	t.Parallel()
	for _, l := range views.Languages() {
		for name, page := range samplePages(t, l.Tag) {
			for _, problem := range malformed(t, render(t, page)) {
				t.Errorf("%s in %s: %s", name, l.Tag, problem)
			}
		}
	}
}

// TestMalformed: malformed finds each of the faults it looks for.
func TestMalformed(t *testing.T) {
	t.Parallel()
	frame := func(body string) string {
		return "<!DOCTYPE html><html><head><title>x</title></head><body>" + body + "</body></html>"
	}
	if found := malformed(t, frame(`<p id="a">fine<br><label for="a">x</label></p>`)); len(found) > 0 {
		t.Errorf("a good page: %v", found)
	}
	for _, bad := range []string{
		"<p>open", "<b><i></b></i>", "<p><div></div></p>", `<p id="a"></p><p id="a"></p>`, `<label for="b"></label>`,
		`<p class="a" class="b"></p>`, "<a><a></a></a>", "<form><form></form></form>", "<table><p></p></table>", "</p>",
	} {
		if found := malformed(t, frame(bad)); len(found) == 0 {
			t.Errorf("%s passes as well-formed", bad)
		}
	}
}
