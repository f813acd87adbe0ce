package main_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// testVersion is built into the program under test.
const testVersion = "1.2.3-test"

// patience bounds every wait and every run of a command. They take milliseconds, and much longer when other tests use
// the processors.
const patience = 2 * time.Minute

// florin is the path of the program, built once for all tests.
var florin string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "florin-test-*")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	florin = filepath.Join(dir, "florin")
	build := exec.Command(
		"go", "build", "-buildvcs=false", "-ldflags", "-X main.version="+testVersion, "-o", florin, ".",
	)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build florin:", err)
		return 1
	}
	return m.Run()
}

// installation is a directory with its own configuration and database.
type installation struct {
	dir string
	env []string
	// program is another build; empty: that of TestMain.
	program string
}

// secretKey is 32 bytes in base64.
const secretKey = "Y2FuYXJ5IGNhbmFyeSBjYW5hcnkgY2FuYXJ5IDMyYnk="

func newInstallation(t *testing.T, env ...string) installation {
	t.Helper()
	return installation{dir: t.TempDir(), env: append(
		[]string{"FLORIN_SECRET_KEY=" + secretKey, "FLORIN_DATABASE_URL=sqlite://test.db", "FLORIN_DRAIN_WAIT=0s"},
		env...,
	)}
}

// result is the output and exit status of a run of the program.
type result struct {
	status         int
	stdout, stderr string
}

// run runs the program to its end, with a text as standard input.
func (i installation) run(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := i.command(ctx, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || ctx.Err() != nil {
		t.Fatalf("florin %v: %v", args, err)
	}
	return result{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

func (i installation) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, cmp.Or(i.program, florin), args...)
	cmd.Dir, cmd.Env = i.dir, i.env
	return cmd
}

// must runs the program, fails unless it succeeds, and returns its output.
func (i installation) must(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	r := i.run(t, stdin, args...)
	if r.status != 0 || r.stderr != "" {
		t.Fatalf("florin %v: status %d, %s", args, r.status, r.stderr)
	}
	return r.stdout
}

// prints runs the program and fails unless it succeeds and prints the text.
func (i installation) prints(t *testing.T, text string, args ...string) {
	t.Helper()
	if out := i.must(t, "", args...); !strings.Contains(out, text) {
		t.Errorf("florin %v prints %q, not %q", args, out, text)
	}
}

// refuses runs the program and fails unless it exits with the status and prints one line that contains the texts.
func (i installation) refuses(t *testing.T, status int, args []string, texts ...string) {
	t.Helper()
	r := i.run(t, "", args...)
	if r.status != status {
		t.Errorf("florin %v: status %d, want %d: %s", args, r.status, status, r.stderr)
	}
	if r.stdout != "" || !strings.HasPrefix(r.stderr, "florin: ") || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("florin %v: want one line on standard error, got %q and on standard output %q", args, r.stderr, r.stdout)
	}
	for _, text := range texts {
		if !strings.Contains(r.stderr, text) {
			t.Errorf("florin %v says %q, which lacks %q", args, r.stderr, text)
		}
	}
}

func write(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
