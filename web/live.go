package web

import (
	"bytes"
	"context"
	"hash/maphash"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
)

// Times of a stream.
const (
	// heartbeat keeps proxies from closing a quiet stream, and finds out
	// whether its client has gone.
	heartbeat = 20 * time.Second
	// movingTick is how often a page is looked at while money is on its way:
	// its seconds run without the payment changing.
	movingTick = time.Second
	// quietTick is how often a page is looked at without news, in case some
	// were lost or its network fell behind.
	quietTick = 15 * time.Second
	// streamLife ends a stream; the browser opens the next. It spreads pages
	// over instances again after one was restarted.
	streamLife = time.Hour
	// retryMillis is when a browser comes back after a stream broke off.
	retryMillis = 2_000
	// streamWrite is how long a client may take to read what is written.
	streamWrite = 10 * time.Second
)

var errManyStreams = fault.Retry(fault.Limited, 30*time.Second, "too many pages are open at once")

// live is an open page's stream of server-sent events.
type live struct {
	s      *Server
	w      *echo.Response
	rc     *http.ResponseController
	id     payment.ID
	lang   string
	view   views.View
	shown  string // the stage the page shows
	sent   uint64 // hash of what was sent last
	moving bool
	done   bool
}

var sentSeed = maphash.MakeSeed()

// getLive keeps a page up to date.
func (s *Server) getLive(c echo.Context) error {
	ctx := c.Request().Context()
	p, err := s.d.Payments.Get(ctx, c.Param("txnid"))
	if err != nil {
		return err
	}
	stream, ok := s.hub.open(p.ID, callOf(c).Client, s.o.Rates)
	if !ok {
		return errManyStreams
	}
	defer s.hub.close(stream)
	l := &live{
		s: s, w: c.Response(), rc: http.NewResponseController(c.Response().Writer), id: p.ID,
		lang: language(c), view: views.ParseView(c.QueryParam("view")), shown: c.QueryParam("stage"),
	}
	if err := l.open(); err != nil {
		return err
	}
	return l.run(ctx, stream.news)
}

func (l *live) open() error {
	h := l.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would hold events back
	// The server's own deadlines are for requests that end.
	if err := l.rc.SetReadDeadline(time.Time{}); err != nil {
		return err
	}
	l.w.WriteHeader(http.StatusOK)
	return l.write([]byte("retry: " + strconv.Itoa(retryMillis) + "\n\n"))
}

// run sends what has changed until the payment is completed, the client goes
// or the server stops.
func (l *live) run(ctx context.Context, news <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, streamLife)
	defer cancel()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	look := time.NewTimer(quietTick)
	defer look.Stop()
	for {
		if err := l.look(ctx); err != nil || l.done {
			return err
		}
		look.Reset(l.tick())
		if more, err := l.wait(ctx, news, look.C, beat.C); err != nil || !more {
			return err
		}
	}
}

// wait returns true when it is time to look again, false when the stream is over.
func (l *live) wait(ctx context.Context, news <-chan struct{}, look, beat <-chan time.Time) (bool, error) {
	for {
		select {
		case <-news:
			return true, nil
		case <-look:
			return true, nil
		case <-beat:
			if err := l.write([]byte(": \n\n")); err != nil {
				return false, err
			}
		case <-ctx.Done():
			return false, nil
		case <-l.s.stopping:
			return false, nil
		}
	}
}

func (l *live) tick() time.Duration {
	if l.moving {
		return movingTick
	}
	return quietTick
}

// look reads the payment and sends what the page does not show yet.
func (l *live) look(ctx context.Context) error {
	p, err := l.s.d.Payments.Get(ctx, string(l.id))
	if err != nil {
		return err
	}
	props, err := l.s.checkoutProps(ctx, p, views.Page{Lang: l.lang}, l.view)
	if err != nil {
		return err
	}
	l.moving = props.State == views.StateSeen || props.State == views.StateConfirming
	if props.Stage() != l.shown {
		l.s.addCodes(&props)
	}
	event, fragment, next, done := views.LiveEvent(props, l.shown)
	b := getBuffer()
	defer putBuffer(b)
	if err := fragment.Render(ctx, b); err != nil {
		return err
	}
	l.shown, l.done = next, done
	return l.send(event, b.Bytes())
}

// send writes an event unless it is the one the page got last.
func (l *live) send(event string, html []byte) error {
	b := getBuffer()
	defer putBuffer(b)
	writeEvent(b, event, html)
	if sum := maphash.Bytes(sentSeed, b.Bytes()); sum != l.sent {
		l.sent = sum
	} else {
		b.Reset()
	}
	if l.done {
		writeEvent(b, "done", nil)
	}
	if b.Len() == 0 {
		return nil
	}
	return l.write(b.Bytes())
}

// writeEvent writes a server-sent event (HTML standard, section 9.2): each
// line of the data is a line of its own.
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

func (l *live) write(b []byte) error {
	if err := l.rc.SetWriteDeadline(time.Now().Add(streamWrite)); err != nil {
		return err
	}
	if _, err := l.w.Write(b); err != nil {
		return err
	}
	return l.rc.Flush()
}
