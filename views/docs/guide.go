package docs

import "strings"

// Span is a piece of text of a guide or the changelog: plain, code, strong or a link.
type Span struct {
	Text         string
	Code, Strong bool
	Href         string
}

// Block is a part of a guide. Which field is set says what it is; a heading has a Level, a paragraph none.
type Block struct {
	Level int    // of a heading, from 1; 0: a paragraph
	ID    string // of a heading
	Text  []Span
	Items [][]Span   // a list
	Rows  [][][]Span // a table: the first row is its head
	Code  string     // a box of code
	Label string     // of a table or a box of code, for readers who do not see it
}

// NewHeading returns a heading with the id that links lead to.
func NewHeading(level int, text []Span) Block {
	return Block{Level: level, ID: anchorOf(Plain(text)), Text: text}
}

// Plain returns the text alone.
func Plain(text []Span) string {
	var plain strings.Builder
	for _, s := range text {
		plain.WriteString(s.Text)
	}
	return plain.String()
}

// GuideProps is a page of a guide.
type GuideProps struct {
	Frame

	Blocks []Block
}
