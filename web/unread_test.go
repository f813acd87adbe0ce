package web

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A client that writes its whole request before it reads gets the refusal of a body of 10 MB, not a reset connection.
func TestBodyFarTooLarge(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	server := httptest.NewServer(b.server.Handler())
	t.Cleanup(server.Close)
	body := strings.Repeat("x", 10<<20)
	for name, row := range map[string]struct {
		path, header string
		status       int
	}{
		"REST":         {"/create-payment", "Content-Type: application/json", http.StatusRequestEntityTooLarge},
		"GraphQL":      {"/graphql", "Content-Type: application/json", http.StatusRequestEntityTooLarge},
		"another type": {"/pay", "Content-Type: text/plain", http.StatusUnsupportedMediaType},
		"nothing":      {"/nothing", "Content-Type: application/json", http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", server.Listener.Addr().String())
			must(t, err)
			defer conn.Close()
			must(t, conn.SetDeadline(time.Now().Add(time.Minute)))
			_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\n%s\r\nContent-Length: %d\r\n\r\n%s",
				row.path, row.header, len(body), body)
			must(t, err)
			r, err := http.ReadResponse(bufio.NewReader(conn), nil)
			must(t, err)
			defer r.Body.Close()
			if r.StatusCode != row.status {
				t.Errorf("it answers %s, want %d", r.Status, row.status)
			}
		})
	}
}
