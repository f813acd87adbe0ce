package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"net"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/web/shell"
)

// Times of a stream.
const (
	// heartbeat keeps proxies from closing a quiet stream, and finds out
	// whether its client has gone.
	heartbeat = 20 * time.Second
	// movingTick is how often a page is looked at while money is on its way:
	// its seconds run without the payment changing.
	movingTick = time.Second
	// streamLife ends a stream; the browser opens the next. It spreads pages
	// over instances again after one was restarted.
	streamLife = time.Hour
	// retryMillis is when a browser comes back after a stream broke off.
	retryMillis = 2_000
	// streamWrite is how long a client may keep a worker waiting. What is
	// written is less than what a socket takes without being read.
	streamWrite = 2 * time.Second
	// lookTime bounds what a look at a payment may take.
	lookTime = 5 * time.Second
)

var errManyStreams = fault.Retry(fault.Limited, 30*time.Second, "too many pages are open at once")

// wire is a stream of server-sent events (HTML standard, section 9.2). It holds
// a connection that was taken from the HTTP server, whose buffers and
// goroutines are gone then.
type wire struct{ conn net.Conn }

// live is an open payment page.
type live struct {
	wire

	s    *Server
	id   payment.ID
	lang string
	// campaign is on whose page the payment is shown; empty for its own.
	campaign string
	view     views.View
	shown    string    // the stage the page shows
	sent     uint64    // hash of what was sent last
	quiet    time.Time // when a heartbeat is due
	end      time.Time
}

var sentSeed = maphash.MakeSeed()

// getLive keeps a page up to date.
func (s *Server) getLive(c echo.Context) error {
	p, err := s.d.Payments.Get(c.Request().Context(), c.Param("txnid"))
	if err != nil {
		return err
	}
	now := time.Now()
	l := &live{
		s: s, id: p.ID, lang: shell.Language(c), campaign: c.QueryParam("campaign"), view: views.ParseView(c.QueryParam("view")), shown: c.QueryParam("stage"),
		quiet: now.Add(heartbeat), end: now.Add(streamLife),
	}
	return s.hub.admit(p.ID, shell.CallOf(c).Client, s.sh.Limits.Rates, l, func() error { return l.open(c) })
}

// open takes the connection over and writes the head of the answer.
func (w *wire) open(c echo.Context) error {
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
	fmt.Fprintf(&b, "\r\nretry: %d\n\n", retryMillis)
	w.conn = conn
	// The server's deadlines were for requests that end.
	if err = errors.Join(err, conn.SetDeadline(time.Time{}), w.write(b.Bytes())); err != nil {
		w.close()
		return err
	}
	return nil
}

func (w *wire) close() { _ = w.conn.Close() }

// turn sends what the page does not show yet. A payment that cannot be read
// now is read at the next turn.
func (l *live) turn(now time.Time, news bool) (next time.Time, more bool) {
	if now.After(l.end) {
		return now, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	b := shell.GetBuffer()
	defer shell.PutBuffer(b)
	moving, done, err := l.look(ctx, b)
	if err != nil {
		l.s.d.Log.Debug("an open page could not be brought up to date", "error", err)
		b.Reset()
	}
	if b.Len() == 0 && !now.Before(l.quiet) {
		b.WriteString(": \n\n")
	}
	if b.Len() > 0 {
		l.quiet = now.Add(heartbeat)
		if err := l.write(b.Bytes()); err != nil || done {
			return now, false
		}
	}
	if moving {
		return now.Add(movingTick), true
	}
	return l.quiet, true
}

// look reads the payment and writes the events that the page needs.
func (l *live) look(ctx context.Context, b *bytes.Buffer) (moving, done bool, err error) {
	p, err := l.s.d.Payments.Get(ctx, string(l.id))
	if err != nil {
		return false, false, err
	}
	props, err := l.s.checkoutProps(ctx, p, views.Page{Lang: l.lang}, l.view)
	if err != nil {
		return false, false, err
	}
	if l.campaign != "" {
		props = props.OnCampaign(l.campaign)
	}
	if props.Stage() != l.shown {
		l.s.addCodes(&props)
	}
	event, fragment, next, done := views.LiveEvent(props, l.shown)
	html := shell.GetBuffer()
	defer shell.PutBuffer(html)
	if err := fragment.Render(ctx, html); err != nil {
		return false, false, err
	}
	l.shown = next
	if sum := maphash.Bytes(sentSeed, html.Bytes()); sum != l.sent {
		l.sent = sum
		writeEvent(b, event, html.Bytes())
	}
	if done {
		writeEvent(b, "done", nil)
	}
	return props.State == views.StateSeen || props.State == views.StateConfirming, done, nil
}

// writeEvent writes a server-sent event: each line of the data is a line of
// its own.
func writeEvent(b *bytes.Buffer, event string, data []byte) {
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

func (w *wire) write(b []byte) error {
	if err := w.conn.SetWriteDeadline(time.Now().Add(streamWrite)); err != nil {
		return err
	}
	_, err := w.conn.Write(b)
	return err
}
