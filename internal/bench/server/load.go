package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// client is one connection that sends requests and waits for the responses. It parses just enough HTTP/1.1 for the
// responses of this program and of Echo, because the load shares the processors with what it measures.
type client struct {
	conn net.Conn
	in   *bufio.Reader
	out  []byte
	body []byte
}

// dialLimit bounds a connection, and each answer on it.
const dialLimit = 30 * time.Second

func dial(ctx context.Context, address string) (*client, error) {
	d := net.Dialer{Timeout: dialLimit}
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, in: bufio.NewReaderSize(conn, 8<<10)}, nil
}

// post sends a JSON body, get sends none. The response's body is valid until the next call.
func (c *client) post(path string, body []byte) (status int, answer []byte, err error) {
	c.out = fmt.Appendf(
		c.out[:0],
		"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		path, len(body),
	)
	c.out = append(c.out, body...)
	return c.ask()
}

func (c *client) get(path string) (status int, answer []byte, err error) {
	c.out = fmt.Appendf(c.out[:0], "GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n", path)
	return c.ask()
}

func (c *client) ask() (int, []byte, error) {
	if err := c.conn.SetDeadline(time.Now().Add(dialLimit)); err != nil {
		return 0, nil, err
	}
	if _, err := c.conn.Write(c.out); err != nil {
		return 0, nil, err
	}
	status, length, err := c.head()
	if err != nil {
		return 0, nil, err
	}
	if cap(c.body) < length {
		c.body = make([]byte, length)
	}
	c.body = c.body[:length]
	_, err = io.ReadFull(c.in, c.body)
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

// errStatus: the response is not a success, and a rate of refusals means nothing.
func errStatus(what string, status int, body []byte) error {
	return fmt.Errorf("%s answers %d: %s", what, status, body[:min(len(body), 300)])
}

// rate runs step with all clients for the duration and returns how often it ran a second.
func rate(ctx context.Context, address string, s settings, step func(*client) error) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, s.duration)
	defer cancel()
	var done atomic.Int64
	var failure atomic.Pointer[error]
	var all sync.WaitGroup
	begun := time.Now()
	for range s.clients {
		c, err := dial(ctx, address)
		if err != nil {
			return 0, err
		}
		all.Go(func() {
			defer c.conn.Close()
			for ctx.Err() == nil && failure.Load() == nil {
				if err := step(c); err != nil {
					failure.Store(&err)
					return
				}
				done.Add(1)
			}
		})
	}
	all.Wait()
	if err := failure.Load(); err != nil {
		return 0, *err
	}
	return float64(done.Load()) / time.Since(begun).Seconds(), nil
}
