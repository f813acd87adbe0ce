// Package postgres gives tests an empty PostgreSQL database of their own, on a real server.
//
// The server is that of the run (RunVariable), else a private cluster on a free port of 127.0.0.1 which is gone with
// the test process; or the one named by FLORIN_TEST_POSTGRES. The package's one invariant: no two tests share a
// database, and no test is skipped because PostgreSQL is missing; it fails and names the package to install.
//
// The cluster does not survive a power cut (fsync is off), so tests on it say nothing about durability. Its time zone
// is not UTC, as on many real servers, so that a missing time conversion fails a test.
package postgres

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ServerVariable names the environment variable that holds the URL of a server to use instead of a private
// cluster. Its role must be allowed to create databases.
const ServerVariable = "FLORIN_TEST_POSTGRES"

// RunVariable names the environment variable with the URL of a private cluster that the processes of one test run
// share. It is gone after the run, and so are the templates on it.
const RunVariable = "TEST_RUN_POSTGRES"

// adminTimeout bounds creating and dropping one database: tens of milliseconds, more on a busy machine.
const adminTimeout = 60 * time.Second

// emptyTemplate is PostgreSQL's pristine template: copying it needs no lock that another test could hold.
const emptyTemplate = "template0"

// URL returns the address of a new empty database. It is dropped when the test ends, and open connections are
// closed.
func URL(t testing.TB) string {
	t.Helper()
	return cloneOf(t, emptyTemplate)
}

// Template is a database that is prepared once and copied for each test: a copy of many tables is
// much cheaper than the migrations that created them. A Template must not be copied after its first use.
type Template struct {
	// Version names what Prepare does, in letters and digits: processes that share a server share the templates of one
	// version.
	Version string
	// Prepare brings the empty database at the URL into the wanted state. It closes its connections.
	Prepare func(ctx context.Context, url string) error

	once sync.Once
	name string
	err  error
}

// URL returns the address of a new copy of the template, which is dropped like that of the function URL.
func (m *Template) URL(t testing.TB) string {
	t.Helper()
	if os.Getenv(ServerVariable) != "" {
		return m.prepared(t) // a template would stay on a server that the tests do not own
	}
	m.once.Do(func() {
		m.name = "florin_template_" + m.Version
		m.err = exclusively(func(server *pgx.Conn) error { return m.make(server) })
	})
	if m.err != nil {
		t.Fatalf("postgres: preparing the template: %v", m.err)
	}
	return cloneOf(t, m.name)
}

// prepared makes an empty database and prepares it for this one test.
func (m *Template) prepared(t testing.TB) string {
	t.Helper()
	address := URL(t)
	ctx, cancel := context.WithTimeout(context.Background(), adminTimeout)
	defer cancel()
	if err := m.Prepare(ctx, address); err != nil {
		t.Fatalf("postgres: preparing the database: %v", err)
	}
	return address
}

// make makes the template unless another process has. It gets its name when it is ready.
func (m *Template) make(connection *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(context.Background(), adminTimeout)
	defer cancel()
	var ready bool
	err := connection.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", m.name).Scan(&ready)
	if err != nil || ready {
		return err
	}
	unnamed, err := create(emptyTemplate)
	if err != nil {
		return err
	}
	server, err := serverURL()
	if err != nil {
		return err
	}
	if err := m.Prepare(ctx, withDatabase(server, unnamed)); err != nil {
		return err
	}
	_, err = connection.Exec(ctx, "ALTER DATABASE "+pgx.Identifier{unnamed}.Sanitize()+
		" RENAME TO "+pgx.Identifier{m.name}.Sanitize())
	return err
}

// templates is the key of the advisory lock under which templates are made.
const templates = 0x666c6f72696e // "florin"

// exclusively runs an act while no other process of the run does.
func exclusively(act func(*pgx.Conn) error) error {
	server, err := serverURL()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*adminTimeout)
	defer cancel()
	connection, err := pgx.Connect(ctx, server.String())
	if err != nil {
		return fmt.Errorf("connecting to the test server: %w", err)
	}
	defer connection.Close(ctx) // which releases the lock
	if _, err := connection.Exec(ctx, "SELECT pg_advisory_lock($1)", templates); err != nil {
		return err
	}
	return act(connection)
}

func cloneOf(t testing.TB, template string) string {
	t.Helper()
	name, err := create(template)
	if err != nil {
		t.Fatalf("postgres: %v", err)
	}
	server, err := serverURL()
	if err != nil {
		t.Fatalf("postgres: %v", err)
	}
	t.Cleanup(func() {
		if err := administer("DROP DATABASE " + pgx.Identifier{name}.Sanitize() + " WITH (FORCE)"); err != nil {
			t.Errorf("postgres: %v", err)
		}
	})
	return withDatabase(server, name)
}

// create makes a database with a random name, so that processes that share a server do not collide.
func create(template string) (string, error) {
	var random [8]byte
	rand.Read(random[:])
	name := "florin_test_" + hex.EncodeToString(random[:])
	return name, administer(`CREATE DATABASE ` + pgx.Identifier{name}.Sanitize() + `
		TEMPLATE ` + pgx.Identifier{template}.Sanitize())
}

// internalError is the SQLSTATE of what should not happen, such as a checkpoint that failed.
const internalError = "XX000"

// administer runs one statement on the server's maintenance database, and once more if its checkpoint failed, which
// happened to one of thousands on a busy machine: another checkpoint follows by itself.
func administer(statement string) error {
	err := administerOnce(statement)
	if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == internalError {
		return administerOnce(statement)
	}
	return err
}

func administerOnce(statement string) error {
	server, err := serverURL()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), adminTimeout)
	defer cancel()
	connection, err := pgx.Connect(ctx, server.String())
	if err != nil {
		return fmt.Errorf("connecting to the test server: %w", err)
	}
	defer connection.Close(ctx)
	if _, err := connection.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

func serverURL() (*url.URL, error) {
	given := cmp.Or(os.Getenv(ServerVariable), os.Getenv(RunVariable))
	if given == "" {
		running, err := ours()
		if err != nil {
			return nil, err
		}
		return running.url, nil
	}
	server, err := url.Parse(given)
	if err != nil || (server.Scheme != "postgres" && server.Scheme != "postgresql") {
		// The value may hold a password, so it is not repeated.
		return nil, fmt.Errorf("%s is not a postgres:// URL", ServerVariable)
	}
	return server, nil
}

func withDatabase(server *url.URL, name string) string {
	address := *server
	address.Path = "/" + name
	return address.String()
}
