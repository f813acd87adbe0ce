package main_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit"
)

// testVersion is built into the program under test.
const testVersion = "1.2.3-test"

// patience bounds every wait and every run of a command. They take milliseconds, and much longer when other tests use
// the processors.
const patience = 2 * time.Minute

// florin is the path of the program, and next that of its next version, each built once for all tests.
var (
	florin string
	next   = sync.OnceValues(func() (string, error) { return "", errors.New("it was not built") })
)

func TestMain(m *testing.M) {
	if file := os.Getenv(echoFile); file != "" {
		fmt.Fprintln(os.Stderr, serveEcho(file))
		os.Exit(1)
	}
	if os.Getenv(ageVariable) != "" {
		if err := actAsAge(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, "age:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "florin-test-*")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	florin = filepath.Join(dir, "florin")
	if err := build(florin, testVersion); err != nil {
		fmt.Fprintln(os.Stderr, "build florin:", err)
		return 1
	}
	next = sync.OnceValues(func() (string, error) { return buildNext(dir) })
	flag.Parse()
	if flag.Lookup("test.run").Value.String() == "" { // all tests: one of them waits for the next version
		var built sync.WaitGroup
		built.Go(func() { _, _ = next() })
		defer built.Wait()
	}
	return m.Run()
}

// buildNext builds the program as its next version would be: with the migration of that version, which expands the
// schema. The database of the version before is that of this tree.
func buildNext(dir string) (program string, err error) {
	root, err := filepath.Abs("../..")
	if err != nil {
		return "", err
	}
	replace := make(map[string]string)
	for _, kind := range []string{"postgres", "sqlite"} {
		const name = "20270101000000_notes.tx.up.sql"
		replace[filepath.Join(root, "migrations", kind, name)] = filepath.Join(
			root, "internal/store/testdata/upgrade", kind, name)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		return "", err
	}
	program = filepath.Join(dir, "florin-next")
	return program, build(program, "9.9.9", "-overlay", file)
}

// build builds the program into a file.
func build(file, version string, flags ...string) error {
	args := append([]string{"build", "-buildvcs=false", "-o", file}, flags...)
	out, err := exec.Command("go", append(args, "-ldflags", "-s -w -X main.version="+version, ".")...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
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

func newInstallation(t testing.TB, env ...string) installation {
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
func (i installation) run(t testing.TB, stdin string, args ...string) result {
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
func (i installation) must(t testing.TB, stdin string, args ...string) string {
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

func write(t testing.TB, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	testkit.Must(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}
