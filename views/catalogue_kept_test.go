package views_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/florinpay/florin/views"
)

// TestCatalogue_Kept: each language has every text that is stored to be written when it is read (mail.Words.Kept): the
// audit log, changes that wait, why a webhook failed. Nobody reads a line of two languages.
func TestCatalogue_Kept(t *testing.T) {
	t.Parallel()
	kept := map[string]bool{}
	for _, room := range []string{"../internal", "../web", "../cmd"} {
		err := filepath.WalkDir(room, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && nameOf(call) == "Kept" {
					ast.Inspect(call.Fun, func(n ast.Node) bool {
						if inner, ok := n.(*ast.CallExpr); ok {
							if text, _, ok := textOf(inner); ok {
								kept[text] = true
							}
						}
						return true
					})
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(kept) < 50 {
		t.Fatalf("found only %d texts", len(kept))
	}
	for _, l := range views.Languages() {
		translated := messages(t, l.Tag)
		for text := range kept {
			if translated[text] == nil {
				t.Errorf("%s lacks %q", l.Tag, text)
			}
		}
	}
}
