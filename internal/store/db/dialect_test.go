package db

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

type (
	// valueRow has a field of each type that the dialect reads and writes in its own way.
	valueRow struct {
		At    time.Time
		Never time.Time
		Wait  time.Duration
		Block uint64
		Tx    kind
		Kinds []kind
		None  []kind
		Hash  [4]byte
		Note  note
		Ended bool
	}
	note struct{ text string }
)

var (
	_ = Codec(func(n note) string { return "*" + n.text }, func(text string) (note, error) {
		return note{strings.TrimPrefix(text, "*")}, nil
	})
	values = NewTable[valueRow]("kinds_of_values", "fixed: at never wait block tx/bytes kinds none hash note read: ended_at=Ended/exists")
)

// A value of the domain is stored and read back on both databases, by bun and by prepared statements, as it was.
func TestDialect(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]struct{ url, number, bytes, time string }{
		"SQLite":     {"sqlite://" + t.TempDir() + "/florin.db", "INTEGER", "BLOB", "INTEGER"},
		"PostgreSQL": {postgres.URL(t), "bigint", "bytea", "timestamptz"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := Open(t.Context(), open.url, 2)
			testkit.Must(t, err)
			t.Cleanup(func() { _ = e.Close() })
			text := `CREATE TABLE kinds_of_values (at TIME, never TIME, wait NUMBER, block NUMBER, tx BYTES, kinds text, none text,
				hash BYTES, note text, ended_at TIME)`
			text = strings.NewReplacer("TIME", open.time, "NUMBER", open.number, "BYTES", open.bytes).Replace(text)
			testValues(t, e, text)
		})
	}
}

func testValues(t *testing.T, e Engine, create string) {
	t.Helper()
	row := valueRow{
		At: time.Date(2026, 1, 2, 3, 4, 5, 6_789, time.FixedZone("", 3600)), Wait: 90 * time.Second, Block: 1 << 62,
		Tx: "0xAb", Kinds: []kind{"a", "b"}, Hash: [4]byte{1, 0, 2}, Note: note{"n"},
	}
	insert := values.Insert("")
	err := e.Write(t.Context(), func(ctx context.Context, tx Tx) error {
		for _, q := range []*bun.RawQuery{
			tx.NewRaw(create), values.Into(tx, "", row), tx.NewRaw("UPDATE kinds_of_values SET ended_at = ?", row.At),
		} {
			if _, err := q.Exec(ctx); err != nil {
				return err
			}
		}
		return tx.Run(ctx, insert.With(values.Values(&row)...))
	})
	testkit.Must(t, err)
	want := row
	values.AsStored(&want)
	if want.At.Nanosecond() != 6_000 || want.At.Location() != time.UTC {
		t.Errorf("the time is stored as %v", want.At)
	}
	read, err := All[valueRow](t.Context(), e.Reader(), "SELECT * FROM kinds_of_values ORDER BY ended_at IS NULL")
	testkit.Must(t, err)
	err = e.Read(t.Context(), Query(func(scan Scan) error {
		read = append(read, valueRow{})
		return scan(values.Dest(&read[len(read)-1])...)
	}, "SELECT "+values.Columns("")+" FROM kinds_of_values ORDER BY ended_at IS NULL"))
	if err != nil || len(read) != 4 {
		t.Fatalf("%d rows, %v", len(read), err)
	}
	for i, got := range read {
		if want.Ended = i%2 == 0; !reflect.DeepEqual(got, want) {
			t.Errorf("row %d:\n got %+v\nwant %+v", i, got, want)
		}
	}
	row.Block = 1 << 63
	err = e.Write(t.Context(), func(ctx context.Context, tx Tx) error {
		_, err := values.Into(tx, "", row).Exec(ctx)
		return err
	})
	if err == nil {
		t.Error("a number that 63 bits do not hold was stored")
	}
}
