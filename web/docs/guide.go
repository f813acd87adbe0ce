package docs

import (
	"embed"
	"fmt"
	"path"
	"strings"

	"github.com/a-h/templ"

	"github.com/florinpay/florin/views/docs"
)

// guides are the pages for operators, as Markdown.
//
//go:embed operate/*.md
var guides embed.FS

// firstGuide is the file of the page that the others are below.
const firstGuide = "README.md"

// guideFile returns the file of a page for operators.
func guideFile(page string) string {
	if page == docs.OperatePath {
		return firstGuide
	}
	return path.Base(page) + ".md"
}

// operateDoc is a page for operators.
func (s *Surface) operateDoc(f docs.Frame) (templ.Component, error) {
	text, err := guides.ReadFile("operate/" + guideFile(f.Path))
	if err != nil {
		return nil, err
	}
	blocks, err := parseGuide(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", guideFile(f.Path), err)
	}
	return docs.Guide(docs.GuideProps{Frame: f, Blocks: blocks}), nil
}

// parseGuide reads a guide.
func parseGuide(text string) ([]docs.Block, error) { return parseMarkdown(text, 2, guideLink) }

// guideLink returns the address of what a link in a file leads to: another page, or another site.
func guideLink(target string) (string, error) {
	if strings.HasPrefix(target, "https://") {
		return target, nil
	}
	file, fragment, _ := strings.Cut(target, "#")
	for _, p := range docs.Pages() {
		if file != "" && strings.HasPrefix(p.Path, docs.OperatePath) && guideFile(p.Path) == file {
			if fragment != "" {
				fragment = "#" + fragment
			}
			return p.Path + fragment, nil
		}
	}
	return "", fmt.Errorf("the link to %s leads to no page", target)
}
