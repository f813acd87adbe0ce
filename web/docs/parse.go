package docs

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/florinpay/florin/views/docs"
)

// parseMarkdown reads the Markdown that the guides and the changelog are written in: headings down to a level,
// paragraphs, lists, tables, boxes of code; in lines code, strong text and links. address returns what a link leads to,
// empty for a text without a link. It fails on what it would show wrong.
func parseMarkdown(text string, level int, address func(string) (string, error)) ([]docs.Block, error) {
	p := parser{lines: strings.Split(strings.TrimRight(text, "\n"), "\n"), level: level, address: address}
	for len(p.lines) > 0 {
		if err := p.block(); err != nil {
			return nil, fmt.Errorf("%q: %w", p.first, err)
		}
	}
	return p.blocks, nil
}

// parser reads a text block by block.
type parser struct {
	level   int // of the deepest heading
	address func(target string) (string, error)
	lines   []string // what is left
	first   string   // the line that the block begins with
	label   string   // the last heading
	blocks  []docs.Block
}

// block reads the next block.
func (p *parser) block() error {
	p.first = p.lines[0]
	switch {
	case strings.TrimSpace(p.first) == "":
		p.lines = p.lines[1:]
		return nil
	case strings.HasPrefix(p.first, "```"):
		return p.code()
	case strings.HasPrefix(p.first, "|"):
		return p.table()
	case strings.HasPrefix(p.first, "- "):
		return p.list()
	case p.atHeading():
		return p.heading()
	case strings.ContainsAny(p.first[:1], "#>!<*+") &&
		!strings.HasPrefix(p.first, "**"), strings.HasPrefix(p.first, " "):
		return errors.New("no block that is known begins so")
	}
	spans, err := p.spans(strings.Join(p.while(func(line string) bool {
		return line != "" && !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "|") &&
			!strings.HasPrefix(line, "- ") && !strings.HasPrefix(line, "#")
	}), " "))
	p.blocks = append(p.blocks, docs.Block{Text: spans})
	return err
}

// while takes the lines as long as they are of the block.
func (p *parser) while(of func(string) bool) []string {
	n := 0
	for n < len(p.lines) && of(p.lines[n]) {
		n++
	}
	taken := p.lines[:n]
	p.lines = p.lines[n:]
	return taken
}

// atHeading reports whether the block is a heading that is not too deep.
func (p *parser) atHeading() bool {
	marks, _, _ := strings.Cut(p.first, " ")
	return strings.Trim(marks, "#") == "" && len(marks) >= 1 && len(marks) <= p.level
}

func (p *parser) heading() error {
	marks, text, _ := strings.Cut(p.first, " ")
	spans, err := p.spans(text)
	p.label, p.lines = strings.ReplaceAll(text, "`", ""), p.lines[1:]
	p.blocks = append(p.blocks, docs.NewHeading(len(marks), spans))
	return err
}

func (p *parser) code() error {
	p.lines = p.lines[1:]
	lines := p.while(func(line string) bool { return line != "```" })
	if len(p.lines) == 0 || len(lines) == 0 {
		return errors.New("the box of code is empty or has no end")
	}
	p.lines = p.lines[1:]
	p.blocks = append(p.blocks, docs.Block{Code: strings.Join(lines, "\n"), Label: p.label})
	return nil
}

// list reads items, each of one line and those below it that are indented.
func (p *parser) list() error {
	var b docs.Block
	for len(p.lines) > 0 && strings.HasPrefix(p.lines[0], "- ") {
		item := []string{p.lines[0][len("- "):]}
		p.lines = p.lines[1:]
		for _, more := range p.while(func(line string) bool { return strings.HasPrefix(line, "  ") }) {
			item = append(item, strings.TrimSpace(more))
		}
		spans, err := p.spans(strings.Join(item, " "))
		if err != nil {
			return err
		}
		b.Items = append(b.Items, spans)
	}
	p.blocks = append(p.blocks, b)
	return nil
}

var tableRule = regexp.MustCompile(`^(\|\s*-+\s*)+\|$`)

func (p *parser) table() error {
	lines := p.while(func(line string) bool { return strings.HasPrefix(line, "|") })
	if len(lines) < 3 || !tableRule.MatchString(lines[1]) {
		return errors.New("the table has no head")
	}
	b := docs.Block{Label: p.label}
	for i, line := range lines {
		if i == 1 {
			continue
		}
		var row [][]docs.Span
		for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
			spans, err := p.spans(strings.TrimSpace(cell))
			if err != nil {
				return err
			}
			row = append(row, spans)
		}
		if len(b.Rows) > 0 && len(row) != len(b.Rows[0]) {
			return fmt.Errorf("the row %q has %d cells", line, len(row))
		}
		b.Rows = append(b.Rows, row)
	}
	p.blocks = append(p.blocks, b)
	return nil
}

var inline = regexp.MustCompile("`[^`]+`|\\*\\*[^*]+\\*\\*|\\[[^]]+\\]\\([^)]+\\)")

// spans reads the text of a line.
func (p *parser) spans(text string) ([]docs.Span, error) {
	var out []docs.Span
	plain := func(s string) error {
		if strings.Contains(s, "`") || strings.Contains(s, "**") || strings.Contains(s, "](") {
			return fmt.Errorf("%q is not closed", s)
		}
		if s != "" {
			out = append(out, docs.Span{Text: s})
		}
		return nil
	}
	at := 0
	for _, m := range inline.FindAllStringIndex(text, -1) {
		if err := plain(text[at:m[0]]); err != nil {
			return nil, err
		}
		s, err := p.span(text[m[0]:m[1]])
		if err != nil {
			return nil, err
		}
		out, at = append(out, s), m[1]
	}
	return out, plain(text[at:])
}

// span reads code, strong text or a link.
func (p *parser) span(text string) (docs.Span, error) {
	switch text[0] {
	case '`':
		return docs.Span{Text: strings.Trim(text, "`"), Code: true}, nil
	case '*':
		return docs.Span{Text: strings.Trim(text, "*"), Strong: true}, nil
	}
	label, target, _ := strings.Cut(text[1:len(text)-1], "](")
	href, err := p.address(target)
	return docs.Span{Text: label, Href: href}, err
}
