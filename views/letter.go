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

// heading is the subject; no line of it begins with the dot between its parts.
func (p LetterProps) heading() string { return strings.ReplaceAll(p.Subject, " · ", "\u00a0· ") }

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
	name, value, ok = strings.Cut(strings.Replace(line, "：", ": ", 1), ": ")
	return name, value, ok && value != "" && utf8.RuneCountInString(name) <= maxName
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

// act splits off a last line that is an address and becomes a button. A short line before it names the button; ok is
// false where nothing stands before it.
func (p LetterProps) act(lines []string) (before []string, label string, to templ.SafeURL, ok bool) {
	last := len(lines) - 1
	if last == 0 {
		return lines, "", "", false
	}
	if to, ok = link(lines[last]); !ok {
		return lines, "", "", false
	}
	_, _, isFact := fact(lines[last-1])
	if isFact || utf8.RuneCountInString(lines[last-1]) > maxName {
		label = p.T("Continue")
		switch u := string(to); {
		case strings.HasSuffix(u, "/dashboard"):
			label = p.T("Sign in")
		case strings.HasSuffix(u, "/attention"):
			label = p.T("Needs attention")
		case strings.Contains(u, "/receipt?"):
			label = p.T("act.receipt")
		case strings.Contains(u, "/pay?"):
			label = p.T("act.continue")
		}
		return lines[:last], label, to, true
	}
	return lines[:last-1], strings.TrimRight(lines[last-1], ":： \u00a0"), to, true
}

// link is the address that a line is; ok is false for any other line.
func link(line string) (templ.SafeURL, bool) {
	if strings.ContainsAny(line, " \t") {
		return "", false
	}
	return WebHref(line)
}
