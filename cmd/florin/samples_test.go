package main_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/views/docs"
)

// tongue runs the samples of one language.
type tongue struct {
	language string
	program  string
	// receive holds the arguments before the file that start it as a server.
	receive func(port, file string) []string
}

var tongues = []tongue{
	{language: "curl", program: "bash"},
	{language: "javascript", program: "node"},
	{language: "python", program: "python3"},
	{language: "go", program: "go"},
	{
		language: "php", program: "php",
		receive: func(port, file string) []string { return []string{"-S", "127.0.0.1:" + port, file} },
	},
}

// TestSamples runs every sample of the documentation, in every language, against the program: all steps of a merchant.
func TestSamples(t *testing.T) {
	t.Parallel()
	i := newInstallation(t, "FLORIN_ALLOW_PRIVATE_CALLBACKS=true")
	i.must(t, password, "user", "create", "--email", email)
	s := i.serve(t)
	for _, language := range tongues {
		t.Run(language.language, func(t *testing.T) {
			t.Parallel()
			out := i.must(t, "", "key", "create", "--email", email, "--json")
			var key struct{ Key string }
			testkit.Must(t, json.Unmarshal([]byte(out), &key))
			newSampler(t, language, s.url, key.Key).story(t)
		})
	}
}

// sampler is a merchant who has copied the samples of one language.
type sampler struct {
	tongue
	dir, url string
	files    map[string]string // task to file name
	env      map[string]string
}

func newSampler(t *testing.T, l tongue, url, key string) *sampler {
	t.Helper()
	m := &sampler{tongue: l, dir: t.TempDir(), url: url, files: make(map[string]string), env: map[string]string{
		"FLORIN_API_KEY": key, "SETTLEMENT_WALLET": settlementWallet, "CALLBACK_SECRET": "own secret: é&\"<",
	}}
	if l.language == "curl" {
		m.env["CALLBACK_SECRET"] = "own secret" // written into JSON without escaping
	}
	for _, task := range docs.Tasks(url) {
		for _, sample := range task.Samples {
			if sample.Language == l.language {
				m.files[task.ID] = sample.File
				write(t, m.dir, sample.File, sample.Code)
			}
		}
	}
	if len(m.files) != 7 {
		t.Fatalf("samples of %s: %v", l.language, m.files)
	}
	return m
}

// command returns the prepared command of a task.
func (m *sampler) command(ctx context.Context, t *testing.T, task string) *exec.Cmd {
	t.Helper()
	file := m.files[task]
	program, args := m.program, []string{file}
	switch {
	case m.language == "go":
		program, args = filepath.Join(m.dir, task), nil
		build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", program, file)
		build.Dir, build.Env = m.dir, os.Environ()
		if text, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%s does not build: %v\n%s", file, err, text)
		}
	case task == docs.VerifyWebhook && m.receive != nil:
		args = m.receive(m.env["PORT"], file)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = m.dir, os.Environ()
	for name, value := range m.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	return cmd
}

// run runs a sample, which must succeed, and returns its output.
func (m *sampler) run(t *testing.T, task string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := m.command(ctx, t, task).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", m.files[task], err, out)
	}
	return string(out)
}

var (
	txnidForm  = regexp.MustCompile(`\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b`)
	secretForm = regexp.MustCompile(`whsec_[A-Za-z0-9+/]+=*`)
)

func (m *sampler) story(t *testing.T) {
	t.Helper()
	hooks := newReceiver(t) // for the shell, which has no server
	m.env["PORT"] = testkit.MustPort(t)
	m.env["CALLBACK_URL"] = "http://127.0.0.1:" + m.env["PORT"] + "/"
	if m.language == "curl" {
		m.env["CALLBACK_URL"] = hooks.URL
	}
	m.env["SIGNING_SECRET"] = secretForm.FindString(m.run(t, docs.CreateCustodian))
	if m.env["SIGNING_SECRET"] == "" {
		t.Fatal("no signing secret was printed")
	}
	created := m.run(t, docs.CreatePayment)
	txnid := txnidForm.FindString(created)
	if txnid == "" || !strings.Contains(created, "/pay?txnid="+txnid) {
		t.Fatalf("create prints %s", created)
	}
	m.env["TXNID"] = txnid
	if again := m.run(t, docs.CreatePayment); !strings.Contains(again, txnid) {
		t.Errorf("the same order made two payments: %s and %s", txnid, again)
	}
	for _, task := range []string{docs.ReadPayment, docs.ListPayments} {
		if out := m.run(t, task); !strings.Contains(out, txnid) || !strings.Contains(out, "PENDING") ||
			!strings.Contains(out, "49.9") {
			t.Errorf("%s prints %s", task, out)
		}
	}
	// A key that has its custodian already, as that of a sandbox: the step changes it.
	if again := m.run(t, docs.CreateCustodian); secretForm.MatchString(again) ||
		!strings.Contains(again, "stays") && !strings.Contains(again, `"code":200`) {
		t.Errorf("with a custodian already it prints %s", again)
	}
	cancel := func() {
		if out := m.run(t, docs.CancelPayment); !strings.Contains(out, "CANCELLED") {
			t.Errorf("cancel prints %s", out)
		}
	}
	if m.language == "curl" {
		cancel()
		m.verifiesByHand(t, hooks, txnid)
		m.readsEvents(t, txnid)
		return
	}
	m.receives(t, cancel, txnid+" cancelled")
	m.readsEvents(t, txnid)
	m.receivesWithoutSecret(t)
}

// verifiesByHand passes a received webhook to the shell's sample, and then a changed one.
func (m *sampler) verifiesByHand(t *testing.T, hooks *receiver, txnid string) {
	t.Helper()
	eventually(t, "the webhook", func() bool { return len(hooks.about(txnid)) > 0 })
	a := hooks.about(txnid)[0]
	m.env["WEBHOOK_ID"], m.env["WEBHOOK_TIMESTAMP"] = a.id, a.header.Get("webhook-timestamp")
	m.env["WEBHOOK_SIGNATURE"] = a.header.Get("webhook-signature")
	write(t, m.dir, "body.json", string(a.raw))
	if out := m.run(t, docs.VerifyWebhook); !strings.Contains(out, "right") {
		t.Errorf("of a good webhook it says %s", out)
	}
	write(t, m.dir, "body.json", strings.Replace(string(a.raw), "cancelled", "completed", 1))
	if out, err := m.command(t.Context(), t, docs.VerifyWebhook).CombinedOutput(); err == nil {
		t.Errorf("of a changed webhook it says %s", out)
	}
}

// receives starts the sample as a server: it must accept the webhook of a payment, and refuse a forged one.
func (m *sampler) receives(t *testing.T, happens func(), want string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*patience)
	defer stop()
	var out lockedText
	cmd := m.command(ctx, t, docs.VerifyWebhook)
	cmd.Stdout, cmd.Stderr = &out, &out
	testkit.Must(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	eventually(t, "the receiver", func() bool {
		c, err := net.DialTimeout("tcp", "127.0.0.1:"+m.env["PORT"], time.Second)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	happens()
	eventually(t, "the webhook, of "+want, func() bool { return strings.Contains(out.String(), want) })
	for name, header := range map[string]string{
		"no signature": "", "a wrong one": "v1,AAAA", "another version": "v2,AAAA",
	} {
		req, err := http.NewRequestWithContext(
			ctx,
			http.MethodPost,
			"http://127.0.0.1:"+m.env["PORT"]+"/",
			strings.NewReader(`{"txnid":"forged","status":"completed"}`),
		)
		testkit.Must(t, err)
		if header != "" {
			req.Header.Set("webhook-id", "evt_1")
			req.Header.Set("webhook-timestamp", strconv.FormatInt(time.Now().Unix(), 10))
			req.Header.Set("webhook-signature", header)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatalf("%s: %v; it says %s", name, err, out.String())
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %s", name, res.Status)
		}
	}
	if strings.Contains(out.String(), "forged completed") {
		t.Errorf("a forged webhook was believed: %s", out.String())
	}
}

// readsEvents starts the sample that reads events: it must find the end of the payment, and keep the position.
func (m *sampler) readsEvents(t *testing.T, txnid string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*patience)
	defer stop()
	position := filepath.Join(m.dir, "position")
	m.env["POSITION_FILE"], m.env["PAUSE"] = position, "1"
	var out lockedText
	cmd := m.command(ctx, t, docs.FollowEvents)
	cmd.Stdout, cmd.Stderr = &out, &out
	testkit.Must(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	eventually(t, "the event of "+txnid, func() bool {
		kept, err := os.ReadFile(position)
		return err == nil && len(bytes.TrimSpace(kept)) > 0 && strings.Contains(out.String(), txnid) &&
			strings.Contains(out.String(), "payment.cancelled")
	})
}

// receivesWithoutSecret runs the receiver of a merchant who set no secret of their own.
func (m *sampler) receivesWithoutSecret(t *testing.T) {
	t.Helper()
	delete(m.env, "CALLBACK_SECRET")
	m.receives(t, func() { m.signed(t, "unset") }, "unset completed")
}

// signed sends a webhook that is signed as Florin signs, without a secret in its body.
func (m *sampler) signed(t *testing.T, txnid string) {
	t.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.env["SIGNING_SECRET"], "whsec_"))
	testkit.Must(t, err)
	body := `{"txnid":"` + txnid + `","status":"completed","eventId":"evt_1"}`
	at := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("evt_1." + at + "." + body))
	req, err := http.NewRequestWithContext(
		t.Context(), http.MethodPost, "http://127.0.0.1:"+m.env["PORT"]+"/", strings.NewReader(body),
	)
	testkit.Must(t, err)
	req.Header.Set("webhook-id", "evt_1")
	req.Header.Set("webhook-timestamp", at)
	req.Header.Set("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	res, err := http.DefaultClient.Do(req)
	testkit.Must(t, err)
	_ = res.Body.Close()
	if res.StatusCode != http.StatusNoContent {
		t.Errorf("a signed webhook without a secret, where none is set: %s", res.Status)
	}
}

// TestSamples_SignUp runs the script that signs up: the key that it prints works.
func TestSamples_SignUp(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	s := i.serve(t)
	dir := t.TempDir()
	sample := docs.Samples(docs.SignUp, s.url)[0]
	write(t, dir, sample.File, sample.Code)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", sample.File)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "EMAIL=new@shop.example", "PASSWORD=correct horse battery")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	key := regexp.MustCompile(`flk_[0-9A-Za-z]{43}`).FindString(string(out))
	if key == "" {
		t.Fatalf("no key was printed: %s", out)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/events", nil)
	testkit.Must(t, err)
	req.Header.Set("x-api-key", key)
	res, err := http.DefaultClient.Do(req)
	testkit.Must(t, err)
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("the printed key: %s", res.Status)
	}
}

// lockedText collects the output of a running program.
type lockedText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lockedText) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
