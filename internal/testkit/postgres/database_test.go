package postgres_test

import (
	"context"
	"crypto/rand"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

func connect(t testing.TB, address string) *pgx.Conn {
	t.Helper()
	connection, err := pgx.Connect(t.Context(), address)
	testkit.Must(t, err)
	t.Cleanup(func() { connection.Close(context.WithoutCancel(t.Context())) })
	return connection
}

func count(t testing.TB, connection *pgx.Conn, query string, arguments ...any) int {
	t.Helper()
	var rows int
	testkit.Must(t, connection.QueryRow(t.Context(), query, arguments...).Scan(&rows))
	return rows
}

func databaseName(t testing.TB, address string) string {
	t.Helper()
	parsed, err := url.Parse(address)
	testkit.Must(t, err)
	return strings.TrimPrefix(parsed.Path, "/")
}

const countTables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"

func TestURL(t *testing.T) {
	t.Parallel()

	t.Run("EmptyAndApart", func(t *testing.T) {
		t.Parallel()
		one, other := connect(t, postgres.URL(t)), connect(t, postgres.URL(t))
		if _, err := one.Exec(t.Context(), "CREATE TABLE payments (id BIGINT)"); err != nil {
			t.Fatal(err)
		}
		if got := count(t, one, countTables); got != 1 {
			t.Errorf("tables in the first database = %d, want 1", got)
		}
		if got := count(t, other, countTables); got != 0 {
			t.Errorf("tables in the second database = %d, want 0", got)
		}
	})

	t.Run("DroppedUnderOpenConnections", func(t *testing.T) {
		t.Parallel()
		outer := t
		watcher := connect(t, postgres.URL(t))
		var name string
		t.Run("Inner", func(t *testing.T) {
			address := postgres.URL(t)
			name = databaseName(t, address)
			left, err := pgx.Connect(t.Context(), address)
			testkit.Must(t, err)
			// Closed after the database is dropped: clean-ups run in reverse order, the outer test's last.
			outer.Cleanup(func() { left.Close(context.Background()) })
			if got := count(t, left, "SELECT count(*) FROM pg_database WHERE datname = $1", name); got != 1 {
				t.Fatalf("databases named %s = %d, want 1", name, got)
			}
		})
		if got := count(t, watcher, "SELECT count(*) FROM pg_database WHERE datname = $1", name); got != 0 {
			t.Errorf("%s is still there after its test", name)
		}
	})

	t.Run("TimeZoneIsNotUTC", func(t *testing.T) {
		t.Parallel()
		if os.Getenv(postgres.ServerVariable) != "" {
			return // the zone of a given server is its owner's affair
		}
		var zone string
		testkit.Must(t, connect(t, postgres.URL(t)).QueryRow(t.Context(), "SHOW timezone").Scan(&zone))
		if zone == "UTC" {
			t.Error("the server runs in UTC, where a forgotten conversion goes unseen")
		}
	})
}

func TestTemplate(t *testing.T) {
	t.Parallel()
	var prepared atomic.Int32
	template := &postgres.Template{Version: rand.Text(), Prepare: func(ctx context.Context, address string) error {
		prepared.Add(1)
		connection, err := pgx.Connect(ctx, address)
		if err != nil {
			return err
		}
		defer connection.Close(ctx)
		_, err = connection.Exec(ctx, "CREATE TABLE payments (id BIGINT); INSERT INTO payments VALUES (1)")
		return err
	}}
	t.Run("Copies", func(t *testing.T) {
		for range 4 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				copied := connect(t, template.URL(t))
				if _, err := copied.Exec(t.Context(), "INSERT INTO payments VALUES (2)"); err != nil {
					t.Fatal(err)
				}
				if got := count(t, copied, "SELECT count(*) FROM payments"); got != 2 {
					t.Errorf("rows in the copy = %d, want 2", got)
				}
			})
		}
	})
	t.Run("OtherProcess", func(t *testing.T) {
		same := &postgres.Template{Version: template.Version, Prepare: template.Prepare}
		if got := count(t, connect(t, same.URL(t)), "SELECT count(*) FROM payments"); got != 1 {
			t.Errorf("rows in the copy = %d, want 1", got)
		}
	})
	if got := prepared.Load(); os.Getenv(postgres.ServerVariable) == "" && got != 1 {
		t.Errorf("prepared %d times, want once", got)
	}
}
