package backup

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/secret"
)

// Format is the version of the archive and its manifest.
const Format = 1

// Manifest describes a backup. It is stored as JSON in front of the database.
type Manifest struct {
	Format    int       `json:"format"`
	Program   string    `json:"program"` // version of the program that wrote it
	CreatedAt time.Time `json:"createdAt"`
	Contents  Contents  `json:"contents"`
	Size      int64     `json:"size"`   // of the database, in bytes
	SHA256    string    `json:"sha256"` // of the database, in hex
	Seal      string    `json:"seal"`   // HMAC-SHA256 of the rest under FLORIN_SECRET_KEY, in hex
}

// Contents is what a database holds, as far as a restore compares it.
type Contents struct {
	Schema     []string         `json:"schema"` // names of the migrations, in order
	Generation int64            `json:"generation"`
	Tables     map[string]int64 `json:"tables"` // rows of each table
	Cursors    []Cursor         `json:"cursors"`
	Ledger     []Sum            `json:"ledger"`
}

// Cursor is how far a network was read.
type Cursor struct {
	Network   string `json:"network"`
	Scanned   int64  `json:"scanned"` // number of the last final block that was read
	Hash      string `json:"hash"`
	Rechecked int64  `json:"rechecked"`
}

// Sum is the ledger of one unit.
type Sum struct {
	Unit    string `json:"unit"`
	Issued  int64  `json:"issued"`
	Spent   int64  `json:"spent"`
	Held    int64  `json:"held"`
	Balance int64  `json:"balance"` // of all keys, without what is held
}

// sealPurpose separates the manifest's key from all others of FLORIN_SECRET_KEY.
const sealPurpose = "backup manifest v1"

// Sealed returns the manifest with its seal.
func (m Manifest) Sealed(s *secret.Sealer) Manifest {
	m.Seal = hex.EncodeToString(m.mac(s.Derive(sealPurpose)))
	return m
}

func (m Manifest) mac(key []byte) []byte {
	m.Seal = ""
	text, err := json.Marshal(m)
	if err != nil {
		panic(fmt.Sprintf("backup: write the manifest as JSON: %v", err))
	}
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return h.Sum(nil)
}

var (
	// ErrFormat: the archive was written by a newer program.
	ErrFormat = errors.New("the backup has a format that this version does not know: a newer version wrote it")
	// ErrSeal: the manifest was changed, or belongs to another FLORIN_SECRET_KEY.
	ErrSeal = errors.New("the backup was not made with this FLORIN_SECRET_KEY, or was changed since")
	// ErrSchema: the database has migrations that this program does not know.
	ErrSchema = errors.New("the backup was made by a newer version: its database has a schema that is not known here")
	// ErrContents: the database is not what the manifest says.
	ErrContents = errors.New("the database in the backup is not what its manifest says")
)

// Check verifies the manifest itself. known are the migrations of this program.
func (m Manifest) Check(s *secret.Sealer, known []string) error {
	if m.Format != Format {
		return fmt.Errorf("format %d: %w", m.Format, ErrFormat)
	}
	seal, err := hex.DecodeString(m.Seal)
	made := func(key []byte) bool { return hmac.Equal(seal, m.mac(key)) }
	if err != nil || !slices.ContainsFunc(s.DeriveAll(sealPurpose), made) { // of the old key too, while it is set
		return ErrSeal
	}
	for _, name := range m.Contents.Schema {
		if !slices.Contains(known, name) {
			return fmt.Errorf("migration %s: %w", name, ErrSchema)
		}
	}
	return nil
}

// CheckContents compares the database that was restored with the manifest.
func (m Manifest) CheckContents(got Contents) error {
	want := m.Contents
	switch {
	case !slices.Equal(got.Schema, want.Schema):
		return fmt.Errorf("schema: %w", ErrContents)
	case got.Generation != want.Generation:
		return fmt.Errorf("generation: %w", ErrContents)
	case !slices.Equal(got.Cursors, want.Cursors):
		return fmt.Errorf("cursors: %w", ErrContents)
	case !slices.Equal(got.Ledger, want.Ledger):
		return fmt.Errorf("ledger: %w", ErrContents)
	case !maps.Equal(got.Tables, want.Tables):
		return fmt.Errorf("rows of tables: %w", ErrContents)
	}
	return nil
}
