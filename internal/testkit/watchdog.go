package testkit

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// waitThenRun reads until the pipe is closed and only then runs the script.
const waitThenRun = "cat >/dev/null\n"

// Guard is a pending clean-up, for the servers and directories that a test leaves behind. It runs once, however this
// process ends (by returning from main, by a panic, by a test timeout or by SIGKILL), and not before that or Release:
// the kernel closes the writing end of a pipe when its last holder ends, and a shell waits at the reading end. Its
// owner must keep it reachable: a collected Guard closes its pipe, which looks like the end of the process.
type Guard struct {
	alive *os.File // closed by Release, or by the kernel
	shell *exec.Cmd
}

// OnExit runs the shell script, with args as $1, $2, …, once this process has ended. The shell runs in its
// own session, so that an interrupt from the terminal does not reach it, and as owner unless owner is nil. It
// holds neither standard output nor standard error, or a reader of the test's output would wait for it.
func OnExit(owner *syscall.Credential, script string, args ...string) (*Guard, error) {
	waiting, alive, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("watchdog: %w", err)
	}
	defer waiting.Close() // the shell has its own copy

	shell := exec.Command("/bin/sh", append([]string{"-c", waitThenRun + script, "watchdog"}, args...)...)
	shell.Dir = "/" // never inside a directory that is about to be removed
	shell.Stdin = waiting
	shell.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: owner}
	if err := shell.Start(); err != nil {
		alive.Close()
		return nil, fmt.Errorf("watchdog: %w", err)
	}
	return &Guard{alive: alive, shell: shell}, nil
}

// Release runs the clean-up now and waits for it. The error is that of the script's last command.
func (g *Guard) Release() error {
	if err := g.alive.Close(); err != nil {
		return fmt.Errorf("watchdog: already released: %w", err)
	}
	if err := g.shell.Wait(); err != nil {
		return fmt.Errorf("watchdog: clean-up: %w", err)
	}
	return nil
}
