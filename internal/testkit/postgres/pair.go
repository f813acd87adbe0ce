package postgres

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// pairSettings let a server be followed by another one.
const pairSettings = fastSettings + `
wal_level = replica
max_wal_senders = 4
hot_standby = on
`

// Pair is a server and its standby, which has every commit before it is answered. One that has not would be an older
// copy of the database, which Florin refuses.
type Pair struct {
	t              testing.TB
	first, standby *cluster
	frozen         []int
}

// NewPair starts both for one test.
func NewPair(t testing.TB) *Pair {
	t.Helper()
	p := &Pair{t: t}
	p.first = p.start(nil)
	p.standby = p.start(p.first)
	t.Cleanup(p.Thaw) // a server that is frozen does not stop
	p.synchronize()
	return p
}

// synchronize makes the first server wait for the standby.
func (p *Pair) synchronize() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), adminTimeout)
	defer cancel()
	connection, err := pgx.Connect(ctx, p.first.url.String())
	if err != nil {
		p.t.Fatalf("postgres: %v", err)
	}
	defer func() { _ = connection.Close(ctx) }()
	for _, statement := range []string{
		"ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()",
	} {
		if _, err := connection.Exec(ctx, statement); err != nil {
			p.t.Fatalf("postgres: %s: %v", statement, err)
		}
	}
	for synchronous := false; !synchronous; time.Sleep(10 * time.Millisecond) {
		const query = "SELECT count(*) > 0 FROM pg_stat_replication WHERE sync_state = 'sync'"
		if err := connection.QueryRow(ctx, query).Scan(&synchronous); err != nil {
			p.t.Fatalf("postgres: the standby does not follow: %v", err)
		}
	}
}

func (p *Pair) start(from *cluster) *cluster {
	p.t.Helper()
	c, err := startCluster(pairSettings, from)
	if err != nil {
		p.t.Fatalf("postgres: %v", err)
	}
	p.t.Cleanup(func() { _ = c.guard.Release() })
	return c
}

// Hosts returns the addresses of the first server and of the standby.
func (p *Pair) Hosts() (first, standby string) { return p.first.url.Host, p.standby.url.Host }

// URL names both servers, the first one first, with the time to connect that Florin sets.
func (p *Pair) URL() string {
	return "postgres://" + role + "@" + p.first.url.Host + "," + p.standby.url.Host + "/postgres?sslmode=disable"
}

// Promote makes the standby take writes.
func (p *Pair) Promote() {
	p.t.Helper()
	if err := p.standby.control("promote", "-w"); err != nil {
		p.t.Fatalf("postgres: promote: %v", err)
	}
}

// Freeze stops every process of the first server where it is: it takes connections and answers nothing. The standby has
// everything that it has answered.
func (p *Pair) Freeze() {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.first.directory, "data", "postmaster.pid"))
	if err != nil {
		p.t.Fatalf("postgres: %v", err)
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	postmaster := string(line)
	// It starts the others, so it is stopped before they are listed: one that came in between would serve on.
	p.stop(postmaster)
	listed, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		p.t.Fatalf("postgres: list processes: %v", err)
	}
	for row := range strings.Lines(string(listed)) {
		if fields := strings.Fields(row); len(fields) == 2 && fields[1] == postmaster {
			p.stop(fields[0])
		}
	}
	if len(p.frozen) < 2 {
		p.t.Fatalf("postgres: only %d processes of the server were found", len(p.frozen))
	}
}

// stop stops a process, unless it has ended.
func (p *Pair) stop(process string) {
	if pid, err := strconv.Atoi(process); err == nil && syscall.Kill(pid, syscall.SIGSTOP) == nil {
		p.frozen = append(p.frozen, pid)
	}
}

// Thaw lets the first server go on.
func (p *Pair) Thaw() {
	for _, pid := range p.frozen {
		_ = syscall.Kill(pid, syscall.SIGCONT)
	}
	p.frozen = nil
}

// control runs pg_ctl on the server's data.
func (c *cluster) control(args ...string) error {
	owner, err := Owner()
	if err != nil {
		return err
	}
	args = append(args, "-t", startTimeoutSeconds, "-D", filepath.Join(c.directory, "data"),
		"-l", filepath.Join(c.directory, "log"))
	return runAs(owner, c.directory, filepath.Join(c.programs, "pg_ctl"), args...)
}

// copyFrom makes the data directory a copy of a server that runs, which follows it.
func (c *cluster) copyFrom(from *cluster, owner *syscall.Credential, data string) error {
	source := fmt.Sprintf("host=%s port=%s user=%s", from.url.Hostname(), from.url.Port(), role)
	return runAs(owner, c.directory, filepath.Join(c.programs, "pg_basebackup"), "-D", data, "-R", "-X", "stream",
		"--checkpoint=fast", "--no-sync", "-d", source)
}
