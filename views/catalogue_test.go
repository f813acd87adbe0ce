package views_test

import (
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/florinpay/florin/views"
)

var update = flag.Bool("update", false, "write the English texts of the sources into active.en.json")

// TestCatalogue: what pages say is in the English file, and nothing else is. It lists what other languages lack,
// which they say in English.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	english, said, quoted := messages(t, "en"), map[string]bool{}, map[string]bool{}
	for _, room := range []string{
		".", "../web", "../internal/identity", "../internal/merchant", "../internal/payment",
		"../internal/campaign",
		"../internal/mail",
	} {
		readTexts(t, room, said, quoted)
	}
	if *update {
		writeEnglish(t, english, said, quoted)
		return
	}
	for text := range said {
		if _, ok := english[text]; !ok {
			t.Errorf("%q is said by a page and in no message file; make translations writes it", text)
		}
	}
	for id := range english {
		if !quoted[id] {
			t.Errorf("%q is in the message files and said by no page; make translations removes it", id)
		}
	}
	for _, l := range views.Languages()[1:] {
		translated := messages(t, l.Tag)
		missing := slices.DeleteFunc(slices.Sorted(maps.Keys(english)), func(id string) bool {
			return translated[id] != nil
		})
		t.Logf("%s: %d of %d texts are not translated", l.Tag, len(missing), len(english))
		for _, id := range missing {
			t.Logf("%s: %q", l.Tag, id)
		}
	}
}

// readTexts collects the texts that calls of T and N in a room name (true: with a plural), and all strings of it.
func readTexts(t *testing.T, room string, said, quoted map[string]bool) {
	t.Helper()
	err := filepath.WalkDir(room, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok {
				if text, ok := constant(e); ok {
					quoted[text] = true
				}
			}
			if call, ok := n.(*ast.CallExpr); ok {
				if text, plural, ok := textOf(call); ok {
					said[text] = plural
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// textOf is the text that a call of T or N names as its first or second argument; ok is false for any other call.
func textOf(call *ast.CallExpr) (text string, plural, ok bool) {
	name := ""
	switch f := call.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	if name != "T" && name != "N" {
		return "", false, false
	}
	for _, arg := range call.Args[:min(2, len(call.Args))] {
		if text, ok = constant(arg); ok {
			return text, name == "N", true
		}
	}
	return "", false, false
}

// constant is the string that literals joined by + are.
func constant(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, okLeft := constant(e.X)
		right, okRight := constant(e.Y)
		return left + right, okLeft && okRight && e.Op == token.ADD
	}
	return "", false
}

// writeEnglish adds the texts of the sources to active.en.json and removes what is said no more. The singular of a
// plural is written there by hand.
func writeEnglish(t *testing.T, english map[string]map[string]string, said, quoted map[string]bool) {
	t.Helper()
	file := map[string]any{}
	for id, forms := range english {
		if text, single := forms[""]; quoted[id] && single {
			file[id] = text
		} else if quoted[id] {
			file[id] = forms
		}
	}
	for text, plural := range said {
		switch {
		case file[text] != nil:
		case plural:
			file[text] = map[string]string{"one": text, "other": text}
		default:
			file[text] = text
		}
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("locales/active.en.json", []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
