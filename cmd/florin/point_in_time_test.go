package main_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

// archive is where the backups of a PostgreSQL server go, and the server that is restored from them.
type archive struct {
	dir   string // of the user that runs PostgreSQL
	owner *syscall.Credential
	env   []string
}

func newArchive(t *testing.T, server string) *archive {
	t.Helper()
	owner, err := postgres.Owner()
	testkit.Must(t, err)
	dir, err := os.MkdirTemp("", "florin-archive-") //nolint:usetesting // no other user may enter TempDir
	testkit.Must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if owner != nil {
		testkit.Must(t, os.Chown(dir, int(owner.Uid), int(owner.Gid)))
	}
	program, err := postgres.Program("pg_basebackup")
	testkit.Must(t, err)
	u, err := url.Parse(server)
	testkit.Must(t, err)
	for _, name := range []string{"backup.sh", "restore.sh"} {
		text := testkit.ReadFile(t, filepath.Join("../../deploy/compose", name))
		testkit.Must(t, os.WriteFile(filepath.Join(dir, name), text, 0o755)) //nolint:gosec // another user runs it
	}
	// The receiver comes late, as on a machine that has other things to do.
	late := fmt.Sprintf("#!/bin/sh\ncase \" $*\" in *' -D '*) sleep 3 ;; esac\nexec %s/pg_receivewal \"$@\"\n",
		filepath.Dir(program))
	testkit.Must(t, os.WriteFile(filepath.Join(dir, "pg_receivewal"), []byte(late), 0o755)) //nolint:gosec // the same
	return &archive{dir: dir, owner: owner, env: []string{
		"PATH=" + dir + ":" + filepath.Dir(program) + ":" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC",
		"BACKUPS=" + dir + "/backups",
		"PGHOST=" + u.Hostname(), "PGPORT=" + u.Port(), "PGUSER=" + u.User.Username(), "PGDATABASE=postgres",
	}}
}

func (a *archive) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = a.dir, a.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: a.owner, Setpgid: true}
	return cmd
}

// receive starts backup.sh and returns when the cluster is copied; changes are received until stop. What it says is
// shown if the test fails: a receiver that is cut off connects again.
func (a *archive) receive(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	var out lockedText
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(out.String())
		}
	})
	cmd := a.command(ctx, "sh", "backup.sh")
	cmd.Stdout, cmd.Stderr = &out, &out
	testkit.Must(t, cmd.Start())
	stop = func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		_ = cmd.Wait()
	}
	eventually(t, "a copy of the cluster", func() bool { return strings.Contains(out.String(), "copied the cluster") })
	return stop
}

// wantSealed waits until what was received is encrypted, but for two files, if the copy is.
func (a *archive) wantSealed(t *testing.T) {
	t.Helper()
	if copies, err := filepath.Glob(a.dir + "/backups/base/*/base.tar.gz.age"); err != nil || len(copies) == 0 {
		return
	}
	eventually(t, "the encryption of what was received", func() bool {
		sealed, _ := filepath.Glob(a.dir + "/backups/wal/*.age")
		all, _ := filepath.Glob(a.dir + "/backups/wal/*")
		return len(sealed) >= 3 && len(all)-len(sealed) <= 2
	})
}

// asOnDebian takes the configuration out of a plain copy: Debian keeps it elsewhere.
func (a *archive) asOnDebian(t *testing.T) {
	t.Helper()
	copies, err := filepath.Glob(a.dir + "/backups/base/*")
	testkit.Must(t, err)
	for _, c := range copies {
		for _, name := range []string{"postgresql.conf", "pg_ident.conf"} {
			_ = os.Remove(filepath.Join(c, name))
		}
	}
}

// restoreTo runs restore.sh.
func (a *archive) restoreTo(t *testing.T, data, moment string) (out string, err error) {
	t.Helper()
	raw, err := a.command(t.Context(), "sh", "restore.sh", a.dir+"/backups", data, moment).CombinedOutput()
	return string(raw), err
}

// restore starts a server on what restore.sh makes of the backups, and returns its address.
func (a *archive) restore(t *testing.T, moment string) string {
	t.Helper()
	data := filepath.Join(a.dir, "data")
	if out, err := a.restoreTo(t, data, moment); err != nil {
		t.Fatalf("restore.sh: %v: %s", err, out)
	}
	pgCtl, err := postgres.Program("pg_ctl")
	testkit.Must(t, err)
	guard, err := testkit.OnExit(a.owner, `"$1" stop -D "$2" -m immediate >/dev/null 2>&1; true`, pgCtl, data)
	testkit.Must(t, err)
	t.Cleanup(func() { _ = guard.Release() })
	free := testkit.MustPort(t)
	start := a.command(t.Context(), pgCtl, "start", "-w", "-t", "120", "-D", data, "-l", filepath.Join(a.dir, "log"),
		"-o", fmt.Sprintf("-p %s -c listen_addresses=127.0.0.1 -c unix_socket_directories=''", free))
	start.Stdout, start.Stderr = nil, nil // the server would keep a pipe open
	if err := start.Run(); err != nil {
		log, _ := os.ReadFile(filepath.Join(a.dir, "log"))
		t.Fatalf("PostgreSQL does not start: %v\n%s", err, log)
	}
	return "postgres://florin@127.0.0.1:" + free + "/postgres?sslmode=disable"
}

// value reads one value of a PostgreSQL database.
func value[T any](t *testing.T, url, query string) (v T) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	testkit.Must(t, err)
	defer c.Close(t.Context())
	testkit.Must(t, c.QueryRow(t.Context(), query).Scan(&v))
	return v
}

// TestRestore_PointInTime: a PostgreSQL server is lost, and comes back as it was at a moment between two changes, from
// what backup.sh has received. Florin takes it over.
func TestRestore_PointInTime(t *testing.T) {
	t.Parallel()
	t.Run("Plain", func(t *testing.T) {
		t.Parallel()
		checkPointInTime(t, func(*archive) {})
	})
	t.Run("Encrypted", func(t *testing.T) {
		t.Parallel()
		checkPointInTime(t, func(a *archive) { a.encrypted(t) })
	})
}

func checkPointInTime(t *testing.T, prepare func(*archive)) {
	t.Helper()
	live, _, stopServer, err := postgres.Durable()
	testkit.Must(t, err)
	lost := false
	t.Cleanup(func() {
		if !lost {
			_ = stopServer()
		}
	})
	i := newInstallation(t, "FLORIN_DATABASE_URL="+live)
	i.must(t, "correct horse battery\n", "user", "create", "--email", email)
	i.must(t, "", "key", "create", "--email", email, "--credits", "7")
	served := i.serve(t)
	served.stop(t, syscall.SIGTERM)
	a := newArchive(t, live)
	prepare(a)
	stop := a.receive(t)
	if !value[bool](t, live, "SELECT backed_up_at > now() - interval '5 minutes' FROM instance") {
		t.Error("the copy is not recorded")
	}
	i.must(t, "", "credit", "grant", "--email", email, "--credits", "100") // after the copy
	moment := value[string](t, live, "SELECT clock_timestamp()::text")
	i.must(t, "", "credit", "grant", "--email", email, "--credits", "5000") // the mistake
	// Whole files, of which all but one are encrypted where all are.
	for range 3 {
		value[string](t, live, "SELECT pg_switch_wal()::text")
		execute(t, live, "UPDATE instance SET ticks = ticks")
	}
	position := value[string](t, live, "SELECT pg_current_wal_flush_lsn()::text")
	eventually(t, "the last change", func() bool {
		return value[bool](t, live,
			"SELECT coalesce(bool_or(flush_lsn >= '"+position+"'), false) FROM pg_stat_replication")
	})
	a.wantSealed(t)
	stop()
	testkit.Must(t, stopServer())
	lost = true
	a.asOnDebian(t)

	began := time.Now()
	restored := a.restore(t, moment)
	eventually(t, "the end of the recovery", func() bool {
		return !value[bool](t, restored, "SELECT pg_is_in_recovery()")
	})
	i = newInstallation(t, "FLORIN_DATABASE_URL="+restored)
	i.examine(t).wants(t, "database copy", "wrong", "recovered to a point in time")
	i.refuses(t, 1, []string{"serve"}, "recovered to a point in time", "florin restore --adopt")
	i.prints(t, "Adopted as generation", "restore", "--adopt")
	i.prints(t, "no differences", "verify-ledger")
	granted := i.must(t, "", "credit", "grant", "--email", email, "--credits", "1")
	if !strings.Contains(granted, "108 credits") {
		t.Errorf("after 7 and 100 credits, and one more: %s", granted)
	}
	s := i.serve(t)
	s.awaitProbe(t, "/readyz", 200)
	measured(t, "restored to the moment, and served", time.Since(began), patience)
	if status, log := s.stop(t, syscall.SIGTERM); status != 0 {
		t.Errorf("status %d: %s", status, log)
	}
	t.Run("TooEarly", func(t *testing.T) {
		out, err := a.restoreTo(t, a.dir+"/early", "2020-01-01 00:00:00+00")
		if err == nil || !strings.Contains(out, "old enough") {
			t.Errorf("%v: %s", err, out)
		}
	})
	t.Run("NotEmpty", func(t *testing.T) {
		out, err := a.restoreTo(t, a.dir+"/data", "")
		if err == nil || !strings.Contains(out, "is not empty") {
			t.Errorf("%v: %s", err, out)
		}
	})
}
