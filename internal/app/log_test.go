package app

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
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
