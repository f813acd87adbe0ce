package docs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/florinpay/florin/views/docs"
)

var toMarkdown = converter.NewConverter(converter.WithPlugins(
	base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(),
	table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal)),
))

// markdown writes the main part of a page as Markdown, so that it says what the page says. Links become absolute, and
// lead to the Markdown of pages.
func markdown(page, baseURL string) (string, error) {
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return "", fmt.Errorf("read a page: %w", err)
	}
	main := find(root, isMain)
	if main == nil {
		return "", nil
	}
	for _, n := range all(main, isSkipped) {
		n.Parent.RemoveChild(n)
	}
	for _, n := range all(main, func(n *html.Node) bool { return n.Type == html.ElementNode }) {
		switch {
		case n.DataAtom == atom.A:
			setAttribute(n, "href", markdownLink(attribute(n, "href"), baseURL))
		case n.DataAtom == atom.Dl:
			listTerms(n)
		case hasClass(n, "langs"):
			nameLanguages(n)
		}
	}
	text, err := toMarkdown.ConvertNode(main)
	if err != nil {
		return "", fmt.Errorf("write a page as Markdown: %w", err)
	}
	return strings.TrimSpace(string(text)) + "\n", nil
}

func isMain(n *html.Node) bool { return n.DataAtom == atom.Main }

// isSkipped reports whether a node is no text of a page.
func isSkipped(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Nav, atom.Form, atom.Input, atom.Button, atom.Svg, atom.Noscript, atom.Textarea:
		return true
	}
	return hidden(n)
}

// listTerms makes terms with meanings, which Markdown has not, a list.
func listTerms(dl *html.Node) {
	dl.DataAtom, dl.Data = atom.Ul, "ul"
	for row := range dl.ChildNodes() {
		row.DataAtom, row.Data = atom.Li, "li"
		for _, c := range slices.Collect(row.ChildNodes()) {
			if c.DataAtom == atom.Dd && c.FirstChild != nil {
				row.InsertBefore(textNode(": "), c)
			}
			if c.DataAtom == atom.Dt {
				spaceWords(c)
			}
			c.DataAtom, c.Data = atom.Span, "span"
		}
	}
}

// spaceWords leaves one space between the parts of a term, and none around them.
func spaceWords(term *html.Node) {
	for _, n := range all(term, func(n *html.Node) bool { return n.Type == html.TextNode }) {
		n.Data = strings.TrimSpace(n.Data)
	}
	for _, n := range slices.Collect(term.ChildNodes()) {
		if n.PrevSibling != nil && n.Type == html.ElementNode {
			term.InsertBefore(textNode(" "), n)
		}
	}
}

// nameLanguages puts the name of its language above each sample, and into its box.
func nameLanguages(n *html.Node) {
	labels := all(n, func(n *html.Node) bool { return n.DataAtom == atom.Label })
	for i, pre := range all(n, func(n *html.Node) bool { return n.DataAtom == atom.Pre }) {
		if i >= len(labels) {
			return
		}
		name := textOf(labels[i])
		n.RemoveChild(labels[i])
		paragraph := &html.Node{Type: html.ElementNode, DataAtom: atom.P, Data: "p"}
		paragraph.AppendChild(textNode(name + ":"))
		pre.Parent.InsertBefore(paragraph, pre)
		if code := find(pre, func(n *html.Node) bool { return n.DataAtom == atom.Code }); code != nil {
			setAttribute(code, "class", "language-"+fences[name])
		}
	}
}

// fences are the names of languages as Markdown knows them.
var fences = map[string]string{"curl": "sh", "JavaScript": "js", "PHP": "php", "Go": "go", "Python": "python"}

func textNode(s string) *html.Node { return &html.Node{Type: html.TextNode, Data: s} }

// markdownLink returns a link as a reader of Markdown needs it: to the Markdown of a page.
func markdownLink(href, baseURL string) string {
	path, fragment, _ := strings.Cut(href, "#")
	if !strings.HasPrefix(path, "/") {
		return href
	}
	for _, p := range docs.Pages() {
		if path == p.Path {
			path += docs.MarkdownEnding
		}
	}
	return strings.TrimSuffix(baseURL+path+"#"+fragment, "#")
}
