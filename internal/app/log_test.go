package app

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/webhook"
	"github.com/florinpay/florin/web/shell"
)

// TestQuiet: an outage of the database is one line a minute, whoever meets it, and hides nothing else.
func TestQuiet(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	h := quiet{slog.NewTextHandler(&out, nil), new(outage)}
	began := time.Now()
	say := func(after time.Duration, text string, err error) {
		r := slog.NewRecord(began.Add(after), slog.LevelWarn, text, 0)
		r.AddAttrs(slog.Any("error", err))
		if err := h.WithAttrs([]slog.Attr{slog.String("loop", text)}).Handle(t.Context(), r); err != nil {
			t.Error(err)
		}
	}
	gone := fmt.Errorf("read: %w", fault.ErrStorage)
	for i := range 227 {
		say(time.Duration(i)*100*time.Millisecond, fmt.Sprint("work ", i%7), gone)
	}
	say(30*time.Second, "another matter", errors.New("no storage"))
	say(61*time.Second, "work 0", gone)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 || !strings.Contains(lines[1], "another matter") || !strings.Contains(lines[2], "more=226") {
		t.Errorf("%d lines: %s", len(lines), out.String())
	}
}

// TestLogPayment: a payment that is paid is one line, and one that is only made is none.
func TestLogPayment(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	a := &App{log: slog.New(slog.NewTextHandler(&out, nil))}
	now := time.Now()
	p := payment.Payment{
		ID: "01HZZZZZZZZZZZZZZZZZZZZZZZ", Amount: 12 * money.USD, StartedAt: now.Add(-90 * time.Second), Hash: "0xabc",
		Choice: payment.Choice{Network: chain.Polygon, Token: money.USDC},
	}
	for _, e := range []payment.EventType{
		payment.EventCreated, payment.EventStarted, payment.EventSeen, payment.EventFinal, payment.EventCompleted,
	} {
		c := payment.Change{Payment: p, Events: []payment.Event{{Type: e, At: now}}}
		a.logPayment(t.Context(), payment.Stored{Change: c})
	}
	const want = `level=INFO msg="payment completed" txnid=01HZZZZZZZZZZZZZZZZZZZZZZZ amount=12 token=USDC ` +
		`network=POLYGON tx=0xabc took=1m30s`
	if got := strings.TrimSpace(out.String()); strings.Count(got, "\n") != 0 || !strings.HasSuffix(got, want) {
		t.Errorf("%s", got)
	}
}

// The default limits are those of the surfaces' own packages.
func TestDefaultLimits(t *testing.T) {
	t.Parallel()
	load := func(settings ...string) config.Config {
		key := base64.StdEncoding.EncodeToString(make([]byte, 32))
		c, err := config.Load(append(settings, "FLORIN_SECRET_KEY="+key), "")
		testkit.Must(t, err)
		return c
	}
	c := load()
	want := shell.DefaultRates()
	want.AllStreams = streamsWithin(MaxFiles(), want.AllStreams)
	if got := rates(c); got != want {
		t.Errorf("rates %+v, want %+v", got, want)
	}
	r := rates(load("FLORIN_RATE_COSTLY=3", "FLORIN_RATE_KEY_BURST=9"))
	if r.Costly.PerSecond != 3 || r.Key.Burst != 9 {
		t.Errorf("the configured rates are ignored: %+v", r)
	}
}

// Event streams never use up the open files.
func TestStreamsWithin(t *testing.T) {
	t.Parallel()
	for files, want := range map[uint64]int{
		0: 30_000, 1 << 63: 30_000, 31_024: 30_000, 31_023: 29_999, 20_000: 18_976, 2_048: 1_024, 1_024: 512, 256: 128,
	} {
		if got := streamsWithin(files, 30_000); got != want {
			t.Errorf("%d files leave room for %d streams, want %d", files, got, want)
		}
	}
}

// TestDiskWatch: a day's growth is what the hours that were seen come to, of one or more.
func TestDiskWatch(t *testing.T) {
	t.Parallel()
	var w diskWatch
	began := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		minutes    int
		free, want int64
	}{
		{0, 1000, 0},
		{30, 900, 0},
		{60, 990, 240},
		{120, 980, 240},
		{12 * 60, 500, 1000},
		{13 * 60, 1200, 0},
		{48 * 60, 700, 0},
		{49 * 60, 600, 2400},
	} {
		got := w.day(diskSample{began.Add(time.Duration(row.minutes) * time.Minute), row.free})
		if got != row.want {
			t.Errorf("after %d minutes a day takes %d, want %d", row.minutes, got, row.want)
		}
	}
	for i := range 100 {
		w.day(diskSample{began.Add(time.Duration(50+i) * time.Hour), 600})
	}
	if len(w.seen) > 26 {
		t.Errorf("%d samples are kept", len(w.seen))
	}
}

var testAlert = alert.Notification{
	ID: "ntc_01M7Z95F5DE7BD6RTSPKBNS62H", Phase: alert.Begins, At: time.Unix(1_795_000_000, 0),
	Alert: alert.Alert{Since: time.Unix(1_795_000_000, 0), Condition: alert.Condition{
		Kind: alert.GasLow, Subject: "POLYGON", Title: "The gas wallet runs low",
		Text: "It holds 1 POL.", Advice: "Send POL.",
	}},
}

// TestOperatorHook: the webhook is signed as those of merchants are, and its text is the whole message.
func TestOperatorHook(t *testing.T) {
	t.Parallel()
	key := webhook.NewSigningSecret()
	var problem error
	var text string
	status := http.StatusNoContent
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		verifier, wrong := standardwebhooks.NewWebhook(key.Reveal())
		problem = errors.Join(err, wrong)
		if problem == nil {
			problem = verifier.Verify(body, r.Header)
		}
		var fields struct{ Text, Kind, EventID string }
		problem = errors.Join(problem, json.Unmarshal(body, &fields))
		if fields.Kind != "gas_low" || fields.EventID != testAlert.ID || r.Header.Get("webhook-id") != testAlert.ID {
			problem = errors.Join(problem, errors.New(string(body)))
		}
		text = fields.Text
		w.WriteHeader(status)
	}))
	t.Cleanup(receiver.Close)
	const canary = "T0KEN"
	a := &App{
		Config: config.Config{
			BaseURL: "https://pay.example", OperatorHook: secret.New(receiver.URL + "/" + canary), OperatorHookKey: key,
		},
		clock: newClock(time.Now(), sinceBoot),
	}
	post := a.operatorHook()
	body, err := testAlert.Body(a.Config.BaseURL + "/operator")
	testkit.Must(t, err)
	letter := mail.Mail{ID: testAlert.ID, Kind: mail.Hook, Text: secret.New(string(body))}
	if got := post(t.Context(), letter).Attempt; got.Status != status || problem != nil {
		t.Fatalf("the attempt is %+v, the receiver says %v", got, problem)
	}
	for _, part := range []string{"The gas wallet runs low", "It holds 1 POL.", "Send POL.", "https://pay.example/operator"} {
		if !strings.Contains(text, part) {
			t.Errorf("the text lacks %q: %s", part, text)
		}
	}
	status = http.StatusInternalServerError
	if got := post(t.Context(), letter).Attempt; got.Status != status {
		t.Errorf("a receiver that answers 500: %+v", got)
	}
	receiver.Close()
	if got := post(t.Context(), letter).Attempt; got.Error == "" || strings.Contains(got.Error, canary) {
		t.Errorf("a receiver that is gone: %+v", got)
	}
}
