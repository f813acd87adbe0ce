package app_test

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// banned is a word that means nothing to a reader from this field, or another thing, and the standard one.
type banned struct {
	word    string // a pattern of one whole word
	instead string
	// names says that a sentence may use the word, but no name.
	names bool
	// in and but are the rooms in which the word has the meaning that is banned, and in which it has another one;
	// without them it is banned everywhere.
	in, but []string
}

// language is the table of words: the glossary of CONTRIBUTING.md has those to use.
var language = []banned{
	{word: "lanes?", instead: "network, priority class or endpoint"},
	{word: "pots?|purses?", instead: "deposit balance, account balance"},
	{word: "sightings?", instead: "TxStatus"},
	{word: "told|tellings?", instead: "reported, logged, known"},
	{word: "noting", instead: "audit entry"},
	{word: "desks?|visitors?|seats?", instead: "dashboard, principal, membership"},
	{word: "proofs?", instead: "re-authentication, ledger check, signature"},
	// A field of the contract.
	{word: "findings?", instead: "lookup", but: []string{"graph", "web/api"}},
	// Pages have notices above them.
	{word: "notices?", instead: "alert, notification", names: true, but: []string{"web", "views", "cmd/sandbox"}},
	{word: "sights", instead: "latency tracker"},
	// SLIP-0010 and Solana paths call their own derivation levels so.
	{word: "hardened", instead: "rechecked", but: []string{"internal/wallet"}},
	{word: "nudg(e[ds]?|ing)|rous(e[ds]?|ing)", instead: "wake"},
	{word: "burials?|pulses?", instead: "depth search, probe"},
	// An event of open pages.
	{word: "beats?", instead: "health check", but: []string{"views"}},
	{word: "flights?", instead: "in flight"},
	{word: "lands?|landed", instead: "drain, is mined"},
	{word: "company", instead: "batchable"},
	{word: "together|alone", instead: "batched, single", names: true},
	{word: "asides?", instead: "set aside", names: true},
	{word: "glances?|stakes|hurry", instead: "quick read, value at risk, urgent"},
	// Nodes of a document.
	{word: "siblings?", instead: "same-wallet network", but: []string{"views", "web"}},
	{word: "vouch(ed|es)?", instead: "confirmed"},
	{word: "troubles?", instead: "problem"},
	{word: "resting", instead: "idle"},
	{word: "follow(s|ed|ing)?", instead: "what is done", names: true},
	{word: "steps?", instead: "range, round, read", names: true, in: []string{"internal/payment/watch"}},
}

// inPlace are phrases and names in which a banned word is the field's: requests in flight, payments that are set aside,
// settings named FLORIN_*_ALONE, live pages and clients of the feed that follow it.
var inPlace = regexp.MustCompile(`(?i)in[ _-]?flight|sets?[ _]?asides?|setting[ _]aside|^(test)?alone|^Follow(Events)?$`)

// phrases are sentences that say what nobody doubts, or take two readings.
var phrases = regexp.MustCompile(`(?i)nobody asked for|(told|told of) alike|answer(s|ed)? for by`)

func TestOneLanguage(t *testing.T) {
	t.Parallel()
	words := make([]*regexp.Regexp, len(language))
	for i, b := range language {
		words[i] = regexp.MustCompile(`(?i)^(` + b.word + `)$`)
	}
	for _, s := range readSources(t, moduleRoot(t)) {
		if s.path == "internal/app/language_test.go" {
			continue
		}
		said := func(text string, line int, isName bool) {
			for _, word := range wordBreak.FindAllString(inPlace.ReplaceAllString(text, " "), -1) {
				for i, b := range language {
					if words[i].MatchString(word) && b.banned(s.directory(), isName) {
						t.Errorf("%s:%d says %q in %.60q: use %s", s.path, line, word, text, b.instead)
					}
				}
			}
		}
		ast.Inspect(s.file, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.Ident:
				said(n.Name, s.line(n.Pos()), true)
			case *ast.TypeSpec:
				if n.Name.Name == "Seen" {
					t.Errorf("%s:%d has a type Seen: use TxStatus", s.path, s.line(n.Pos()))
				}
			case *ast.Field:
				auditNames(t, s, n.Names, n.Type)
			case *ast.ValueSpec:
				auditNames(t, s, n.Names, n.Type)
			}
			return true
		})
		for _, group := range s.file.Comments {
			if text := group.Text(); phrases.MatchString(text) {
				t.Errorf("%s:%d says what nobody doubts: %.80q", s.path, s.line(group.Pos()), text)
			}
			for _, c := range group.List {
				said(c.Text, s.line(c.Pos()), false)
			}
		}
	}
}

// banned reports whether the room must not say the word.
func (b banned) banned(room string, isName bool) bool {
	if b.names && !isName {
		return false
	}
	return (b.in == nil || within(b.in, room)) && !within(b.but, room)
}

func within(rooms []string, room string) bool {
	for _, r := range rooms {
		if room == r || strings.HasPrefix(room, r+"/") {
			return true
		}
	}
	return false
}

// auditNames refuses names of audit entries that do not say so.
func auditNames(t *testing.T, s source, names []*ast.Ident, kind ast.Expr) {
	t.Helper()
	entry := false
	if kind != nil {
		ast.Inspect(kind, func(node ast.Node) bool {
			x, ok := node.(*ast.SelectorExpr)
			if ok {
				of, isName := x.X.(*ast.Ident)
				entry = entry || isName && of.Name == "audit" && x.Sel.Name == "Entry"
			}
			return !entry
		})
	}
	for _, n := range names {
		if entry && (n.Name == "about" || n.Name == "lines" || n.Name == "line" || n.Name == "noting") {
			t.Errorf("%s:%d calls an audit entry %s", s.path, s.line(n.Pos()), n.Name)
		}
	}
}

var wordBreak = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)
