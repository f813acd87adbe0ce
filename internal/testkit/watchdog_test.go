package testkit_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit"
)

// markerVariable makes a copy of this test binary guard the named file and wait to be killed.
const markerVariable = "FLORIN_TEST_WATCHDOG_MARKER"

// patience bounds the wait for a shell to notice a closed pipe, which takes milliseconds on an idle machine.
const patience = time.Minute

func TestMain(m *testing.M) {
	if marker := os.Getenv(markerVariable); marker != "" {
		guardUntilKilled(marker)
		return
	}
	os.Exit(m.Run())
}

func guardUntilKilled(marker string) {
	guard, err := testkit.OnExit(nil, `echo "$2" >"$1"`, marker, "cleaned up")
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString("guarded\n")
	time.Sleep(patience)
	panic(guard.Release()) // the parent has not killed us in time
}

func TestOnExit(t *testing.T) {
	t.Parallel()

	t.Run("Killed", func(t *testing.T) {
		t.Parallel()
		marker := filepath.Join(t.TempDir(), "marker")
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), markerVariable+"="+marker)
		output, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(output).ReadString('\n'); err != nil || line != "guarded\n" {
			t.Fatalf("child said %q, %v", line, err)
		}
		if _, err := os.Stat(marker); !os.IsNotExist(err) {
			t.Fatalf("the clean-up ran while the process was alive: %v", err)
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		child.Wait()
		waitForContent(t, marker, "cleaned up")
	})

	t.Run("Release", func(t *testing.T) {
		t.Parallel()
		marker := filepath.Join(t.TempDir(), "marker")
		guard, err := testkit.OnExit(nil, `echo released >"$1"`, marker)
		if err != nil {
			t.Fatal(err)
		}
		if err := guard.Release(); err != nil {
			t.Fatal(err)
		}
		waitForContent(t, marker, "released")
		if err := guard.Release(); err == nil {
			t.Error("a second release must be refused: the clean-up runs once")
		}
	})

	t.Run("FailingScript", func(t *testing.T) {
		t.Parallel()
		guard, err := testkit.OnExit(nil, "exit 3")
		if err != nil {
			t.Fatal(err)
		}
		if err := guard.Release(); err == nil {
			t.Error("the failure of the clean-up was swallowed")
		}
	})
}

func waitForContent(t *testing.T, path, want string) {
	t.Helper()
	var got []byte
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		got, _ = os.ReadFile(path)
		if strings.TrimSpace(string(got)) == want {
			return
		}
	}
	t.Fatalf("%s holds %q, want %q", path, got, want)
}
