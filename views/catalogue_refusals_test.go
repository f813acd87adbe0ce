package views_test

import (
	"go/ast"
	"regexp"
	"strings"

	"github.com/florinpay/florin/web/shell"
)

// refusalRooms are those whose refusals people read on pages.
var refusalRooms = regexp.MustCompile(
	"internal/(campaign|exchange|identity|input|merchant|money|payment)/[^/]*$|" +
		"web/(campaign|dashboard|onboarding|security|session|settings|settle|shell|signin|team)/")

// refusal is the English text of a fault as pages show it: a sentence, or what follows the name of a field. One with
// values in it is not among them.
func refusal(n ast.Node) (text string, ok bool) {
	call, isCall := n.(*ast.CallExpr)
	if !isCall {
		return "", false
	}
	f, isSelector := call.Fun.(*ast.SelectorExpr)
	if !isSelector {
		return "", false
	}
	from, isName := f.X.(*ast.Ident)
	i, known := map[string]int{"New": 1, "About": 2, "Retry": 2}[f.Sel.Name]
	if !isName || from.Name != "fault" || !known || i >= len(call.Args) {
		return "", false
	}
	text, ok = constant(call.Args[i])
	if f.Sel.Name != "About" {
		text = shell.Sentence(text)
	}
	return text, ok && !strings.Contains(text, "%")
}
