package app_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

// directing are the methods that change where money goes, what a shop believes of it, or who may change that, and
// the functions that may call them. In web each of these passes the gate first; the
// rest are the API with its permission, the loop of changes that waited, and the
// services in between.
var directing = map[string][]string{
	"UpdateAccount": {
		"update", "updateCustodian", "CreateKey", "ReplaceKey", "Grant", "JoinNew", "apply",
	},
	"ChangeCustodian":     {"UpdateCustodian", "ArrangeCustodian", "changeSigning", "PutLogo"},
	"AddCustodian":        {"CreateCustodian", "ArrangeCustodian"},
	"UpdateCustodian":     {"changeCustodian", "UpdateCustodianDetails", "UpdateCustodian"},
	"CreateCustodian":     {"changeCustodian", "CreateCustodianAccount", "CreateCustodian"},
	"ArrangeCustodian":    {"apply", "postStart"},
	"changeSigning":       {"RotateSigningSecret", "RetireSigningSecret"},
	"RotateSigningSecret": {"postRotateSigning"},
	"RetireSigningSecret": {"postRetireSigning"},
	"UpdateCampaign":      {"update"},
	"PutLogo":             {"takeLogo"},
	"CreateCampaign":      {"Create"},
	"CreateLink":          {"postLinkNew", "CreateLink", "makeLink"},
	"Make":                {"apply"},
	"changeKey":           {"SetKeyRights", "NameKey", "RevokeKey"},
	"SetKeyRights":        {"postKeyPermissions", "SetKeyRights"},
	"SetRole":             {"postMemberRole", "setRole", "Make"},
	"setRole":             {"SetRole", "RemoveMember", "Leave"},
	"Lock":                {"postLock", "Lock"},
}

// gated are the handlers that must pass the gate, themselves or by a helper.
var gated = []string{
	"apply", "secretAct", "teamForm", "lockAct", "postKeyPermissions", "postCampaignEdit",
	"postStart", "postLogo", "postRemoveLogo", "postCampaignNew", "postLinkNew",
}

// No other function reaches a settlement wallet than those of the list, and each
// handler among them passes the gate.
func TestDirection_OneGate(t *testing.T) {
	t.Parallel()
	passes := make(map[string]bool)
	for _, file := range sources(t) {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok {
					return true
				}
				name := s.Sel.Name
				if name == "Gate" || name == "GateShown" {
					passes[f.Name.Name] = true
				}
				if may, ok := directing[name]; ok && !mutex(s) && !slices.Contains(may, f.Name.Name) {
					t.Errorf("%s calls %s: let it pass the gate (web/session.Gate), and list it here", f.Name.Name, name)
				}
				return true
			})
		}
	}
	for _, name := range gated {
		if !passes[name] {
			t.Errorf("%s does not pass the gate", name)
		}
	}
}

// mutex reports whether the selector locks a mutex.
func mutex(s *ast.SelectorExpr) bool {
	x, ok := s.X.(*ast.SelectorExpr)
	return s.Sel.Name == "Lock" && (!ok || (x.Sel.Name != "Merchants" && x.Sel.Name != "store"))
}

// sources parses the packages that could reach the stores of merchants.
func sources(t *testing.T) []*ast.File {
	t.Helper()
	var files []*ast.File
	for _, root := range []string{
		"../../web", "../../graph", "../merchant", "../campaign", "../app", "../../cmd/florin",
	} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.Contains(path, "generated") {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			files = append(files, f)
			return err
		})
		testkit.Must(t, err)
	}
	if len(files) < 100 {
		t.Fatalf("only %d files were read", len(files))
	}
	return files
}
