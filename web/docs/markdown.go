package docs

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/florinpay/florin/views/docs"
)

// markdown writes the main part of a page as Markdown, so that it says what the page says. base makes its links
// absolute.
func markdown(page, base string) (string, error) {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return "", fmt.Errorf("read a page: %w", err)
	}
	w := writer{base: base}
	if main := find(root, isMain); main != nil {
		w.blocks(main, "")
	}
	return strings.TrimSpace(w.out.String()) + "\n", nil
}

func isMain(n *html.Node) bool { return n.DataAtom == atom.Main }

// writer writes Markdown.
type writer struct {
	base string
	out  strings.Builder
}

// skipped are elements that are no text of a page.
var skipped = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Nav: true, atom.Form: true, atom.Input: true, atom.Button: true,
	atom.Svg: true, atom.Noscript: true, atom.Textarea: true,
}

var headings = map[atom.Atom]string{atom.H1: "# ", atom.H2: "## ", atom.H3: "### "}

// blocks writes the children of an element; indent begins each line.
func (w *writer) blocks(n *html.Node, indent string) {
	for c := range n.ChildNodes() {
		if c.Type == html.ElementNode && !skipped[c.DataAtom] && !hidden(c) {
			w.block(c, indent)
		}
	}
}

func (w *writer) block(n *html.Node, indent string) {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3:
		w.paragraph(indent, headings[n.DataAtom]+w.inline(n))
	case atom.P:
		w.paragraph(indent, w.inline(n))
	case atom.Ul, atom.Ol:
		w.list(n, indent)
	case atom.Dl:
		w.terms(n, indent)
	case atom.Table:
		w.table(n, indent)
	case atom.Pre:
		w.fenced(textOf(n), "", indent)
	default:
		if hasClass(n, "langs") {
			w.languages(n, indent)
			return
		}
		w.blocks(n, indent)
	}
}

func (w *writer) paragraph(indent, text string) {
	if text != "" {
		w.out.WriteString(indent + text + "\n\n")
	}
}

func (w *writer) list(n *html.Node, indent string) {
	number := 0
	for li := range n.ChildNodes() {
		if li.DataAtom != atom.Li {
			continue
		}
		number++
		mark := "- "
		if n.DataAtom == atom.Ol {
			mark = fmt.Sprintf("%d. ", number)
		}
		if find(li, isBlock) == nil {
			w.out.WriteString(indent + mark + w.inline(li) + "\n")
			continue
		}
		inner := writer{base: w.base}
		inner.blocks(li, "")
		if heading, ok := strings.CutPrefix(inner.out.String(), "## "); ok { // a step of a guide is a heading
			w.out.WriteString(indent + "## " + mark + heading)
			continue
		}
		pad := strings.Repeat(" ", len(mark))
		lines := strings.Split(strings.TrimSpace(inner.out.String()), "\n")
		w.out.WriteString(indent + mark + strings.Join(lines, "\n"+indent+pad) + "\n")
	}
	w.out.WriteString("\n")
}

func isBlock(n *html.Node) bool {
	switch n.DataAtom {
	case atom.P, atom.Ul, atom.Ol, atom.Pre, atom.H2, atom.H3, atom.Dl:
		return true
	}
	return false
}

func (w *writer) terms(n *html.Node, indent string) {
	for row := range n.ChildNodes() {
		if row.DataAtom != atom.Div {
			continue
		}
		var term, meaning string
		for c := range row.ChildNodes() {
			switch c.DataAtom {
			case atom.Dt:
				term = w.inline(c)
			case atom.Dd:
				meaning = w.inline(c)
			}
		}
		w.out.WriteString(indent + strings.TrimSuffix("- "+term+": "+meaning, ": ") + "\n")
	}
	w.out.WriteString("\n")
}

func (w *writer) table(n *html.Node, indent string) {
	first := true
	for _, row := range all(n, func(n *html.Node) bool { return n.DataAtom == atom.Tr }) {
		cells := all(row, func(n *html.Node) bool { return n.DataAtom == atom.Td || n.DataAtom == atom.Th })
		w.out.WriteString(indent + "|")
		for _, c := range cells {
			w.out.WriteString(" " + strings.ReplaceAll(w.inline(c), "|", `\|`) + " |")
		}
		w.out.WriteString("\n")
		if first {
			w.out.WriteString(indent + "|" + strings.Repeat(" --- |", len(cells)) + "\n")
			first = false
		}
	}
	w.out.WriteString("\n")
}

// languages writes a task in every language, each under its name.
func (w *writer) languages(n *html.Node, indent string) {
	labels := all(n, func(n *html.Node) bool { return n.DataAtom == atom.Label })
	for i, c := range all(n, func(n *html.Node) bool { return n.DataAtom == atom.Pre }) {
		name := ""
		if i < len(labels) {
			name = textOf(labels[i])
		}
		w.paragraph(indent, name+":")
		w.fenced(textOf(c), fences[name], indent)
	}
}

// fences are the names of languages as Markdown knows them.
var fences = map[string]string{
	"curl": "sh", "JavaScript": "js", "PHP": "php", "Go": "go", "Python": "python",
}

func (w *writer) fenced(code, language, indent string) {
	lines := strings.Split(strings.TrimRight(code, "\n"), "\n")
	w.out.WriteString(indent + "```" + language + "\n" + indent + strings.Join(lines, "\n"+indent) +
		"\n" + indent + "```\n\n")
}

// inline writes the text of an element in one line.
func (w *writer) inline(n *html.Node) string {
	var b strings.Builder
	w.inlineInto(&b, n)
	return strings.Join(strings.Fields(b.String()), " ")
}

func (w *writer) inlineInto(b *strings.Builder, n *html.Node) {
	for c := range n.ChildNodes() {
		switch {
		case c.Type == html.TextNode:
			b.WriteString(c.Data)
		case c.Type != html.ElementNode || skipped[c.DataAtom]:
		case c.DataAtom == atom.Code:
			b.WriteString("`" + textOf(c) + "`")
			if next := c.NextSibling; next != nil && next.Type == html.ElementNode {
				b.WriteString(" ")
			}
		case c.DataAtom == atom.Strong:
			b.WriteString("**" + w.inline(c) + "**")
		case c.DataAtom == atom.A:
			b.WriteString("[" + w.inline(c) + "](" + w.absolute(attribute(c, "href")) + ")")
		case c.DataAtom == atom.Br:
			b.WriteString(" ")
		default:
			b.WriteString(" ")
			w.inlineInto(b, c)
			b.WriteString(" ")
		}
	}
}

// absolute returns a link as a reader of Markdown needs it: to the Markdown of a page.
func (w *writer) absolute(href string) string {
	path, fragment, _ := strings.Cut(href, "#")
	switch {
	case path == "":
		return "#" + fragment
	case !strings.HasPrefix(path, "/"):
		return href
	}
	for _, p := range docs.Pages() {
		if path == p.Path {
			path += docs.MarkdownEnding
		}
	}
	if fragment != "" {
		path += "#" + fragment
	}
	return w.base + path
}
