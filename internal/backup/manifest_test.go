package backup_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
)

func sealer(t *testing.T, first byte) *secret.Sealer {
	t.Helper()
	key := make([]byte, secret.KeyLen)
	key[0] = first
	s, err := secret.NewSealer(key)
	testkit.Must(t, err)
	return s
}

// known are the migrations of the program that restores.
var known = []string{"20260101000000", "20260201000000"}

func manifest(database string) backup.Manifest {
	return backup.Manifest{
		Format: backup.Format, Program: "0.9.0", CreatedAt: time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC),
		Contents: backup.Contents{Schema: known, Tables: map[string]int64{"payments": 3}},
		Size:     int64(len(database)), SHA256: sum(database),
	}
}

// TestManifest_Check: a backup of another version is restored if its schema is known here, and refused otherwise.
func TestManifest_Check(t *testing.T) {
	t.Parallel()
	own := sealer(t, 1)
	for name, c := range map[string]struct {
		change func(*backup.Manifest)
		by     *secret.Sealer
		after  func(*backup.Manifest) // the seal was made
		want   error
	}{
		"SameVersion":    {},
		"OtherVersion":   {change: func(m *backup.Manifest) { m.Program = "17.0.0-rc.1" }},
		"OlderSchema":    {change: func(m *backup.Manifest) { m.Contents.Schema = known[:1] }},
		"NewerSchema":    {change: func(m *backup.Manifest) { m.Contents.Schema = append(known[:2:2], "20270101000000") }, want: backup.ErrSchema},
		"NewerFormat":    {change: func(m *backup.Manifest) { m.Format++ }, want: backup.ErrFormat},
		"NoFormat":       {change: func(m *backup.Manifest) { m.Format = 0 }, want: backup.ErrFormat},
		"OtherKey":       {by: sealer(t, 2), want: backup.ErrSeal},
		"ChangedCounts":  {after: func(m *backup.Manifest) { m.Contents.Tables["payments"] = 2 }, want: backup.ErrSeal},
		"ChangedHash":    {after: func(m *backup.Manifest) { m.SHA256 = sum("another") }, want: backup.ErrSeal},
		"ChangedVersion": {after: func(m *backup.Manifest) { m.Program = "1.0.0" }, want: backup.ErrSeal},
		"NoSeal":         {after: func(m *backup.Manifest) { m.Seal = "" }, want: backup.ErrSeal},
		"SealOfNothing":  {after: func(m *backup.Manifest) { m.Seal = "zz" }, want: backup.ErrSeal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := manifest("the database")
			if c.change != nil {
				c.change(&m)
			}
			by := c.by
			if by == nil {
				by = own
			}
			m = m.Sealed(by)
			if c.after != nil {
				c.after(&m)
			}
			if err := m.Check(own, known); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
		})
	}
}

// TestManifest_CheckContents: the database must hold what the manifest says.
func TestManifest_CheckContents(t *testing.T) {
	t.Parallel()
	m := manifest("")
	if err := m.CheckContents(m.Contents); err != nil {
		t.Errorf("the same contents: %v", err)
	}
	for name, other := range map[string]backup.Contents{
		"RowsMissing":     {Schema: known, Tables: map[string]int64{"payments": 2}},
		"TableMissing":    {Schema: known, Tables: map[string]int64{}},
		"OlderSchema":     {Schema: known[:1], Tables: map[string]int64{"payments": 3}},
		"OtherGeneration": {Schema: known, Tables: map[string]int64{"payments": 3}, Generation: 1},
		"OtherCursors":    {Schema: known, Tables: map[string]int64{"payments": 3}, Cursors: []backup.Cursor{{Network: "BASE", Scanned: 1}}},
		"OtherLedger":     {Schema: known, Tables: map[string]int64{"payments": 3}, Ledger: []backup.Sum{{Unit: "CREDIT", Issued: 1}}},
	} {
		if err := m.CheckContents(other); !errors.Is(err, backup.ErrContents) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestArchive_Extract: nothing of an archive is believed that is not what its manifest says.
func TestArchive_Extract(t *testing.T) {
	t.Parallel()
	const database = "the bytes of the database"
	identity, err := age.GenerateX25519Identity()
	testkit.Must(t, err)
	for name, c := range map[string]struct {
		change func(*backup.Manifest)
		want   error
	}{
		"Whole":     {},
		"OtherHash": {change: func(m *backup.Manifest) { m.SHA256 = sum("another") }, want: backup.ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := manifest(database)
			if c.change != nil {
				c.change(&m)
			}
			var file, out bytes.Buffer
			if err := backup.Write(
				&file, []age.Recipient{identity.Recipient()}, m, strings.NewReader(database),
			); err != nil {
				t.Fatal(err)
			}
			a, err := backup.Open(&file, identity)
			testkit.Must(t, err)
			defer a.Close()
			if err := a.Extract(&out); !errors.Is(err, c.want) || err == nil && out.String() != database {
				t.Errorf("extracted %q, %v, want %v", out.String(), err, c.want)
			}
		})
	}
}
