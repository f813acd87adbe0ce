package docs

import (
	_ "embed"
	"fmt"
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
	all, err := releases(changelog)
	if err != nil {
		return nil, fmt.Errorf("changelog: %w", err)
	}
	return docs.Changelog(docs.ChangelogProps{Frame: f, Releases: all}), nil
}

// releases reads a changelog: a heading of level 2 for each release, one of level 3 for each kind of change, and a list
// item for each change.
func releases(text string) ([]docs.Release, error) {
	blocks, err := parseMarkdown(text, 3, siteLink)
	if err != nil {
		return nil, err
	}
	var all []docs.Release
	for _, b := range blocks {
		if b.Level == 2 {
			title := strings.NewReplacer("[", "", "]", "").Replace(docs.Plain(b.Text))
			all = append(all, docs.Release{Title: title})
		} else if len(all) > 0 {
			addBlock(&all[len(all)-1], b)
		}
	}
	return all, nil
}

// addBlock adds what follows the heading of a release.
func addBlock(r *docs.Release, b docs.Block) {
	switch {
	case b.Level == 3:
		r.Parts = append(r.Parts, docs.ChangePart{Title: docs.Plain(b.Text)})
	case len(b.Items) > 0 && len(r.Parts) > 0:
		part := &r.Parts[len(r.Parts)-1]
		part.Changes = append(part.Changes, b.Items...)
	default:
		r.Lead = append(r.Lead, b.Text)
	}
}

// siteLink keeps links to other sites: files of the source are not served.
func siteLink(target string) (string, error) {
	if strings.HasPrefix(target, "https://") {
		return target, nil
	}
	return "", nil
}
