package views_test

import (
	"go/ast"
	"go/types"
	"regexp"
	"strings"
	"unicode"

	"github.com/florinpay/florin/web/shell"
)

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
