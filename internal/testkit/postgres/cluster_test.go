package postgres

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit"
)

// childVariable makes a copy of this test binary start a cluster and wait to be killed.
const childVariable = "FLORIN_TEST_PGTEST_CHILD"

// grace is how long the server of a killed process may take to end.
const grace = time.Minute

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		running, err := ours()
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s %s\n", running.directory, running.url.Host)
		time.Sleep(2 * grace)
		panic("not killed in time")
	}
	os.Exit(m.Run())
}

func TestCluster_GoneWithAKilledProcess(t *testing.T) {
	t.Parallel()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVariable+"=1")
	output, err := child.StdoutPipe()
	testkit.Must(t, err)
	testkit.Must(t, child.Start())
	var directory, host string
	_, scanErr := fmt.Fscanln(bufio.NewReader(output), &directory, &host)
	reached, dialErr := net.DialTimeout("tcp", host, grace)
	if dialErr == nil {
		reached.Close()
	}
	testkit.Must(t, child.Process.Kill())
	child.Wait()
	if err := errors.Join(scanErr, dialErr); err != nil {
		t.Fatalf("the child started no server: %v", err)
	}

	for deadline := time.Now().Add(grace); ; time.Sleep(20 * time.Millisecond) {
		_, statErr := os.Stat(directory)
		connection, dialErr := net.Dial("tcp", host)
		if os.IsNotExist(statErr) && dialErr != nil {
			return
		}
		if dialErr == nil {
			connection.Close()
		}
		if time.Now().After(deadline) {
			t.Fatalf("left behind: directory %v, server %v", statErr, dialErr)
		}
	}
}

func TestFindBinaries(t *testing.T) {
	// Not parallel: PATH is the process's. An empty one hides what the machine has.
	t.Setenv("PATH", t.TempDir())
	root := t.TempDir()
	patterns := []string{filepath.Join(root, "*", "bin")}

	if _, err := findBinaries(patterns); !errors.Is(err, errNoPostgres) {
		t.Fatalf("without PostgreSQL: %v, want errNoPostgres", err)
	}
	if !strings.Contains(errNoPostgres.Error(), "postgresql-15") {
		t.Error("the error does not name the package to install")
	}
	for _, version := range []string{"9", "15", "16"} {
		for _, program := range []string{"initdb", "pg_ctl", "postgres"} {
			if version == "16" && program == "postgres" {
				continue // an incomplete installation must not be chosen
			}
			path := filepath.Join(root, version, "bin", program)
			testkit.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
			testkit.Must(t, os.WriteFile(path, nil, 0o700))
		}
	}
	if got, err := findBinaries(patterns); err != nil || got != filepath.Join(root, "15", "bin") {
		t.Errorf("findBinaries = %q, %v; want version 15, newer than 9 and complete", got, err)
	}
	t.Setenv("PATH", filepath.Join(root, "9", "bin"))
	if got, err := findBinaries(patterns); err != nil || got != filepath.Join(root, "9", "bin") {
		t.Errorf("findBinaries = %q, %v; want the one in PATH", got, err)
	}
}

func TestMajorVersion(t *testing.T) {
	t.Parallel()
	for directory, want := range map[string]int{
		"/usr/lib/postgresql/15/bin":            15,
		"/usr/pgsql-17/bin":                     17,
		"/opt/homebrew/opt/postgresql@16/bin":   16,
		"/opt/homebrew/opt/postgresql@beta/bin": 0,
	} {
		if got := majorVersion(directory); got != want {
			t.Errorf("majorVersion(%q) = %d, want %d", directory, got, want)
		}
	}
}

func TestServerURL_Given(t *testing.T) {
	// Not parallel: the variable is the process's.
	t.Run("Malformed", func(t *testing.T) {
		t.Setenv(ServerVariable, "mysql://root:hunter2@localhost")
		_, err := serverURL()
		if err == nil {
			t.Fatal("a URL of another database was accepted")
		}
		if strings.Contains(err.Error(), "hunter2") {
			t.Error("the error repeats the password")
		}
	})
	t.Run("Used", func(t *testing.T) {
		running, err := ours()
		testkit.Must(t, err)
		given := *running.url
		given.RawQuery += "&application_name=given"
		t.Setenv(ServerVariable, given.String())
		if address := URL(t); !strings.Contains(address, "application_name=given") {
			t.Errorf("URL = %s, not on the given server", address)
		}
	})
}
