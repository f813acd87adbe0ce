package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"time"
)

// settle is how long the program may take to become idle after many pages were opened.
const settleTime = 5 * time.Second

// openPages opens the live streams of many checkout pages, each of a separate payment, and measures what one costs.
func (l *lab) openPages(ctx context.Context) (err error) {
	f, err := l.open(ctx, "sqlite://"+filepath.Join(l.dir, "pages.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.stop()) }()
	c, err := dial(ctx, f.address)
	if err != nil {
		return err
	}
	defer c.conn.Close()
	ids := make([]string, l.streams)
	for i := range ids {
		if ids[i], err = f.create(c); err != nil {
			return err
		}
	}
	time.Sleep(settleTime)
	before, err := f.resident()
	if err != nil {
		return err
	}
	conns := make([]net.Conn, 0, l.streams)
	defer func() {
		for _, conn := range conns {
			conn.Close()
		}
	}()
	for i, id := range ids {
		conn, err := openPage(ctx, f.address, id, i)
		if err != nil {
			return fmt.Errorf("page %d: %w", i+1, err)
		}
		conns = append(conns, conn)
	}
	time.Sleep(settleTime)
	after, err := f.resident()
	if err != nil {
		return err
	}
	each := (after - before) / int64(l.streams)
	l.sayf(
		each <= mostStream, "%-34s %8d, %.1f KB each (at most %d KB)", "open pages", len(conns),
		float64(each)/1024, mostStream>>10,
	)
	return nil
}

// openPage opens one stream. It spreads them over several loopback addresses, because one has too few ports.
func openPage(ctx context.Context, address, txnid string, i int) (net.Conn, error) {
	d := net.Dialer{Timeout: dialLimit, LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+i/10_000))}}
	conn, err := d.DialContext(ctx, "tcp4", address)
	if err != nil {
		return nil, err
	}
	if err := conn.SetDeadline(time.Now().Add(dialLimit)); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if _, err := fmt.Fprintf(conn, "GET /pay/%s/live?shown=x HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n", txnid); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	line, err := bufio.NewReaderSize(conn, 64).ReadString('\n')
	if err == nil && !strings.Contains(line, " 200 ") {
		err = fmt.Errorf("the stream answers %q", line)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, nil
}
