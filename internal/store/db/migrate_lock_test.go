package db

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
	"github.com/florinpay/florin/migrations"
)

// Programs that migrate at once wait for each other; with nothing to do no lock is taken; and it is said who holds the
// lock that a migration waits for.
func TestPostgres_MigrationLock(t *testing.T) {
	t.Parallel()
	all, address := Migrations{Postgres: migrations.Postgres()}, postgres.URL(t)
	holder, err := pgx.Connect(t.Context(), address+"&application_name=somebody")
	testkit.Must(t, err)
	defer holder.Close(context.Background())
	lock, err := holder.Begin(t.Context())
	testkit.Must(t, err)
	if _, err := lock.Exec(t.Context(), lockMigration); err != nil {
		t.Fatal(err)
	}
	e, err := Open(t.Context(), address, 4)
	testkit.Must(t, err)
	defer e.Close()
	said, running := make(chan string, 10), sync.WaitGroup{}
	say := func(what string) {
		select {
		case said <- what:
		default:
		}
	}
	for range 3 {
		running.Go(func() {
			if err := e.Migrate(t.Context(), all, say); err != nil {
				t.Error(err)
			}
		})
	}
	select {
	case what := <-said:
		if !strings.Contains(what, "somebody, process ") && !strings.Contains(what, "florin, process ") {
			t.Errorf("it is said that %q holds the lock", what)
		}
	case <-time.After(time.Minute):
		t.Error("it is not said what is waited for")
	}
	if err := lock.Rollback(t.Context()); err != nil {
		t.Error(err)
	}
	running.Wait()
	if _, err := holder.Exec(t.Context(), strings.ReplaceAll(lockMigration, "_xact_", "_")); err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := e.Migrate(soon, all, say); err != nil {
		t.Errorf("with nothing to do: %v", err)
	}
}
