package main_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

// server is the running program.
type server struct {
	cmd *exec.Cmd
	url string
	log chan string // everything it wrote, once it has ended
}

var servesAt = regexp.MustCompile(`address=(127\.0\.0\.1:\d+)`)

// serve starts the program on a free port and waits until it logs its address.
func (i installation) serve(t testing.TB) *server {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background()) // it serves as long as the test lasts
	t.Cleanup(cancel)
	i.env = append(i.env, "FLORIN_LISTEN=127.0.0.1:0")
	s := &server{cmd: i.command(ctx, "serve"), log: make(chan string, 1)}
	out, err := s.cmd.StderrPipe()
	testkit.Must(t, err)
	testkit.Must(t, s.cmd.Start())
	lines := bufio.NewScanner(out)
	var text strings.Builder
	for lines.Scan() && s.url == "" {
		text.WriteString(lines.Text() + "\n")
		if m := servesAt.FindStringSubmatch(lines.Text()); m != nil {
			s.url = "http://" + m[1]
			break
		}
	}
	if s.url == "" {
		_ = s.cmd.Wait()
		t.Fatalf("florin serve does not serve: %s", text.String())
	}
	go func() {
		for lines.Scan() {
			text.WriteString(lines.Text() + "\n")
		}
		s.log <- text.String()
	}()
	t.Cleanup(func() { s.stop(t, syscall.SIGKILL) })
	return s
}

// stop sends the signal, waits for the end, and returns the exit status with everything the program wrote. It may be
// called twice.
func (s *server) stop(t testing.TB, signal syscall.Signal) (int, string) {
	t.Helper()
	if s.cmd.ProcessState != nil {
		return s.cmd.ProcessState.ExitCode(), ""
	}
	_ = s.cmd.Process.Signal(signal)
	text := <-s.log
	_ = s.cmd.Wait()
	return s.cmd.ProcessState.ExitCode(), text
}

// post sends JSON and returns the answer.
func (s *server) post(t testing.TB, path, body string) (int, map[string]any) {
	t.Helper()
	return s.do(t, http.MethodPost, path, body)
}

func (s *server) do(t testing.TB, method, path, body string) (int, map[string]any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	status, answer, err := s.ask(ctx, method, path, body)
	testkit.Must(t, err)
	return status, answer
}

// ask makes a request with headers, names and values in turn. It fails if there is no answer, or none in JSON.
func (s *server) ask(
	ctx context.Context, method, path, body string, header ...string,
) (status int, answer map[string]any, err error) {
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err == nil {
		err = json.Unmarshal(raw, &answer)
	}
	if err != nil {
		err = fmt.Errorf("%s %s answers %d %q: %w", method, path, res.StatusCode, raw, err)
	}
	return res.StatusCode, answer, err
}

func TestServe(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	s := i.serve(t)
	status, health := s.do(t, http.MethodGet, "/health", "")
	if status != http.StatusOK || health["version"] != testVersion || health["status"] != "degraded" ||
		!strings.Contains(fmt.Sprint(health["reason"]), "nothing can be sold") {
		t.Errorf("GET /health answers %d %v", status, health)
	}
	large := strings.Repeat("x", 31<<10) // of single sign-on in front
	status, _, err := s.ask(t.Context(), http.MethodGet, "/health", "", "Cookie", "sso="+large)
	if status != http.StatusOK {
		t.Errorf("with 31 KB of headers: %d, %v", status, err)
	}
	// Users and keys created beside a running server are valid at once.
	i.must(t, password, "user", "create", "--email", email)
	created := i.must(t, "", "key", "create", "--email", email, "--json")
	key := decode(t, created, "creditsLeft", "id", "key", "label", "queriesLeft", "wallet")["key"].(string)
	status, answer := s.post(t, "/create-payment", `{"apiKey":"`+key+`","amount":12.5}`)
	if status != http.StatusConflict {
		t.Errorf("a payment of a key without custodian: %d %v, want 409", status, answer)
	}
	wrong := key[:46] + map[bool]string{true: "1", false: "0"}[key[46] == '0']
	status, answer = s.post(t, "/create-payment", `{"apiKey":"`+wrong+`","amount":12.5}`)
	if status != http.StatusUnauthorized {
		t.Errorf("a payment of a wrong key: %d %v, want 401", status, answer)
	}
	code, log := s.stop(t, syscall.SIGTERM)
	if code != 0 {
		t.Errorf("after SIGTERM the status is %d, want 0: %s", code, log)
	}
	if n := strings.Count(log, "level=WARN msg=\"nothing can be sold: no network is configured"); n != 1 {
		t.Errorf("%d lines say that no network is set: %s", n, log)
	}
	for _, canary := range []string{key, password, secretKey} {
		if strings.Contains(log, canary) {
			t.Errorf("a secret is in the log: %s", log)
		}
	}
}

func TestServe_AddressInUse(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	s := i.serve(t)
	other := newInstallation(t, "FLORIN_LISTEN="+strings.TrimPrefix(s.url, "http://"))
	r := other.run(t, "", "serve")
	if r.status != 1 || !strings.Contains(r.stderr, "FLORIN_LISTEN") {
		t.Errorf("on an address in use: status %d, %s", r.status, r.stderr)
	}
}
