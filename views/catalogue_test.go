package views_test

import (
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/shell"
)

var update = flag.Bool("update", false, "write the English texts of the sources into active.en.json")

// TestCatalogue: what pages say is in the English file, and nothing else is. It lists what other languages lack,
// which they say in English.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	english, said, quoted := messages(t, "en"), map[string]bool{}, map[string]bool{}
	for _, room := range []string{
		".", "../web", "../internal/identity", "../internal/merchant", "../internal/payment",
		"../internal/audit", "../internal/campaign", "../internal/exchange", "../internal/input", "../internal/mail",
		"../internal/money", "../internal/fault", "../internal/refund", "../internal/webhook", "../internal/settlement",
		"../internal/chain", "../internal/ledger", "../internal/recharge", "../internal/store", "../cmd/florin",
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
		absolute, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		ofMerchant := merchantRooms.MatchString(absolute)
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
			if text, ok := handed(n); ok && ofMerchant {
				say(said, text)
			}
			if text, ok := ofList(path, n); ok {
				say(said, text)
			}
			if text, ok := refusal(path, n); ok {
				say(said, text)
				quoted[text] = true
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// say adds a text without a plural, unless it is known.
func say(said map[string]bool, text string) {
	if _, known := said[text]; !known {
		said[text] = false
	}
}

// shown are what components of the panel translate: the fields of structs, and the arguments of calls by position.
var (
	shownFields = []string{"Label", "Hint", "Text", "LinkText", "Title", "Problem", "saved"}
	shownArgs   = map[string]int{
		"Bad": 1, "For": 1, "Redirect": 2, "Frame": 2, "Select": 1, "SelectAs": 2, "NewPasswordField": 0, "fact": 0,
		"wrong": 0, "known": 2, "refuse": 2, "door": 1, "entryForm": 2, "campaignAct": 3, "pauseLink": 3,
		"done": 5, "takeLogo": 4, "storedBox": 1, "bound": 1,
	}
	// merchantRooms are those whose pages are shown by the panel, in the language of the merchant.
	merchantRooms = regexp.MustCompile(
		"/(views|web)/(panel|session|dashboard|settings|settle|onboarding|campaign|team|security|signin)/")
)

// handed is the English text that a field or a call of a merchant's page hands to the panel.
func handed(n ast.Node) (text string, ok bool) {
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		if key, isName := n.Key.(*ast.Ident); isName && slices.Contains(shownFields, key.Name) {
			text, ok = constant(n.Value)
		}
	case *ast.AssignStmt:
		for i, to := range n.Lhs {
			if f, isField := to.(*ast.SelectorExpr); isField && slices.Contains(shownFields, f.Sel.Name) && !ok {
				text, ok = constant(n.Rhs[min(i, len(n.Rhs)-1)])
			}
		}
	case *ast.CallExpr:
		if i, known := shownArgs[nameOf(n)]; known && i < len(n.Args) {
			text, ok = constant(n.Args[i])
		}
	}
	return text, ok && strings.ContainsFunc(text, unicode.IsLower)
}

// textOf is the text that a call of T or N names as its first or second argument; ok is false for any other call.
func textOf(call *ast.CallExpr) (text string, plural, ok bool) {
	name := nameOf(call)
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

func nameOf(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
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

// refusalRooms are those whose refusals people read on pages, and the kinds that no page shows.
var (
	refusalRooms = regexp.MustCompile(
		"internal/(campaign|exchange|fault|identity|input|merchant|payment)/[^/]*$|" +
			"internal/(webhook/url|settlement/schedule|chain/address[a-z_]*|chain/solana/check|ledger/ledger|money/micros|" +
			"refund/(address|decide|service))[.]go$|" +
			"web/(campaign|dashboard|onboarding|security|session|settings|settle|shell|signin|team)/")
	unsaid = regexp.MustCompile("chain/.*fault.Unprocessable|fault.Internal$")
)

// refusals are the calls that make one, or a text in one: where its format is among the arguments, and whether it is
// a sentence by itself.
var refusals = map[string]struct {
	format   int
	sentence bool
}{
	"fault.New": {1, true}, "fault.About": {2, false}, "fault.Retry": {2, true}, "fault.Text": {0, false},
	"New": {1, true}, "Retry": {2, true}, "refused": {1, true}, "refuse": {0, false},
}

// refusal is the English text of a fault as pages show it: a sentence, what follows the name of a field, or a text
// within one. It may be a format.
func refusal(path string, n ast.Node) (text string, ok bool) {
	call, isCall := n.(*ast.CallExpr)
	if !isCall {
		return "", false
	}
	x, known := refusals[types.ExprString(call.Fun)]
	if !known || x.format >= len(call.Args) ||
		unsaid.MatchString(path+types.ExprString(call.Args[0])) || !refusalRooms.MatchString(path) {
		return "", false
	}
	text, ok = constant(call.Args[x.format])
	if x.sentence {
		text = shell.Sentence(text)
	}
	return text, ok && strings.ContainsFunc(verbs.ReplaceAllString(text, ""), unicode.IsLetter)
}

// listed are the files whose texts of several words pages show: each is listed there, and named by no call.
var listed = regexp.MustCompile("internal/(webhook/reason|merchant/role)[.]go$")

// ofList is the text of a literal in a listed file.
func ofList(path string, n ast.Node) (text string, ok bool) {
	literal, isLiteral := n.(*ast.BasicLit)
	if !isLiteral || !listed.MatchString(path) {
		return "", false
	}
	text, ok = constant(literal)
	return text, ok && strings.Contains(text, " ") && strings.TrimSpace(text) == text && !strings.Contains(text, "%")
}

// verbs are those of a format.
var verbs = regexp.MustCompile(`%(\[\d+\])?[a-zA-Z%]`)
