package db

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

// TestWriter_RunsSingly: a job that rolls back the transaction which others share fails
// alone; theirs are run again, once each.
func TestWriter_RunsSingly(t *testing.T) {
	t.Parallel()
	e, err := openSQLite(t.Context(), filepath.Join(t.TempDir(), "florin.db"), 2)
	testkit.Must(t, err)
	t.Cleanup(func() { _ = e.writer.close() })
	write := func(statement string) *job {
		return &job{ctx: t.Context(), fn: func(ctx context.Context, x Tx) error {
			_, err := x.NewRaw(statement).Exec(ctx)
			return err
		}}
	}
	setup := write("CREATE TABLE marks (name TEXT PRIMARY KEY)")
	e.writer.runJobs([]*job{setup})
	if setup.err != nil {
		t.Fatal(setup.err)
	}
	before, after := write("INSERT INTO marks VALUES ('before')"), write("INSERT INTO marks VALUES ('after')")
	faulty := write("INSERT OR ROLLBACK INTO marks VALUES ('twice'), ('twice')")
	left, leave := context.WithCancel(t.Context())
	leave()
	gone := write("INSERT INTO marks VALUES ('gone')")
	gone.ctx = left
	e.writer.runJobs([]*job{before, faulty, gone, after})
	if before.err != nil || after.err != nil {
		t.Errorf("the others failed: %v, %v", before.err, after.err)
	}
	if faulty.err == nil || gone.err == nil {
		t.Errorf("want both to fail: %v, %v", faulty.err, gone.err)
	}
	var names []string
	testkit.Must(t, e.db.NewRaw("SELECT name FROM marks ORDER BY name").Scan(t.Context(), &names))
	if len(names) != 2 || names[0] != "after" || names[1] != "before" {
		t.Errorf("stored %v", names)
	}
}
