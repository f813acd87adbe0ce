package postgres

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

const (
	// role is the superuser of the private cluster. Connections from this machine are trusted: there is nothing
	// in it but the data of running tests.
	role = "florin"

	// startAttempts covers a free port that another test process takes before the server does.
	startAttempts = 5

	// startTimeoutSeconds bounds one start of the server: a tenth of a second on an idle machine.
	startTimeoutSeconds = "60"

	// connectTimeoutSeconds bounds a connection of a test, so that a dead server is an error instead of a
	// hang.
	connectTimeoutSeconds = "30"
)

// fastSettings are the settings of the private cluster, beside the port. They trade durability for speed and
// change no behaviour.
const fastSettings = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''       # its default directory belongs to the system's own server
max_connections = 1000             # several tests at once, each with several pools
shared_buffers = 64MB
fsync = off
full_page_writes = off
wal_level = minimal
max_wal_senders = 0
deadlock_timeout = 200ms           # tests provoke deadlocks and should not wait a second for each
max_parallel_workers_per_gather = 0
jit = off
timezone = 'Asia/Kathmandu'        # +05:45
log_min_messages = warning
port = %s
`

// durableSettings are PostgreSQL's defaults, as in production, except for address and number of connections.
const durableSettings = `
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 200
shared_buffers = 512MB
max_wal_size = 4GB                 # no checkpoint in the middle of a measurement
log_min_messages = warning
port = %s
`

// stopAndRemove stops the server at once, and removes its directory when the process is gone: the data is thrown away.
// A server that was still starting stops when its directory is missing. It is the caller that does so, and not the
// server's owner, who may not remove anything from the directory above.
const stopAndRemove = `
pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
if [ -n "$pid" ] && kill -QUIT "$pid" 2>/dev/null; then
	waited=0
	while kill -0 "$pid" 2>/dev/null && [ "$waited" -lt 600 ]; do sleep 0.1; waited=$((waited + 1)); done
fi
rm -rf "$1"
`

// cluster is a running private server.
type cluster struct {
	directory string
	programs  string // directory of initdb and pg_ctl
	url       *url.URL
	guard     *testkit.Guard
}

// ours is the cluster of this process. The variable keeps it, and its guard, reachable until the process
// ends.
var ours = sync.OnceValues(func() (*cluster, error) { return startCluster(fastSettings, nil) })

// ForRun starts the server of a test run, whose address the tests find in RunVariable. It ends with stop, or with the
// process.
func ForRun() (address string, stop func() error, err error) {
	c, err := ours()
	if err != nil {
		return "", nil, err
	}
	return c.url.String(), c.guard.Release, nil
}

// Durable starts another private server, one that survives a power cut, for measurements. It returns the
// address of its empty database and the directory of its programs, among them pgbench. The server ends with
// stop, or with the process.
func Durable() (address, programs string, stop func() error, err error) {
	c, err := startCluster(durableSettings, nil)
	if err != nil {
		return "", "", nil, err
	}
	return c.url.String(), c.programs, c.guard.Release, nil
}

// startCluster starts a new server; from: a copy of that one, which follows it.
func startCluster(settings string, from *cluster) (*cluster, error) {
	binaries, err := findBinaries(binaryPatterns)
	if err != nil {
		return nil, err
	}
	owner, err := Owner()
	if err != nil {
		return nil, err
	}
	directory, err := os.MkdirTemp("", "florin-postgres-")
	if err != nil {
		return nil, fmt.Errorf("making a directory for PostgreSQL: %w", err)
	}
	if owner != nil {
		if err := os.Chown(directory, int(owner.Uid), int(owner.Gid)); err != nil {
			return nil, errors.Join(fmt.Errorf("giving a directory to PostgreSQL: %w", err), os.RemoveAll(directory))
		}
	}
	guard, err := testkit.OnExit(nil, stopAndRemove, directory)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(directory))
	}
	started := &cluster{directory: directory, programs: binaries, guard: guard}
	if err := started.start(settings, owner, from); err != nil {
		return nil, errors.Join(err, guard.Release())
	}
	return started, nil
}

func (c *cluster) start(settings string, owner *syscall.Credential, from *cluster) error {
	data := filepath.Join(c.directory, "data")
	run := func(name string, args ...string) error {
		return runAs(owner, c.directory, filepath.Join(c.programs, name), args...)
	}
	fill := func() error {
		return run("initdb", "-D", data, "-U", role, "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
	}
	if from != nil {
		fill = func() error { return c.copyFrom(from, owner, data) }
	}
	if err := fill(); err != nil {
		return err
	}
	configuration := filepath.Join(data, "postgresql.conf")
	defaults, err := os.ReadFile(configuration)
	if err != nil {
		return fmt.Errorf("reading PostgreSQL's configuration: %w", err)
	}
	log := filepath.Join(c.directory, "log")
	var failed error
	for range startAttempts {
		free, err := testkit.FreePort()
		if err != nil {
			return err
		}
		if err := os.WriteFile(configuration, fmt.Appendf(defaults, settings, free), 0o600); err != nil {
			return fmt.Errorf("writing PostgreSQL's configuration: %w", err)
		}
		if failed = run("pg_ctl", "start", "-w", "-t", startTimeoutSeconds, "-D", data, "-l", log); failed == nil {
			c.url = clusterURL(free)
			return nil
		}
	}
	said, _ := os.ReadFile(log) // absent when the server never came to write it
	return fmt.Errorf("%w\n%s", failed, bytes.TrimSpace(said))
}

func clusterURL(port string) *url.URL {
	return &url.URL{
		Scheme:   "postgres",
		User:     url.User(role),
		Host:     net.JoinHostPort("127.0.0.1", port),
		Path:     "/postgres",
		RawQuery: url.Values{"sslmode": {"disable"}, "connect_timeout": {connectTimeoutSeconds}}.Encode(),
	}
}

// runAs runs a PostgreSQL program as owner, without the caller's PG* variables and language. Output goes to a
// file: the server that pg_ctl starts would keep a pipe open, and its reader waiting.
func runAs(owner *syscall.Credential, directory, program string, args ...string) error {
	output, err := os.CreateTemp("", "florin-postgres-output-")
	if err != nil {
		return fmt.Errorf("making a file for PostgreSQL's output: %w", err)
	}
	defer os.Remove(output.Name())
	defer output.Close()

	command := exec.Command(program, args...)
	command.Dir = directory
	command.Stdout, command.Stderr = output, output
	command.SysProcAttr = &syscall.SysProcAttr{Credential: owner}
	command.Env = []string{"LC_ALL=C", "TZ=UTC"}
	for _, variable := range os.Environ() {
		if strings.HasPrefix(variable, "PATH=") || strings.HasPrefix(variable, "TMPDIR=") {
			command.Env = append(command.Env, variable)
		}
	}
	// No context: pg_ctl has its own time limit (-t), and initdb does not wait.
	if err := command.Run(); err != nil {
		said, _ := os.ReadFile(output.Name())
		return fmt.Errorf("%s: %w\n%s", filepath.Base(program), err, bytes.TrimSpace(said))
	}
	return nil
}

// Restartable starts a private server for one test. It returns the address of its empty database, and what breaks its
// connections and starts it again, as after a crash.
func Restartable(t testing.TB) (address string, restart func()) {
	t.Helper()
	c, err := startCluster(fastSettings, nil)
	if err != nil {
		t.Fatalf("postgres: %v", err)
	}
	t.Cleanup(func() { _ = c.guard.Release() })
	return c.url.String(), func() {
		t.Helper()
		if err := c.control("restart", "-m", "immediate", "-w"); err != nil {
			t.Fatalf("postgres: restart: %v", err)
		}
	}
}
