package main_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/florinpay/florin/internal/testkit"
)

// typed runs the program at a terminal at which an operator types the lines, and returns its exit status and what it
// prints.
func (i installation) typed(t *testing.T, lines []string, args ...string) (status int, printed string) {
	t.Helper()
	operator, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	testkit.Must(t, err)
	defer operator.Close()
	testkit.Must(t, unix.IoctlSetPointerInt(int(operator.Fd()), unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(int(operator.Fd()), unix.TIOCGPTN)
	testkit.Must(t, err)
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	testkit.Must(t, err)
	defer terminal.Close()
	_, err = operator.WriteString(strings.Join(lines, "\n") + "\n") // a terminal keeps lines until they are read
	testkit.Must(t, err)

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var out strings.Builder
	cmd := i.command(ctx, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, &out, &out
	_ = cmd.Run() // its status is looked at
	if ctx.Err() != nil {
		t.Fatalf("florin %v waits for more than was typed: %q", args, out.String())
	}
	return cmd.ProcessState.ExitCode(), out.String()
}

// TestTerminal_TypedTwice: a passphrase or password is not shown while it is typed, so a new one is typed twice. Nobody
// could open a backup whose passphrase has a typing error.
func TestTerminal_TypedTwice(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	i.must(t, "", "migrate")
	file := filepath.Join(i.dir, "backup.age")
	const meant, mistyped = "a passphrase of some sort", "a passphrase of some kind"
	status, printed := i.typed(t, []string{meant, mistyped}, "backup", file)
	if _, err := os.Stat(file); status != 1 || err == nil || !strings.Contains(printed, "not the same") {
		t.Errorf("a passphrase that is typed in two ways: status %d, %q, %v", status, printed, err)
	}
	if status, printed = i.typed(t, []string{meant, meant}, "backup", file); status != 0 {
		t.Fatalf("a backup: status %d, %q", status, printed)
	}
	if strings.Contains(printed, meant) {
		t.Errorf("the passphrase is shown: %q", printed)
	}
	if status, printed = i.typed(t, []string{meant}, "restore", "--force", file); status != 0 {
		t.Errorf("a restore asks once: status %d, %q", status, printed)
	}
	create := []string{"user", "create", "--email", email}
	status, printed = i.typed(t, []string{"correct horse battery", "correct horse batery"}, create...)
	if status != 1 || !strings.Contains(printed, "not the same") {
		t.Errorf("a password that is typed in two ways: status %d, %q", status, printed)
	}
	if status, printed = i.typed(t, []string{password, password}, create...); status != 0 {
		t.Errorf("a user: status %d, %q", status, printed)
	}
}

// TestTerminal_RecoverAsks: what recover would send is shown, and sent after a yes only.
func TestTerminal_RecoverAsks(t *testing.T) {
	t.Parallel()
	s := openShop(t, settling...)
	s.fundGas(t)
	polygon := s.chains[1]
	txnid, address := s.start(t, "POLYGON", "USDT", 1250)
	s.stop(t, syscall.SIGKILL)
	polygon.pay(t, polygon.Tokens().USDT, address, 1250)
	eventually(t, "blocks", func() bool { return polygon.balance(t, polygon.Tokens().USDT, address) == 1250 })
	lost := s.bare(t)
	command := []string{"recover", "--txnid", txnid, "--settlement", settlementWallet, "--network", "polygon"}
	status, printed := lost.typed(t, []string{"n"}, command...)
	if status != 0 || !strings.Contains(printed, "Would sweep 12.5 USDT") || strings.Contains(printed, "Moved") ||
		polygon.balance(t, polygon.Tokens().USDT, address) != 1250 {
		t.Errorf("after no: status %d, %q", status, printed)
	}
	status, printed = lost.typed(t, []string{"yes"}, command...)
	if status != 0 || !strings.Contains(printed, "Moved 12.5 USDT") {
		t.Errorf("after yes: status %d, %q", status, printed)
	}
}
