package docs

import (
	_ "embed"
	"regexp"
	"strings"

	"github.com/a-h/templ"

	"github.com/florinpay/florin/views/docs"
)

// changelog is a copy, since a program can embed only what lies beside or below its source.
//
//go:generate cp ../../CHANGELOG.md changelog.md
//go:embed changelog.md
var changelog string

func (s *Surface) changelogDoc(f docs.Frame) (templ.Component, error) {
	return docs.Changelog(docs.ChangelogProps{Frame: f, Releases: releases(changelog)}), nil
}

var link = regexp.MustCompile(`\[([^\]]+)\]\([^)]*\)`)

// releases reads a changelog: a heading of level 2 for each release, one of level 3 for each kind of change, and a list
// item for each change. A line that begins none of them continues the one before.
func releases(text string) []docs.Release {
	var all []docs.Release
	var last *string // the text that the next line continues
	for line := range strings.Lines(text) {
		line = link.ReplaceAllString(strings.TrimRight(line, "\n"), "$1")
		title, isRelease := strings.CutPrefix(line, "## ")
		if !isRelease && len(all) == 0 {
			continue
		}
		if isRelease {
			all, last = append(all, docs.Release{Title: strings.NewReplacer("[", "", "]", "").Replace(title)}), nil
			continue
		}
		last = addChange(&all[len(all)-1], line, last)
	}
	return all
}

// addChange adds a line to a release and returns the text that the next line continues; nil if it begins another.
func addChange(r *docs.Release, line string, last *string) *string {
	heading, isPart := strings.CutPrefix(line, "### ")
	change, isChange := strings.CutPrefix(line, "- ")
	switch {
	case strings.TrimSpace(line) == "":
		return nil
	case isPart:
		r.Parts = append(r.Parts, docs.ChangePart{Title: heading})
		return nil
	case isChange && len(r.Parts) > 0:
		part := &r.Parts[len(r.Parts)-1]
		part.Changes = append(part.Changes, change)
		return &part.Changes[len(part.Changes)-1]
	case last != nil:
		*last += " " + strings.TrimSpace(line)
		return last
	}
	r.Lead = append(r.Lead, line)
	return &r.Lead[len(r.Lead)-1]
}
