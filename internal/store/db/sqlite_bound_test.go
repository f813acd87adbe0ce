package db

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/testkit"
)

// word is a text type of the domain.
type word string

func nth(i int) word { return word(fmt.Sprint("'", i)) }

// TestBound: bun's queries find on SQLite what they ask for, whatever their arguments are, and one that is asked again
// with others is not prepared again.
func TestBound(t *testing.T) {
	t.Parallel()
	e, err := openSQLite(t.Context(), filepath.Join(t.TempDir(), "florin.db"), 2)
	testkit.Must(t, err)
	t.Cleanup(func() { testkit.Must(t, e.Close()) })
	at := time.UnixMicro(1_700_000_000_000_007)
	testkit.Must(t, e.Write(t.Context(), func(ctx context.Context, x Tx) error {
		_, err := x.NewRaw("CREATE TABLE marks (id integer PRIMARY KEY, name text, at bigint, raw blob)").Exec(ctx)
		for i := range 100 {
			if err == nil {
				_, err = x.NewRaw("INSERT INTO marks VALUES (?, ?, ?, ?)", i, nth(i), at, []byte{byte(i)}).Exec(ctx)
			}
		}
		return err
	}))
	many := make([]word, 2*mostBound)
	for i := range many {
		many[i] = nth(i)
	}
	for name, c := range map[string]struct {
		where string
		args  func(i int) []any
		want  int
	}{
		"Number":   {"id = ?", func(i int) []any { return []any{i} }, 1},
		"Text":     {"name = ? AND name = ?", func(i int) []any { return []any{nth(i), string(nth(i))} }, 1},
		"Bytes":    {"raw = ? OR raw = ?", func(i int) []any { return []any{[]byte{byte(i)}, []byte(nil)} }, 1},
		"Time":     {"at = ?", func(i int) []any { return []any{at.Add(time.Duration(i) * time.Nanosecond)} }, 100},
		"NoTime":   {"coalesce(?, id) = ?", func(i int) []any { return []any{time.Time{}, i} }, 1},
		"Named":    {"id = ?0 OR ?1 AND name = ?0", func(i int) []any { return []any{i, i == 5} }, 1},
		"List":     {"name IN (?)", func(i int) []any { return []any{bun.List([]word{nth(i), "'3"})} }, 2},
		"LongList": {"name IN (?)", func(int) []any { return []any{bun.List(many)} }, 100},
		"Within": {"id IN (?) AND id < ?", func(i int) []any {
			return []any{e.Reader().NewRaw("SELECT id FROM marks WHERE id IN (?, ?)", 7, word("x")), 9 + i}
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			before := len(e.kept.byText)
			for i := 5; i < 8; i++ {
				var ids []int
				q := e.Reader().NewRaw("SELECT id FROM marks WHERE "+c.where, c.args(i)...)
				testkit.Must(t, q.Scan(t.Context(), &ids))
				if len(ids) != c.want {
					t.Errorf("found %v", ids)
				}
			}
			if kept := len(e.kept.byText) - before; kept > 1 || kept > 0 && name == "LongList" {
				t.Errorf("%d statements are kept", kept)
			}
		})
	}
}

// TestKept_Bounded: however many texts there are, only so many stay prepared, and each runs.
func TestKept_Bounded(t *testing.T) {
	t.Parallel()
	e, err := openSQLite(t.Context(), filepath.Join(t.TempDir(), "florin.db"), 2)
	testkit.Must(t, err)
	t.Cleanup(func() { testkit.Must(t, e.Close()) })
	for i := range keptTexts + 50 {
		var n int
		testkit.Must(t, e.Reader().NewRaw(fmt.Sprintf("SELECT %d", i)).Scan(t.Context(), &n))
		if n != i {
			t.Errorf("%d, want %d", n, i)
		}
	}
	if len(e.kept.byText) != keptTexts {
		t.Errorf("%d statements are kept", len(e.kept.byText))
	}
}
