package operation

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// onPages are refusals that only pages and commands answer with, so programs need no word for them.
const onPages = " ErrNothingToResolve ErrNoMoney ErrEndedForGood ErrTaken errAlreadyActive ErrLinkClosed ErrLinkTaken " +
	"ErrNoPasskeys ErrHasPasskey ErrTooManyPasskeys ErrHasFactor ErrNoFactor ErrSelf ErrAsItIs ErrCheckRunning " +
	"ErrOwnerLater ErrChangeWaits ErrLastOwner ErrIsMember ErrTeamFull ErrNoMail ErrEmailWaits ErrChangedMeanwhile "

// Every refusal with 409 or 422 that an operation can answer with has a reason of its own.
func TestEveryConflictHasAReason(t *testing.T) {
	t.Parallel()
	found := 0
	for _, dir := range []string{
		".", "../../internal/payment", "../../internal/idempotency",
		"../../internal/merchant", "../../internal/campaign",
		"../../internal/identity", "../../internal/ledger", "../../internal/recharge",
	} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			found += checkReasons(t, file, f)
		}
	}
	if found < 25 {
		t.Errorf("only %d refusals were found", found)
	}
}

// checkReasons reports the refusals in the file without a reason, and counts those with one.
func checkReasons(t *testing.T, file string, f *ast.File) (found int) {
	t.Helper()
	reasoned := map[ast.Node]bool{}
	names := map[ast.Node]string{}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, v := range n.Values {
				names[v] = n.Names[i].Name
			}
		case *ast.SelectorExpr:
			if n.Sel.Name == "Because" {
				reasoned[n.X] = true
			}
		case *ast.CallExpr:
			if !refusesWithReason(n) {
				return true
			}
			found++
			if name := names[n]; !reasoned[n] && !strings.Contains(onPages, " "+name+" ") {
				t.Errorf("%s: %q has no reason", file, name)
			}
		}
		return true
	})
	return found
}

// refusesWithReason reports whether the call makes a fault of 409 or 422.
func refusesWithReason(call *ast.CallExpr) bool {
	fn, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	pkg, _ := fn.X.(*ast.Ident)
	kind, _ := call.Args[0].(*ast.SelectorExpr)
	return pkg != nil && pkg.Name == "fault" && kind != nil &&
		(kind.Sel.Name == "Conflict" || kind.Sel.Name == "Unprocessable")
}
