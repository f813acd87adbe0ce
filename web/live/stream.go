package live

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/web/shell"
)

const (
	// Heartbeat is how often a quiet stream says that it is alive, in an event, which is all that the script of a
	// page can see: a page that hears nothing for 12 s asks (static/src/live.js). It keeps proxies from closing the
	// stream, too, and finds out whether its client has gone.
	Heartbeat = 10 * time.Second
	// retryMillis is when a browser comes back after a stream ended or broke off, and up to retrySpread later: the
	// pages of a server that stops must not come to another one all at once.
	retryMillis = 1_000
	retrySpread = 3_000
	// writeTime is how long a client may keep a worker waiting. What is written
	// is less than what a socket takes without being read.
	writeTime = 2 * time.Second
	// heartbeat is the event. An event without a line of data is none (HTML standard, section 9.2.6).
	heartbeat = "event: beat\ndata:\n\n"
)

// Stream is a stream of server-sent events on a connection that was taken from the
// HTTP server, which frees the server's buffers and goroutines.
type Stream struct {
	conn  net.Conn
	quiet time.Time // when a heartbeat is due
}

// Open takes the connection over and writes the head of the response.
func (s *Stream) Open(c echo.Context) error {
	res := c.Response()
	h := res.Header()
	h.Set("Content-Type", "text/event-stream")
	shell.Untouched(h)
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
	h.Set("Connection", "close")     // the end of the connection is the end of the stream
	conn, _, err := http.NewResponseController(res.Writer).Hijack()
	if err != nil {
		return fmt.Errorf("take over a connection: %w", err)
	}
	res.Committed, res.Status = true, http.StatusOK
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 200 OK\r\n")
	err = h.Write(&b)
	fmt.Fprintf(&b, "\r\nretry: %d\n\n", retryMillis+rand.IntN(retrySpread)) //nolint:gosec // no secret
	// The first turn says something in any case.
	s.conn = conn
	// The server's deadlines were for requests that end.
	if err = errors.Join(err, conn.SetDeadline(time.Time{}), s.write(b.Bytes())); err != nil {
		s.Close()
		return err
	}
	return nil
}

// Close closes the connection.
func (s *Stream) Close() { _ = s.conn.Close() }

// Quiet is when a heartbeat is due.
func (s *Stream) Quiet() time.Time { return s.quiet }

// Flush writes the events in b, or a heartbeat if there are none and one is due.
func (s *Stream) Flush(b *bytes.Buffer, now time.Time) error {
	if b.Len() == 0 && !now.Before(s.quiet) {
		b.WriteString(heartbeat)
	}
	if b.Len() == 0 {
		return nil
	}
	s.quiet = now.Add(Heartbeat)
	return s.write(b.Bytes())
}

func (s *Stream) write(b []byte) error {
	if err := s.conn.SetWriteDeadline(time.Now().Add(writeTime)); err != nil {
		return err
	}
	_, err := s.conn.Write(b)
	return err
}

// writeID begins the last event of a turn: it names what the page shows after it. A browser whose stream breaks off
// sends the name in the header Last-Event-ID of the next one, so an event that is not the last must not have it.
func writeID(b *bytes.Buffer, id string) { b.WriteString("id: " + id + "\n") }

// writeEvent writes an event: each line of the data is a line of its own.
func writeEvent(b *bytes.Buffer, event, data string) {
	b.WriteString("event: " + event + "\n")
	for line := range strings.Lines(data) {
		b.WriteString("data: " + strings.TrimRight(line, "\r\n") + "\n")
	}
	if data == "" {
		b.WriteString("data:\n")
	}
	b.WriteByte('\n')
}
