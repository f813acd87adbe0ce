package main_test

import (
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestHealth: the exit status says whether the server on this machine is ready, whatever address it serves on.
func TestHealth(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	s := i.serve(t)
	s.awaitProbe(t, "/readyz", http.StatusOK)
	port := s.url[strings.LastIndex(s.url, ":"):]
	var asks []installation
	for _, host := range []string{"127.0.0.1", "*", "0.0.0.0", ""} {
		env := append(slices.Clone(i.env), "FLORIN_LISTEN="+host+port)
		asks = append(asks, installation{dir: i.dir, env: env})
	}
	for _, ask := range asks {
		ask.prints(t, "ready", "health")
	}
	s.stop(t, syscall.SIGTERM)
	asks[1].refuses(t, 1, []string{"health"}, "does not answer")
}
