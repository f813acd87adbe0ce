package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/store/table"
	"github.com/florinpay/florin/migrations"
)

func listed() []string {
	columns := []string{"instance.key_check"} // the rotation itself replaces it
	for _, c := range table.Sealed {
		columns = append(columns, c.Table+"."+c.Column)
	}
	slices.Sort(columns)
	return columns
}

// TestSealed_Schema: every column that the schema calls sealed is resealed.
func TestSealed_Schema(t *testing.T) {
	t.Parallel()
	begins := regexp.MustCompile(`^CREATE TABLE (\w+)`)
	column := regexp.MustCompile(`^\s+(\w+)\s.*--.*\bsealed\b`)
	for name, files := range map[string]fs.FS{"SQLite": migrations.SQLite(), "PostgreSQL": migrations.Postgres()} {
		var found []string
		err := fs.WalkDir(files, ".", func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".up.sql") {
				return err
			}
			text, err := fs.ReadFile(files, path)
			inside := ""
			for line := range strings.SplitSeq(string(text), "\n") {
				if m := begins.FindStringSubmatch(line); m != nil {
					inside = m[1]
				}
				if m := column.FindStringSubmatch(line); m != nil {
					found = append(found, inside+"."+m[1])
				}
			}
			return err
		})
		if err != nil || len(found) < len(table.Sealed) {
			t.Fatalf("%s: %v: the schema calls only %v sealed", name, err, found)
		}
		for _, c := range found {
			if !slices.Contains(listed(), c) {
				t.Errorf("%s: the schema calls %s sealed, and table.Sealed lacks it", name, c)
			}
		}
		for _, c := range table.Sealed {
			if !slices.Contains(found, c.Table+"."+c.Column) {
				t.Errorf("%s: the comment of %s.%s does not say that it is sealed", name, c.Table, c.Column)
			}
		}
	}
}

// TestSealed_Stored: a database in use holds sealed texts in the listed columns, and in no other.
func TestSealed_Stored(t *testing.T) {
	t.Parallel()
	onEachSealed(t, func(t *testing.T, w *rotationWorld) {
		found := w.stored("sealed1.")
		slices.Sort(found)
		storetest.Same(t, "columns with a sealed text", slices.Compact(found), listed())
	})
}

// sealing lists the files that seal something, and where it is kept. Whoever seals in another file adds it here and, if
// it is stored, to table.Sealed.
var sealing = map[string]string{
	"graph/operation/once.go":                  "idempotency.answer",
	"web/shell/once.go":                        "idempotency.answer",
	"web/shell/kept.go":                        "idempotency.answer",
	"internal/store/identity/account.go":       "passkeys.record second_factors.secret",
	"internal/store/merchant/custodian_row.go": "custodians.secret custodians.signing_secrets",
	"internal/store/table/chat.go":             "chats.url",
	"internal/store/merchant/lock.go":          "waiting_changes.body",
	"internal/store/table/mail.go":             "mails.text",
	"internal/store/rotation.go":               "instance.key_check",
	"internal/secret/seal.go":                  "", // Seal itself
	"internal/wallet/sealed.go":                "", // the file of the Solana seed, which secret rotate reseals
}

// deriving lists the files that derive other keys from the secret key, and what becomes of what they made.
var deriving = map[string]string{
	"graph/operation/once.go":      "a sign-up that is repeated across the change is refused with 422; it made its user once",
	"graph/operation/challenge.go": "a challenge lives 15 minutes; that of either key is accepted",
	"web/shell/cookies.go":         "cookies of either key are read; after that their users sign in again",
	"internal/app/app.go":          "a session goes on; its token of before the change is good for nothing at once",
	"internal/app/refund.go":       "links of payers who get money back are accepted while the old key is set",
	"internal/backup/manifest.go":  "the manifest of a backup is checked with the key that it was made with",
}

// TestSealed_Calls: every call that seals or derives is known, and every column that one seals is in the list.
func TestSealed_Calls(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..")
	seals, derives := make(map[string]bool), make(map[string]bool)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(root, path)
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			selector, ok := call.Fun.(*ast.SelectorExpr)
			switch {
			case !ok:
			case len(call.Args) == 2 && slices.Contains([]string{"Seal", "SealBytes"}, selector.Sel.Name):
				seals[filepath.ToSlash(name)] = true
			case slices.Contains([]string{"Derive", "DeriveAll"}, selector.Sel.Name):
				derives[filepath.ToSlash(name)] = true
			}
			return true
		})
		return nil
	})
	if err != nil || len(seals) < 5 {
		t.Fatalf("%d files seal: %v", len(seals), err)
	}
	var columns []string
	for name := range seals {
		kept, known := sealing[name]
		if !known {
			t.Errorf("%s seals: add what it seals to table.Sealed, and the file to the list above", name)
		}
		columns = append(columns, strings.Fields(kept)...)
	}
	for name := range derives {
		if deriving[name] == "" {
			t.Errorf("%s derives a key: say in the list above what a new FLORIN_SECRET_KEY makes of it", name)
		}
	}
	slices.Sort(columns)
	columns = slices.Compact(columns) // answers of the API and of forms share one
	storetest.Same(t, "columns that are sealed", columns, listed())
}
