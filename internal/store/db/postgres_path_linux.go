package db

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
)

// boundUnsent makes the kernel give up a connection whose other side has not confirmed what was sent.
func boundUnsent(_, _ string, c syscall.RawConn) error {
	var err error
	failed := c.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(answerWithin.Milliseconds())) //nolint:gosec // a file descriptor
	})
	if failed != nil {
		return fmt.Errorf("socket: %w", failed)
	}
	return err
}
