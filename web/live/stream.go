package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"net"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/web/shell"
)

const (
	// Heartbeat keeps proxies from closing a quiet stream, and finds out whether
	// its client has gone.
	Heartbeat = 20 * time.Second
	// TurnTime bounds what a page may read in one turn.
	TurnTime = 5 * time.Second
	// Lifetime ends a stream; the browser opens the next. It spreads pages over
	// instances again after one was restarted.
	Lifetime = time.Hour
	// retryMillis is when a browser comes back after a stream ended or broke off, and up to retrySpread later: the
	// pages of a server that stops must not come to another one all at once.
	retryMillis = 1_000
	retrySpread = 3_000
	// writeTime is how long a client may keep a worker waiting. What is written
	// is less than what a socket takes without being read.
	writeTime = 2 * time.Second
)

// Stream is a stream of server-sent events on a connection that was taken from the
// HTTP server, which frees the server's buffers and goroutines.
type Stream struct {
	conn  net.Conn
	quiet time.Time // when a heartbeat is due
	sent  map[string]uint64
}

// Open takes the connection over and writes the head of the response.
func (s *Stream) Open(c echo.Context) error {
	res := c.Response()
	h := res.Header()
	h.Set("Content-Type", "text/event-stream")
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
	s.conn, s.quiet = conn, time.Now().Add(Heartbeat)
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
		b.WriteString(": \n\n")
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

var sentSeed = maphash.MakeSeed()

// Add renders a fragment and adds it to b as an event, unless the slot (a part of
// the page) was last sent the same.
func (s *Stream) Add(ctx context.Context, b *bytes.Buffer, slot, event string, fragment templ.Component) error {
	html := shell.GetBuffer()
	defer shell.PutBuffer(html)
	if err := fragment.Render(ctx, html); err != nil {
		return err
	}
	sum := maphash.Bytes(sentSeed, html.Bytes())
	if last, ok := s.sent[slot]; ok && last == sum {
		return nil
	}
	if s.sent == nil {
		s.sent = make(map[string]uint64, 2)
	}
	s.sent[slot] = sum
	WriteEvent(b, event, html.Bytes())
	return nil
}

// WriteID names what the events after it show. A browser whose stream breaks off sends the name in the header
// Last-Event-ID of the next one.
func WriteID(b *bytes.Buffer, id string) { b.WriteString("id: " + id + "\n\n") }

// WriteEvent writes an event: each line of the data is a line of its own.
func WriteEvent(b *bytes.Buffer, event string, data []byte) {
	b.WriteString("event: " + event + "\n")
	for line := range bytes.Lines(data) {
		b.WriteString("data: ")
		b.Write(bytes.TrimRight(line, "\r\n"))
		b.WriteByte('\n')
	}
	if len(data) == 0 {
		b.WriteString("data:\n")
	}
	b.WriteByte('\n')
}
