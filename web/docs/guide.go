package docs

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/a-h/templ"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	reader "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/florinpay/florin/views/docs"
)

// guides are the pages for shop owners and operators, and the changelog, as Markdown.
//
//go:embed shop/*.md operate/*.md changelog.md
var guides embed.FS

// guideFile returns the file of a page; README.md is the one that the others of its folder are below.
func guideFile(page string) string {
	name := strings.TrimPrefix(page, docs.StartPath+"/")
	if page == docs.ShopPath || page == docs.OperatePath {
		return name + "/README.md"
	}
	return name + ".md"
}

// guideDoc is a page that is written as Markdown.
func (s *Surface) guideDoc(f docs.Frame) (templ.Component, error) {
	source, err := guides.ReadFile(guideFile(f.Path))
	if err != nil {
		return nil, err
	}
	page, err := guideHTML(f, source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", guideFile(f.Path), err)
	}
	return docs.Guide(f, page), nil
}

// guideHTML writes a guide (CommonMark, with the tables of GitHub) as HTML, as the pages look. It fails on what a page
// would show wrong: a link that leads nowhere, an image, markup.
func guideHTML(f docs.Frame, source []byte) (string, error) {
	guide := goldmark.New(
		goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(guideRenderer{f}, 1))),
	)
	tree := guide.Parser().Parse(reader.NewReader(source))
	if err := prepare(tree, source, guideFile(f.Path)); err != nil {
		return "", err
	}
	var page bytes.Buffer
	if err := guide.Renderer().Render(&page, source, tree); err != nil {
		return "", fmt.Errorf("write the page: %w", err)
	}
	return page.String(), nil
}

// nodeLabel is the attribute that names a box of code or a table for readers who do not see it.
const nodeLabel = "label"

// prepare gives the links of a file their addresses, and boxes of code and tables the name of the heading above them.
func prepare(tree ast.Node, source []byte, from string) error {
	label := ""
	err := ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			label = plainText(n, source)
		case *ast.Paragraph:
			if h, ok := n.PreviousSibling().(*ast.Heading); ok && h.Level == 1 {
				n.SetAttributeString("class", "lead")
			}
		case *ast.Link:
			address, err := guideLink(from, string(n.Destination))
			if err != nil {
				return ast.WalkStop, err
			}
			n.Destination = []byte(address)
		case *ast.FencedCodeBlock, *tables.Table:
			n.SetAttributeString(nodeLabel, label)
		case *ast.Image, *ast.RawHTML, *ast.HTMLBlock:
			return ast.WalkStop, errors.New("images and markup are not shown")
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return fmt.Errorf("below %q: %w", label, err)
	}
	return nil
}

func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Value(source))
		}
		b.WriteString(plainText(c, source))
	}
	return b.String()
}

// guideLink returns the address of what a link in a file leads to: the page of another file, a page of this server, or
// another site.
func guideLink(from, target string) (string, error) {
	if strings.HasPrefix(target, "https://") || strings.HasPrefix(target, "/dashboard") {
		return target, nil
	}
	to, fragment, _ := strings.Cut(target, "#")
	file := path.Join(path.Dir(from), to)
	for _, p := range docs.Pages() {
		if to == p.Path || to != "" && file == guideFile(p.Path) {
			return strings.TrimSuffix(p.Path+"#"+fragment, "#"), nil
		}
	}
	return "", fmt.Errorf("the link to %s leads to no page", target)
}

// guideRenderer writes boxes of code with their button, and tables that scroll on a narrow screen.
type guideRenderer struct{ frame docs.Frame }

// RegisterFuncs names the nodes that are written here; goldmark writes all others.
func (g guideRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, g.code)
	r.Register(tables.KindTable, g.table)
	r.Register(tables.KindTableCell, g.cell)
}

func (g guideRenderer) code(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	label, _ := n.AttributeString(nodeLabel)
	text := strings.TrimRight(string(n.Lines().Value(source)), "\n")
	return ast.WalkSkipChildren, docs.Code(g.frame.Page, fmt.Sprint(label), text).Render(context.Background(), w)
}

func (guideRenderer) table(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		_, err := w.WriteString("</table></div>")
		return ast.WalkContinue, err
	}
	label, _ := n.AttributeString(nodeLabel)
	_, err := fmt.Fprintf(w, `<div class="scroll" tabindex="0" role="region" aria-label="%s"><table class="codes-table">`,
		templ.EscapeString(fmt.Sprint(label)))
	return ast.WalkContinue, err
}

// cell writes a cell; the first of a row is its heading. On a phone, where rows are stacked, the others say which
// column they are of.
func (guideRenderer) cell(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	open, end := "<td>", "</td>"
	switch column := columnOf(n, source); {
	case n.Parent().Kind() == tables.KindTableHeader:
		open, end = `<th scope="col">`, "</th>"
	case n.PreviousSibling() == nil:
		open, end = `<th scope="row" class="word">`, "</th>"
	case column != "" && n.Parent().ChildCount() > 2:
		open = `<td data-label="` + templ.EscapeString(column) + `">`
	}
	if !entering {
		open = end
	}
	_, err := w.WriteString(open)
	return ast.WalkContinue, err
}

// columnOf is the heading of a cell's column.
func columnOf(cell ast.Node, source []byte) string {
	head := cell.Parent().Parent().FirstChild().FirstChild()
	for c := cell.PreviousSibling(); c != nil && head != nil; c = c.PreviousSibling() {
		head = head.NextSibling()
	}
	if head == nil {
		return ""
	}
	return plainText(head, source)
}
