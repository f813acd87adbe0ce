package browser

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// childVariable makes a copy of this test binary start a browser and wait to be killed.
const childVariable = "FLORIN_TEST_BROWSERTEST_CHILD"

// grace is how long the browser of a killed process may take to end.
const grace = time.Minute

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		running, err := browser()
		if err != nil {
			panic(err)
		}
		fmt.Println(chromedp.FromContext(running.ctx).Browser.Process().Pid, running.profile)
		time.Sleep(2 * grace)
		panic("not killed in time")
	}
	os.Exit(m.Run())
}

// fataler is a test inside the test that is expected to end with Fatalf, in a goroutine of its own.
type fataler struct {
	testing.TB

	failed bool
}

func (f *fataler) Fatalf(string, ...any) {
	f.failed = true
	runtime.Goexit()
}

func TestBrowser_GoneWithAKilledProcess(t *testing.T) {
	t.Parallel()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), childVariable+"=1")
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	child.Stderr = os.Stderr // why it started no browser
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	var profile string
	_, scanErr := fmt.Fscanln(bufio.NewReader(output), &pid, &profile)
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	child.Wait()
	if scanErr != nil {
		t.Fatalf("the child started no browser: %v", scanErr)
	}
	for deadline := time.Now().Add(grace); ; time.Sleep(20 * time.Millisecond) {
		_, statErr := os.Stat(profile)
		if os.IsNotExist(statErr) && !alive(pid) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("left behind: profile %v, browser alive: %t", statErr, alive(pid))
		}
	}
}

// alive reports whether the process runs; a zombie does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	// Linux: the state follows the name in parentheses (proc_pid_stat(5)). Other systems have no /proc.
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return !os.IsNotExist(err) || runtime.GOOS != "linux"
	}
	_, state, _ := bytes.Cut(stat, []byte(") "))
	return !bytes.HasPrefix(state, []byte("Z"))
}

func TestFindProgram(t *testing.T) {
	t.Parallel()
	if _, err := findProgram([]string{"no-such-browser"}); !errors.Is(err, errNoBrowser) {
		t.Errorf("findProgram = %v, want errNoBrowser", err)
	}
	if path, err := findProgram([]string{"no-such-browser", "sh"}); err != nil || path == "" {
		t.Errorf("findProgram = %q, %v; want the first that exists", path, err)
	}
}
