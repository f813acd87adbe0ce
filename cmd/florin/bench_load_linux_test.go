package main_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit"
)

// client is one connection that sends requests and waits for the responses. It parses just enough HTTP/1.1 for the
// responses of this program and of Echo, because the load shares the processors with what it measures.
type client struct {
	conn net.Conn
	in   *bufio.Reader
	out  []byte
	body []byte
	sent int64 // bytes of requests, and of answers
	got  int64
}

// dialLimit bounds a connection, and each answer on it.
const dialLimit = 30 * time.Second

func dial(b *testing.B, s *server) *client {
	b.Helper()
	conn, err := net.DialTimeout("tcp", strings.TrimPrefix(s.url, "http://"), dialLimit)
	testkit.Must(b, err)
	b.Cleanup(func() { conn.Close() })
	return &client{conn: conn, in: bufio.NewReaderSize(conn, 8<<10)}
}

// mustPost sends a JSON body, and fails unless the answer is a success. It is valid until the next request.
func (c *client) mustPost(path string, body []byte) (answer []byte, err error) {
	c.out = fmt.Appendf(
		c.out[:0],
		"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		path, len(body),
	)
	c.out = append(c.out, body...)
	status, answer, err := c.ask()
	if err == nil && status != http.StatusOK { // a rate of refusals means nothing
		err = fmt.Errorf("%s answers %d: %.300s", path, status, answer)
	}
	return answer, err
}

func (c *client) get(path string) (status int, answer []byte, err error) {
	c.out = fmt.Appendf(c.out[:0], "GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n", path)
	return c.ask()
}

// fieldOf returns a text of an answer by its name.
func fieldOf(answer []byte, name string) string {
	_, rest, _ := bytes.Cut(answer, []byte(`"`+name+`":"`))
	text, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(text)
}

func (c *client) ask() (int, []byte, error) {
	if err := c.conn.SetDeadline(time.Now().Add(dialLimit)); err != nil {
		return 0, nil, err
	}
	if _, err := c.conn.Write(c.out); err != nil {
		return 0, nil, err
	}
	c.sent += int64(len(c.out))
	status, length, err := c.head()
	if err != nil {
		return 0, nil, err
	}
	if cap(c.body) < length {
		c.body = make([]byte, length)
	}
	c.body = c.body[:length]
	n, err := io.ReadFull(c.in, c.body)
	c.got += int64(n)
	return status, c.body, err
}

// head reads the status line and the headers, of which only the length counts.
func (c *client) head() (status, length int, err error) {
	length = -1
	for first := true; ; first = false {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, 0, err
		}
		c.got += int64(len(line))
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case first:
			if len(line) < 12 {
				return 0, 0, fmt.Errorf("status line %q", line)
			}
			if status, err = strconv.Atoi(string(line[9:12])); err != nil {
				return 0, 0, err
			}
		case len(line) == 0:
			if status == http.StatusNotModified {
				length = 0
			}
			if length < 0 {
				return 0, 0, errors.New("an answer without Content-Length")
			}
			return status, length, nil
		default:
			name, value, _ := bytes.Cut(line, []byte(": "))
			if bytes.EqualFold(name, []byte("Content-Length")) {
				if length, err = strconv.Atoi(string(value)); err != nil {
					return 0, 0, err
				}
			}
		}
	}
}

// rate runs step with all clients for a while and returns how often it ran a second.
func rate(b *testing.B, s *server, step func(*client) error) float64 {
	b.Helper()
	var done atomic.Int64
	begun := time.Now()
	atOnce(b, s, func(_ int, c *client) error {
		for time.Since(begun) < *benchFor {
			if err := step(c); err != nil {
				return err
			}
			done.Add(1)
		}
		return nil
	})
	return float64(done.Load()) / time.Since(begun).Seconds()
}

// atOnce runs do with each of the clients.
func atOnce(b *testing.B, s *server, do func(number int, c *client) error) {
	b.Helper()
	var all sync.WaitGroup
	for i := range *benchClients {
		c := dial(b, s)
		all.Go(func() {
			if err := do(i, c); err != nil {
				b.Error(err)
			}
		})
	}
	if all.Wait(); b.Failed() {
		b.FailNow()
	}
}

// openStream opens the stream of a page, until the context ends. They are spread over several loopback addresses,
// because one has too few ports.
func openStream(ctx context.Context, s *server, txnid string, i int) error {
	d := net.Dialer{Timeout: dialLimit, LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+i/10_000))}}
	conn, err := d.DialContext(ctx, "tcp4", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		return err
	}
	context.AfterFunc(ctx, func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(dialLimit)); err != nil {
		return err
	}
	const head = "GET /pay/%s/live?shown=x HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
	if _, err := fmt.Fprintf(conn, head, txnid); err != nil {
		return err
	}
	line, err := bufio.NewReaderSize(conn, 64).ReadString('\n')
	if err == nil && !strings.Contains(line, " 200 ") {
		err = fmt.Errorf("the stream answers %q", line)
	}
	return err
}

// besides is the number of files that are open in addition to those of the pages, here and in the program, which
// reserves some for requests.
const besides = 1_500

// roomFor raises the limit of open files of this process and its children to what the pages need, and returns for how
// many pages there is room.
func roomFor(pages int) int {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return pages
	}
	need := uint64(pages) + besides
	l.Cur, l.Max = max(l.Max, need), max(l.Max, need)
	if syscall.Setrlimit(syscall.RLIMIT_NOFILE, &l) == nil {
		return pages
	}
	_ = syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l)
	fmt.Printf("the system allows %d open files: fewer pages are opened\n", l.Cur)
	return int(min(l.Cur-besides, uint64(pages)))
}
