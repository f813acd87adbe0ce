package app_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

// modulePath is what imports of the module's own packages begin with.
const modulePath = "github.com/florinpay/florin/"

// tree is what the packages of a module import, tests left out: package → imports. The module's own packages are
// named by their directory ("internal/store"), others by their import path.
type tree map[string][]string

// edges is a rule about direct imports. A pattern is a package, or, with "/..." at its end, it and all below it.
type edges struct {
	from   []string // the importers it speaks of; empty means every package of the module
	except []string // importers left out of from
	to     []string // the imports it speaks of
	allow  []string // imports left out of to
	reason string   // why, for the author of a violation
}

// reach is a rule about imports over any number of packages.
type reach struct {
	from   string
	to     []string
	reason string
}

// matches reports whether a package is one of the patterns. "own" stands for every package of the module.
func matches(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if pattern == "own" {
			return own(pkg)
		}
		parent, below := strings.CutSuffix(pattern, "/...")
		return pkg == parent || below && strings.HasPrefix(pkg, parent+"/")
	})
}

// own reports whether a package belongs to the module: its path starts with one of the top directories.
func own(pkg string) bool {
	top, _, _ := strings.Cut(pkg, "/")
	return slices.Contains([]string{"cmd", "web", "views", "static", "graph", "migrations", "internal"}, top)
}

// violations returns every import the rule forbids, one a line, in order.
func (r edges) violations(t tree) []string {
	var found []string
	for _, pkg := range slices.Sorted(maps.Keys(t)) {
		if len(r.from) > 0 && !matches(r.from, pkg) || matches(r.except, pkg) {
			continue
		}
		for _, imported := range t[pkg] {
			if matches(r.to, imported) && !matches(r.allow, imported) && imported != pkg {
				found = append(found, fmt.Sprintf("%s imports %s: %s", pkg, imported, r.reason))
			}
		}
	}
	return found
}

// violations returns the shortest way to each forbidden package that can be reached.
func (r reach) violations(t tree) []string {
	var found []string
	cameFrom := map[string]string{r.from: ""}
	for queue := []string{r.from}; len(queue) > 0; queue = queue[1:] {
		for _, imported := range t[queue[0]] {
			if _, seen := cameFrom[imported]; seen {
				continue
			}
			cameFrom[imported] = queue[0]
			queue = append(queue, imported)
			if matches(r.to, imported) {
				found = append(found, fmt.Sprintf("%s: %s", way(cameFrom, imported), r.reason))
			}
		}
	}
	return found
}

func way(cameFrom map[string]string, pkg string) string {
	steps := []string{pkg}
	for from := cameFrom[pkg]; from != ""; from = cameFrom[from] {
		steps = append(steps, from)
	}
	slices.Reverse(steps)
	return strings.Join(steps, " → ")
}

// walkSources calls visit for every Go file below root that is no test, with its directory relative to root.
func walkSources(t *testing.T, root string, visit func(directory string, file *ast.File, positions *token.FileSet)) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			// As the go tool does: what begins with a dot or an underscore is no package.
			if file != root &&
				(strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "node_modules" ||
					name == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		positions := token.NewFileSet()
		parsed, err := parser.ParseFile(positions, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		directory, err := filepath.Rel(root, filepath.Dir(file))
		visit(filepath.ToSlash(directory), parsed, positions)
		return err
	})
	testkit.Must(t, err)
}

// readTree reads the imports of every package below root.
func readTree(t *testing.T, root string) tree {
	t.Helper()
	imports := make(tree)
	walkSources(t, root, func(directory string, file *ast.File, _ *token.FileSet) {
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			testkit.Must(t, err)
			imports[directory] = append(imports[directory], strings.TrimPrefix(imported, modulePath))
		}
	})
	for pkg, imported := range imports {
		slices.Sort(imported)
		imports[pkg] = slices.Compact(imported)
	}
	return imports
}

// calls returns where below root a package of the patterns mentions one of the names of the package at importPath.
func calls(t *testing.T, root string, patterns []string, importPath string, names ...string) []string {
	t.Helper()
	var found []string
	walkSources(t, root, func(directory string, file *ast.File, positions *token.FileSet) {
		local := localName(file, importPath)
		if local == "" || !matches(patterns, directory) {
			return
		}
		ast.Inspect(file, func(node ast.Node) bool {
			selector, ok := node.(*ast.SelectorExpr)
			if !ok || !slices.Contains(names, selector.Sel.Name) {
				return true
			}
			if x, ok := selector.X.(*ast.Ident); ok && x.Name == local {
				found = append(
					found, fmt.Sprintf("%s: %s.%s", positions.Position(node.Pos()), importPath, selector.Sel.Name),
				)
			}
			return true
		})
	})
	return found
}

// localName is the name a file knows the package by, empty if it does not import it.
func localName(file *ast.File, importPath string) string {
	for _, spec := range file.Imports {
		switch {
		case spec.Path.Value != strconv.Quote(importPath):
		case spec.Name != nil:
			return spec.Name.Name
		default:
			return path.Base(importPath)
		}
	}
	return ""
}

// moduleRoot is the directory of go.mod above this package.
func moduleRoot(t *testing.T) string {
	t.Helper()
	root := filepath.Join("..", "..")
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return root
}

func TestEdges_Violations(t *testing.T) {
	t.Parallel()
	imports := tree{
		"internal/payment":     {"internal/money", "internal/store", "time"},
		"internal/payment/sub": {"internal/store"},
		"internal/payments":    {"internal/store"},
		"internal/store":       {"internal/payment", "internal/store/rows", "github.com/uptrace/bun"},
		"web":                  {"github.com/uptrace/bun/dialect", "github.com/uptrace/bunny"},
	}
	for name, test := range map[string]struct {
		rule edges
		want []string // "importer imports imported"
	}{
		"OnePackage": {
			edges{from: []string{"internal/payment"}, to: []string{"internal/store"}},
			[]string{"internal/payment imports internal/store"},
		},
		"AndAllBelow": {
			edges{from: []string{"internal/payment/..."}, to: []string{"internal/store"}},
			[]string{"internal/payment imports internal/store", "internal/payment/sub imports internal/store"},
		},
		"Allowed": {
			edges{from: []string{"internal/payment"}, to: []string{"own"}, allow: []string{"internal/money"}},
			[]string{"internal/payment imports internal/store"},
		},
		"AllAllowed": {
			edges{
				from: []string{"internal/payment"}, to: []string{"own"},
				allow: []string{"internal/money", "internal/store"},
			},
			nil,
		},
		"Except": {
			edges{except: []string{"internal/store"}, to: []string{"github.com/uptrace/bun/..."}},
			[]string{"web imports github.com/uptrace/bun/dialect"},
		},
		"PackagesToCome": {
			edges{from: []string{"internal/campaign"}, to: []string{"own"}},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.rule.reason = "because"
			var want []string
			for _, line := range test.want {
				want = append(want, line+": because")
			}
			if got := test.rule.violations(imports); !slices.Equal(got, want) {
				t.Errorf("violations = %q, want %q", got, want)
			}
		})
	}
}

func TestReach_Violations(t *testing.T) {
	t.Parallel()
	imports := tree{
		"cmd/florin":   {"internal/app"},
		"internal/app": {"internal/store", "internal/payment"},
		"internal/store": {
			"internal/payment", "internal/app", // a circle must not catch the search
			"github.com/ethereum/go-ethereum/node",
		},
	}
	rule := reach{from: "cmd/florin", to: []string{"github.com/ethereum/go-ethereum/node"}, reason: "because"}
	want := []string{"cmd/florin → internal/app → internal/store → github.com/ethereum/go-ethereum/node: because"}
	if got := rule.violations(imports); !slices.Equal(got, want) {
		t.Errorf("violations = %q, want %q", got, want)
	}
	rule.from = "internal/payment"
	if got := rule.violations(imports); got != nil {
		t.Errorf("violations = %q, want none", got)
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, source := range map[string]string{
		"internal/payment/a.go":      "package payment\nimport \"time\"\nvar A = time.Now()\nvar B = time.Second\n",
		"internal/payment/b.go":      "package payment\nimport clock \"time\"\nvar C = clock.Since\n",
		"internal/payment/a_test.go": "package payment\nimport \"time\"\nvar D = time.Now()\n",
		"internal/app/a.go":          "package app\nimport \"time\"\nvar A = time.Now()\n",
	} {
		file := filepath.Join(root, name)
		testkit.Must(t, os.MkdirAll(filepath.Dir(file), 0o700))
		testkit.Must(t, os.WriteFile(file, []byte(source), 0o600))
	}
	got := calls(t, root, []string{"internal/payment"}, "time", "Now", "Since")
	if len(got) != 2 || !strings.Contains(got[0], "a.go:3") || !strings.Contains(got[1], "b.go:3") {
		t.Errorf("calls = %q, want one in a.go and one in b.go", got)
	}
	if imports := readTree(t, root); !slices.Equal(imports["internal/payment"], []string{"time"}) {
		t.Errorf("imports = %v", imports)
	}
}
