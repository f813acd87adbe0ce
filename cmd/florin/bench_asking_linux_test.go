package main_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit"
)

const (
	// streamsFor is how long the streams of open pages are watched, and askEvery how often a page asks that hears
	// nothing on its stream (static/src/live.js).
	streamsFor = 24 * time.Second
	askEvery   = 13 * time.Second
	// streamsGone is longer than the server takes to find out that a stream's client has gone: the next heartbeat.
	streamsGone = 12 * time.Second
	// mostAsking is what pages may take when none of them has a stream, of what their streams take.
	mostAsking = 1.0
)

// ticks is what Linux counts the time of processes in, in a second (USER_HZ).
const ticks = 100

// busy is the share of one core that the program takes while something is done for so long.
func (f *benched) busy(b *testing.B, long time.Duration, do func()) float64 {
	b.Helper()
	used := func() int64 {
		stat := testkit.ReadFile(b, fmt.Sprintf("/proc/%d/stat", f.server.cmd.Process.Pid))
		_, rest, _ := bytes.Cut(stat, []byte(") ")) // the name of the program may hold anything
		fields := bytes.Fields(rest)
		user, err := strconv.ParseInt(string(fields[11]), 10, 64)
		system, failed := strconv.ParseInt(string(fields[12]), 10, 64)
		if err = errors.Join(err, failed); err != nil {
			b.Fatal(err)
		}
		return user + system
	}
	before := used()
	do()
	return float64(used()-before) / ticks / long.Seconds()
}

// benchAsking measures the second way by which an open page learns of changes, at its worst: no page has a stream, and
// each asks every 13 s for what it does not show yet. Streams is the share of a core that the streams of as many took.
func (f *benched) benchAsking(b *testing.B, ids []string, streams float64) {
	b.Helper()
	tags, asked := make([]string, len(ids)), atomic.Int64{}
	whole := http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: *benchClients}}
	defer whole.CloseIdleConnections()
	atOnce(b, f.server, func(number int, _ *client) error {
		for at := number; at < len(ids); at += *benchClients {
			r, err := whole.Get(f.server.url + "/pay/" + ids[at] + "/now")
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, r.Body)
			tags[at] = strings.Trim(r.Header.Get("ETag"), `"`)
			if err = errors.Join(err, r.Body.Close()); err == nil && tags[at] == "" {
				err = fmt.Errorf("the page %s is answered %s without a tag", ids[at], r.Status)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	var sent, got atomic.Int64
	share := f.busy(b, askEvery, func() {
		begun := time.Now()
		atOnce(b, f.server, func(number int, c *client) error {
			for at := number; at < len(ids); at += *benchClients {
				time.Sleep(time.Until(begun.Add(askEvery * time.Duration(at) / time.Duration(len(ids)))))
				c.out = fmt.Appendf(c.out[:0], "GET /pay/%s/now HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: \"%s\"\r\n\r\n",
					ids[at], tags[at])
				status, answer, err := c.ask()
				if err == nil && status != http.StatusNotModified {
					err = fmt.Errorf("the page %s is answered %d %.200s", ids[at], status, answer)
				}
				if err != nil {
					return err
				}
				asked.Add(1)
			}
			sent.Add(c.sent)
			got.Add(c.got)
			return nil
		})
	})
	n := asked.Load()
	fmt.Printf("%-34s %8.3f of a core for %d pages, which are looked at every 12 s and say that they live every 10 s\n",
		"  their streams", streams, len(ids))
	reportf(b, share <= mostAsking*streams,
		"%-34s %8.3f of a core for %d pages without a stream, %.0f µs an answer: %.2f × the streams (at most %.1f)",
		"  second channel (304 every 13 s)", share, len(ids), share*askEvery.Seconds()*1e6/float64(n), share/streams,
		mostAsking)
	fmt.Printf("%-34s %8.1f a minute and page, %d bytes asked and %d answered each; all pages %.0f KB/s\n", "", time.Minute.Seconds()/askEvery.Seconds(),
		sent.Load()/n, got.Load()/n, float64(sent.Load()+got.Load())/askEvery.Seconds()/1024)
}
