package db

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/florinpay/florin/internal/testkit"
)

// SQLite's error when another process writes is a conflict.
func TestIsConflict(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "busy.db")
	open := func() *sql.DB {
		pool, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=journal_mode(WAL)")
		testkit.Must(t, err)
		t.Cleanup(func() { _ = pool.Close() })
		return pool
	}
	first, err := open().Begin()
	testkit.Must(t, err)
	defer func() { _ = first.Rollback() }()
	_, err = open().Begin()
	if !IsConflict(err) {
		t.Errorf("a busy database: %v", err)
	}
	if IsConflict(&pgconn.PgError{Code: pgUniqueViolation}) || IsConflict(context.Canceled) {
		t.Error("another failure is taken for a conflict")
	}
}
