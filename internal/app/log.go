package app

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
)

// NewLogger returns the program's logger as configured.
func NewLogger(cfg config.Config) *slog.Logger {
	o := &slog.HandlerOptions{Level: cfg.LogLevel}
	var h slog.Handler = slog.NewTextHandler(os.Stderr, o)
	if cfg.LogFormat == config.LogJSON {
		h = slog.NewJSONHandler(os.Stderr, o)
	}
	return slog.New(quiet{h, new(outage)})
}

// quiet logs an outage of the database once a minute, and not for each request and loop that meets it.
type quiet struct {
	slog.Handler

	*outage
}

// outage is what was logged of the database.
type outage struct {
	mu     sync.Mutex
	at     time.Time // the last line
	unsaid int       // lines left out since
}

// Handle leaves out what says the same as a line of the last minute.
func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn && ofStorage(r) {
		unsaid, due := q.due(r.Time)
		if !due {
			return nil
		}
		if unsaid > 0 {
			r = r.Clone()
			r.AddAttrs(slog.Int("more", unsaid))
		}
	}
	return q.Handler.Handle(ctx, r) //nolint:wrapcheck // it passes through
}

// due reports whether a line is due, and how many were left out before it.
func (o *outage) due(now time.Time) (unsaid int, due bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now.Sub(o.at) < complainEvery {
		o.unsaid++
		return 0, false
	}
	unsaid, o.unsaid, o.at = o.unsaid, 0, now
	return unsaid, true
}

func ofStorage(r slog.Record) (is bool) {
	r.Attrs(func(a slog.Attr) bool {
		err, ok := a.Value.Any().(error)
		is = ok && errors.Is(err, fault.ErrStorage)
		return !is
	})
	return is
}

// WithAttrs returns the handler with attributes.
func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler {
	return quiet{q.Handler.WithAttrs(attrs), q.outage}
}

// WithGroup returns the handler with a group.
func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name), q.outage} }

// logged are the events of a payment that an operator reads of. Most payments end without one: a line for each that is
// created would bury those that are paid.
var logged = map[payment.EventType]struct {
	level slog.Level
	text  string
}{
	payment.EventCompleted:  {slog.LevelInfo, "payment completed"},
	payment.EventShort:      {slog.LevelInfo, "payment is short of money"},
	payment.EventOver:       {slog.LevelInfo, "payment got too much money"},
	payment.EventLate:       {slog.LevelInfo, "money came after the payment had ended"},
	payment.EventOtherAsset: {slog.LevelInfo, "money came that does not count by itself"},
	payment.EventReorged:    {slog.LevelWarn, "credited money of a payment vanished"},
}

// logPayment logs what happened to a payment, one line each.
func (a *App) logPayment(ctx context.Context, x payment.Stored) {
	p := x.Change.Payment
	for _, e := range x.Change.Events {
		l, known := logged[e.Type]
		if !known {
			continue
		}
		attrs := []slog.Attr{
			slog.String("txnid", string(p.ID)), slog.String("amount", p.Amount.String()),
			slog.String("token", string(p.Choice.Token)), slog.String("network", string(p.Choice.Network)),
		}
		if p.Hash != "" {
			attrs = append(attrs, slog.String("tx", string(p.Hash)))
		}
		if !p.StartedAt.IsZero() {
			attrs = append(attrs, slog.Duration("took", e.At.Sub(p.StartedAt).Round(time.Second)))
		}
		a.log.LogAttrs(ctx, l.level, l.text, attrs...)
	}
}
