package main_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

// longerThan is how long a delivery lasts after the signal, and a request after the server accepts no more connections:
// longer than a server that does not wait for them would run.
const longerThan = 3 * time.Second

// probe reads a probe; status 0 means that nothing answers.
func (s *server) probe(t *testing.T, path string) (status int, answer map[string]any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	testkit.Must(t, err)
	req.Close = true // so that a server that stopped to listen is noticed
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	testkit.Must(t, err)
	if err := json.Unmarshal(raw, &answer); err != nil {
		t.Fatalf("GET %s: %d %q: %v", path, res.StatusCode, raw, err)
	}
	return res.StatusCode, answer
}

// awaitProbe waits until the probe has the status.
func (s *server) awaitProbe(t *testing.T, path string, want int) map[string]any {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		status, answer := s.probe(t, path)
		if status == want {
			return answer
		}
		if time.Now().After(deadline) {
			t.Fatalf("GET %s answers %d %v, not %d", path, status, answer, want)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// raw opens a connection and writes the text.
func (s *server) raw(t *testing.T, text string) net.Conn {
	t.Helper()
	c, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.url, "http://"))
	testkit.Must(t, err)
	t.Cleanup(func() { _ = c.Close() })
	testkit.Must(t, c.SetDeadline(time.Now().Add(patience)))
	_, err = io.WriteString(c, text)
	testkit.Must(t, err)
	return c
}

// slowReceiver is a receiver that announces each request, answers when release is closed, and reports whether the
// request lasted until then.
func slowReceiver(t *testing.T, release <-chan struct{}, arrived chan<- struct{}, sent chan<- bool) *receiver {
	t.Helper()
	r := &receiver{Server: httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that an aborted request is noticed
		arrived <- struct{}{}
		select {
		case <-release:
			sent <- true
		case <-r.Context().Done():
			sent <- false
		}
	}))}
	t.Cleanup(r.Close)
	return r
}

// openPage opens the live page of a payment and returns it when it is live, and whether it names the time to reconnect.
func (s *server) openPage(t *testing.T, txnid string) (page *bufio.Reader, retry bool) {
	t.Helper()
	page = bufio.NewReader(s.raw(t, "GET /pay/"+txnid+
		"/live?shown=x HTTP/1.1\r\nHost: florin\r\nAccept: text/event-stream\r\n\r\n"))
	for {
		line, err := page.ReadString('\n')
		testkit.Must(t, err)
		if strings.HasPrefix(line, "event:") {
			return page, retry
		}
		retry = retry || strings.HasPrefix(line, "retry: ")
	}
}

// TestServe_Drain: SIGTERM ends readiness first, while everything is still served. Then the request and the delivery in
// progress end as they would have, and an open page reconnects.
func TestServe_Drain(t *testing.T) {
	t.Parallel()
	release, arrived, sent := make(chan struct{}), make(chan struct{}, 8), make(chan bool, 8)
	slow := slowReceiver(t, release, arrived, sent)
	s := &shop{receiver: slow, chains: startChains(t)[:1]}
	s.open(t, append(s.chains[0].environ(), "FLORIN_ALLOW_PRIVATE_CALLBACKS=true", "FLORIN_DRAIN_WAIT=3s"),
		map[string]any{"bep20": settlementWallet})
	s.awaitProbe(t, "/readyz", http.StatusOK)
	open, _ := s.start(t, "BEP20", "USDT", 500)
	page, retry := s.openPage(t, open)
	txnid, _ := s.start(t, "BEP20", "USDT", 600)
	if status, answer := s.post(t, "/cancel-payment", fmt.Sprintf(`{"txnid":%q}`, txnid)); status != http.StatusOK {
		t.Fatalf("cancel: %d %v", status, answer)
	}
	<-arrived // the webhook of the cancellation

	testkit.Must(t, s.cmd.Process.Signal(syscall.SIGTERM))
	if answer := s.awaitProbe(t, "/readyz", http.StatusServiceUnavailable); answer["status"] != "draining" {
		t.Errorf("/readyz answers %v while it drains", answer)
	}
	if status, answer := s.probe(t, "/livez"); status != http.StatusOK || answer["status"] != "ok" {
		t.Errorf("/livez answers %d %v while it drains: it would be killed", status, answer)
	}
	s.start(t, "BEP20", "USDT", 100) // all is served
	<-time.After(longerThan)         // a delivery takes its time
	body := fmt.Sprintf(`{"apiKey":%q,"amount":7}`, s.key)
	request := s.raw(t, fmt.Sprintf(
		"POST /create-payment HTTP/1.1\r\nHost: florin\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		len(body), body[:len(body)-1]))
	s.start(t, "BEP20", "USDT", 200) // the server has read the head of that request
	close(release)

	if _, err := io.Copy(io.Discard, page); err != nil || !retry {
		t.Errorf("an open page ends with %v; it names the time to reconnect: %v", err, retry)
	}
	s.awaitProbe(t, "/livez", 0)
	<-time.After(longerThan) // a request takes its time
	_, err := io.WriteString(request, body[len(body)-1:])
	testkit.Must(t, err)
	answer, err := io.ReadAll(request)
	if err != nil || !strings.Contains(string(answer), "created successfully") ||
		!strings.Contains(string(answer), "\r\nConnection: close\r\n") {
		t.Errorf("the request in progress is answered %q, %v", answer, err)
	}
	if status, log := s.stop(t, syscall.Signal(0)); status != 0 || strings.Contains(log, "level=ERROR") {
		t.Errorf("status %d: %s", status, log)
	}
	if ended := <-sent; !ended || len(arrived) != 0 {
		t.Errorf("the webhook in progress was aborted (%v), or sent again (%d)", !ended, len(arrived))
	}
}

// TestServe_SecondSignal: a server that drains ends at once on a second signal.
func TestServe_SecondSignal(t *testing.T) {
	t.Parallel()
	s := newInstallation(t, "FLORIN_DRAIN_WAIT=5m").serve(t)
	s.awaitProbe(t, "/readyz", http.StatusOK)
	testkit.Must(t, s.cmd.Process.Signal(syscall.SIGTERM))
	s.awaitProbe(t, "/readyz", http.StatusServiceUnavailable)
	if status, _ := s.stop(t, syscall.SIGTERM); status == 0 {
		t.Error("an end that is not orderly has status 0")
	}
}

// TestServe_Ready: a server is ready while the database answers, has the schema of this program and takes writes. It is
// alive in any case.
func TestServe_Ready(t *testing.T) {
	t.Parallel()
	url := postgres.URL(t)
	s := newInstallation(t, "FLORIN_DATABASE_URL="+url).serve(t)
	if answer := s.awaitProbe(t, "/readyz", http.StatusOK); answer["status"] != "ready" {
		t.Errorf("/readyz answers %v", answer)
	}
	for name, x := range map[string]struct{ breaks, mends, reason string }{
		"OldSchema": {
			"ALTER TABLE bun_migrations RENAME TO bun_migrations_away",
			"ALTER TABLE bun_migrations_away RENAME TO bun_migrations", "florin migrate",
		},
		"MigrationMissing": {
			"UPDATE bun_migrations SET name = 'x' || name", "UPDATE bun_migrations SET name = substr(name, 2)", "florin migrate",
		},
	} {
		t.Run(name, func(t *testing.T) {
			execute(t, url, x.breaks)
			answer := s.awaitProbe(t, "/readyz", http.StatusServiceUnavailable)
			if reason, _ := answer["reason"].(string); answer["status"] != "unavailable" ||
				!strings.Contains(reason, x.reason) {
				t.Errorf("/readyz answers %v", answer)
			}
			if status, _ := s.probe(t, "/livez"); status != http.StatusOK {
				t.Errorf("/livez answers %d: a restart does not mend the database", status)
			}
			execute(t, url, x.mends)
			s.awaitProbe(t, "/readyz", http.StatusOK)
		})
	}
}

// execute runs a statement on a PostgreSQL database.
func execute(t *testing.T, url, statement string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	testkit.Must(t, err)
	_, err = c.Exec(t.Context(), statement)
	testkit.Must(t, err)
	testkit.Must(t, c.Close(t.Context()))
}

// readOne returns the one value that a query of a PostgreSQL database gives.
func readOne[T any](t *testing.T, url, query string) (value T) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	testkit.Must(t, err)
	testkit.Must(t, c.QueryRow(t.Context(), query).Scan(&value))
	testkit.Must(t, c.Close(t.Context()))
	return value
}

// TestServe_IdleTimeout: a connection that is idle for longer than it may be is closed. Headers may have 32 KB: a
// proxy that signs users in needs them.
func TestServe_IdleTimeout(t *testing.T) {
	t.Parallel()
	s := newInstallation(t, "FLORIN_IDLE_TIMEOUT=1s").serve(t)
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	testkit.Must(t, err)
	defer c.Close()
	testkit.Must(t, c.SetDeadline(time.Now().Add(10*time.Second)))
	_, err = fmt.Fprintf(c, "GET /livez HTTP/1.1\r\nHost: localhost\r\nCookie: sso=%s\r\n\r\n", strings.Repeat("x", 32<<10))
	testkit.Must(t, err)
	if answer, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 200") {
		t.Errorf("until its end the connection says %q, %v", answer, err)
	}
}
