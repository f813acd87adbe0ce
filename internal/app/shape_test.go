package app_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

// The limits keep files and functions readable at one sitting.
const (
	maxInterfaces  = 40  // in the whole program
	maxMethods     = 200 // of all of them
	maxTestFile    = 400 // lines
	maxTestBody    = 60  // lines of one test function or one named case
	maxLineColumns = 120
)

// source is one Go file that people write: generated files are left out.
type source struct {
	path  string // relative to the module
	text  []byte
	file  *ast.File
	files *token.FileSet
}

func (s source) directory() string { return filepath.ToSlash(filepath.Dir(s.path)) }

func (s source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

func (s source) lines() int { return bytes.Count(s.text, []byte("\n")) }

func (s source) line(p token.Pos) int { return s.files.Position(p).Line }

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// readSources reads every Go file below root that is not generated.
func readSources(t *testing.T, root string) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || generated.Match(text) {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		all = append(all, source{path: filepath.ToSlash(relative), text: text, file: file, files: files})
		return err
	})
	testkit.Must(t, err)
	return all
}

// TestInterfacesAreFew: an interface stands where a second implementation does, or where a simulation, a crash test or
// a metric stands in for one. Everything else is a concrete type.
func TestInterfacesAreFew(t *testing.T) {
	t.Parallel()
	names, methods := interfaces(readSources(t, moduleRoot(t)))
	t.Logf("%d interfaces with %d methods: %s", len(names), methods, strings.Join(names, ", "))
	if len(names) > maxInterfaces {
		t.Errorf("%d interfaces, at most %d: %s", len(names), maxInterfaces, strings.Join(names, ", "))
	}
	if methods > maxMethods {
		t.Errorf("the interfaces name %d methods, at most %d", methods, maxMethods)
	}
}

// interfaces returns the declared interfaces of the program and how many methods they name. Constraints of type
// parameters are not counted.
func interfaces(sources []source) (names []string, methods int) {
	for _, s := range sources {
		if s.isTest() || testOnly(s.directory()) {
			continue
		}
		ast.Inspect(s.file, func(node ast.Node) bool {
			declared, ok := node.(*ast.TypeSpec)
			if !ok {
				return true
			}
			set, ok := declared.Type.(*ast.InterfaceType)
			if !ok || isConstraint(set) {
				return true
			}
			names = append(names, s.directory()+"."+declared.Name.Name)
			methods += len(set.Methods.List)
			return true
		})
	}
	return names, methods
}

func testOnly(directory string) bool {
	return strings.HasPrefix(directory, "cmd/bench") || strings.HasPrefix(directory, "internal/testkit") ||
		matches(testSupport, directory)
}

// isConstraint reports whether the interface lists types, as only constraints do.
func isConstraint(set *ast.InterfaceType) bool {
	return slices.ContainsFunc(set.Methods.List, func(f *ast.Field) bool {
		switch f.Type.(type) {
		case *ast.StarExpr, *ast.UnaryExpr, *ast.BinaryExpr:
			return true
		}
		return false
	})
}

func TestTestsAreShort(t *testing.T) {
	t.Parallel()
	for _, s := range readSources(t, moduleRoot(t)) {
		if !s.isTest() {
			continue
		}
		if n := s.lines(); n > maxTestFile {
			t.Errorf("%s has %d lines, at most %d", s.path, n, maxTestFile)
		}
		for _, declaration := range s.file.Decls {
			body, ok := testBody(declaration)
			if !ok {
				continue
			}
			if n := ownLines(s, body); n > maxTestBody {
				t.Errorf("%s: %s has %d lines of its own, at most %d: cut it into named cases",
					s.path, body.Name.Name, n, maxTestBody)
			}
		}
	}
}

// testBody returns the declaration if it is a test, benchmark or fuzz target.
func testBody(declaration ast.Decl) (*ast.FuncDecl, bool) {
	f, ok := declaration.(*ast.FuncDecl)
	if !ok || f.Body == nil || f.Recv != nil {
		return nil, false
	}
	for _, prefix := range []string{"Test", "Benchmark", "Fuzz"} {
		if strings.HasPrefix(f.Name.Name, prefix) {
			return f, true
		}
	}
	return nil, false
}

// ownLines counts the lines of a test that stand in none of its named cases; a single case over the limit counts as the
// test's own.
func ownLines(s source, f *ast.FuncDecl) int {
	n := s.line(f.Body.Rbrace) - s.line(f.Body.Lbrace) - 1
	ast.Inspect(f.Body, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		selector, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || selector.Sel.Name != "Run" {
			return true
		}
		if lines := s.line(call.End()) - s.line(call.Pos()); lines > 1 && lines <= maxTestBody {
			n -= lines - 1
		}
		return false
	})
	return n
}

func TestLinesFitTheScreen(t *testing.T) {
	t.Parallel()
	for _, s := range readSources(t, moduleRoot(t)) {
		if strings.HasSuffix(s.path, ".resolvers.go") {
			continue // gqlgen writes the signatures
		}
		inText := linesOfText(s)
		for number, line := range strings.Split(string(s.text), "\n") {
			columns := len([]rune(strings.ReplaceAll(line, "\t", "    ")))
			if columns > maxLineColumns && !inText[number+1] && !holdsText(line) {
				t.Errorf("%s:%d has %d columns, at most %d", s.path, number+1, columns, maxLineColumns)
			}
			if brokenCall.MatchString(line) && !inText[number+1] {
				t.Errorf("%s:%d goes on after a call that was broken for its width: give the call a line, or its result a name",
					s.path, number+1)
			}
		}
	}
}

// brokenCall is a line that ends a call and goes on with the next value, as a line wrapper leaves it.
var brokenCall = regexp.MustCompile(`^\s*\), `)

// longText is a string literal, URL or directive that is not cut for the sake of the column it ends in.
var longText = regexp.MustCompile("\"[^\"]{40,}\"|`|https?://|^\\s*//(go|nolint):|//nolint")

// linesOfText returns the lines that a string literal over several lines fills.
func linesOfText(s source) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(s.file, func(node ast.Node) bool {
		if literal, ok := node.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			for line := s.line(literal.Pos()) + 1; line <= s.line(literal.End()); line++ {
				lines[line] = true
			}
		}
		return true
	})
	return lines
}

func holdsText(line string) bool { return longText.MatchString(line) }

// TestShape prints the measures that tell how readable the program is; run it with -v.
func TestShape(t *testing.T) {
	t.Parallel()
	sources := readSources(t, moduleRoot(t))
	var files, lines, tests, named, long, all int
	packages := map[string]int{}
	exported := map[string]int{}
	for _, s := range sources {
		for line := range strings.SplitSeq(string(s.text), "\n") {
			all++
			if len([]rune(strings.ReplaceAll(line, "\t", "    "))) > maxLineColumns {
				long++
			}
		}
		if s.isTest() {
			for _, declaration := range s.file.Decls {
				if f, ok := testBody(declaration); ok && strings.HasPrefix(f.Name.Name, "Test") {
					tests++
					if bytes.Contains(s.text[s.offset(f.Pos()):s.offset(f.End())], []byte(".Run(")) {
						named++
					}
				}
			}
			continue
		}
		files, lines = files+1, lines+s.lines()
		packages[s.directory()] += s.lines()
		for _, declaration := range s.file.Decls {
			exported[s.directory()] += exportedNames(declaration)
		}
	}
	names, methods := interfaces(sources)
	largest := slices.MaxFunc(slices.Collect(maps.Keys(packages)), func(a, b string) int {
		return packages[a] - packages[b]
	})
	counts := slices.Sorted(maps.Values(exported))
	t.Log(strings.Join([]string{
		fmt.Sprintf("%d source files, %d lines, %d packages, largest %s with %d lines",
			files, lines, len(packages), largest, packages[largest]),
		fmt.Sprintf("%d interfaces, %d methods", len(names), methods),
		fmt.Sprintf("exported names a package: median %d, most %d", counts[len(counts)/2], counts[len(counts)-1]),
		fmt.Sprintf("%d tests, %d %% of them name their cases", tests, 100*named/tests),
		fmt.Sprintf("%.1f lines of 1,000 over %d columns", 1000*float64(long)/float64(all), maxLineColumns),
	}, "\n"))
}

func (s source) offset(p token.Pos) int { return s.files.Position(p).Offset }

// exportedNames counts the exported package-level names and methods of a declaration.
func exportedNames(declaration ast.Decl) (n int) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Recv == nil {
			n++
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch x := spec.(type) {
			case *ast.TypeSpec:
				if x.Name.IsExported() {
					n++
				}
			case *ast.ValueSpec:
				for _, name := range x.Names {
					if name.IsExported() {
						n++
					}
				}
			}
		}
	}
	return n
}
