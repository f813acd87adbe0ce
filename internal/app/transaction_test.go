package app_test

import (
	"go/ast"
	"go/types"
	"slices"
	"testing"
)

// TestTransactionsBringTheirContext: what is called with a transaction is called with its context, too, which has a
// deadline. With the one around it, a statement waits for as long as a server is silent.
func TestTransactionsBringTheirContext(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, s := range readSources(t, moduleRoot(t)) {
		if s.isTest() {
			continue
		}
		ast.Inspect(s.file, func(node ast.Node) bool {
			var called *ast.FuncType
			switch n := node.(type) {
			case *ast.FuncLit:
				called = n.Type
			case *ast.Field:
				called, _ = n.Type.(*ast.FuncType)
			}
			if called == nil || !takes(called, "tx", "db.Tx") {
				return true
			}
			if checked++; !takes(called, "context.Context") {
				t.Errorf("%s:%d takes a transaction without its context", s.path, s.line(called.Pos()))
			}
			return true
		})
	}
	if checked < 50 {
		t.Errorf("%d functions are called with a transaction: the test does not find them", checked)
	}
}

// takes reports whether a function has a parameter of a type with one of the names.
func takes(f *ast.FuncType, names ...string) bool {
	return slices.ContainsFunc(f.Params.List, func(p *ast.Field) bool {
		return slices.Contains(names, types.ExprString(p.Type))
	})
}
