// Package testkit is what tests of several packages share: a clock, waits and errors that end a test, free ports, paths
// that fall silent, a passkey device, a collector of traces, the engines of internal/engines, and the end of what they
// start.
package testkit

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Ports are taken from below the ranges from which kernels choose (Linux from 32768, others from 49152): a port from
// those may become that of another connection or server between being found and being used, or during a restart.
const (
	lowest  = 10_000
	highest = 32_000
	tries   = 100
)

// MustPort is FreePort for tests, which it fails if there is none.
func MustPort(t testing.TB) string {
	t.Helper()
	found, err := FreePort()
	Must(t, err)
	return found
}

// FreePort returns a TCP port of 127.0.0.1 that nothing uses, by chance, so that processes that look at the same time
// do not find the same one.
func FreePort() (string, error) {
	var failed []error
	for range tries {
		found := strconv.Itoa(lowest + rand.IntN(highest-lowest)) //nolint:gosec // not a secret
		listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", found))
		if err != nil {
			failed = append(failed, err)
			continue
		}
		return found, listener.Close()
	}
	return "", fmt.Errorf("looking for a free port: %w", errors.Join(failed...))
}
