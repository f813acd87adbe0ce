package views

import (
	"strings"
	"unicode/utf8"

	"github.com/a-h/templ"
)

// LetterProps is a mail as HTML beside its plain text, for readers that show it.
type LetterProps struct {
	Page
	Subject, Text string
}

// paragraphs are the parts of the text, each with its lines.
func (p LetterProps) paragraphs() (all [][]string) {
	for part := range strings.SplitSeq(strings.TrimSpace(p.Text), "\n\n") {
		all = append(all, strings.Split(part, "\n"))
	}
	return all
}

// maxName is longer than the name of any fact, and shorter than a sentence.
const maxName = 40

// fact splits a line of Facts into name and value; ok is false for any other line.
func fact(line string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(line, ": ")
	return name, value, ok && utf8.RuneCountInString(name) <= maxName
}

// facts reports whether all lines are those of Facts.
func facts(lines []string) bool {
	for _, line := range lines {
		if _, _, ok := fact(line); !ok {
			return false
		}
	}
	return len(lines) > 1
}

// link is the address that a line is; ok is false for any other line.
func link(line string) (templ.SafeURL, bool) {
	if strings.ContainsAny(line, " \t") {
		return "", false
	}
	return WebHref(line)
}
