package alert

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
)

// broken is a database on whose disk nothing can be stored.
type broken struct{ Store }

func (broken) UpdateAlerts(context.Context, Lease, func([]Alert) (Change, error)) ([]Alert, bool, error) {
	return nil, false, fault.ErrStorage
}

// TestMonitor_Unstored: what cannot be stored is sent all the same, once by each way, when it begins and when it is
// over; a way that is down is tried again.
func TestMonitor_Unstored(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 26, 3, 0, 0, 0, time.UTC)
	var works error
	var sent []string
	hookDown, ids := true, 0
	m := NewMonitor(MonitorOptions{
		Store: broken{}, Channels: Channels{Mail: []string{"ops@example.com"}, Hook: true},
		Works: func(context.Context) error { return works },
		Send: func(_ context.Context, x mail.Mail) error {
			if x.Kind == mail.Hook && hookDown {
				return errors.New("not there")
			}
			sent = append(sent, strings.TrimPrefix(x.Subject, "[Florin] "))
			return nil
		},
		Observe: func(context.Context, time.Time) (Observation, error) { return Observation{}, nil },
		Now:     func() time.Time { return now }, Log: slog.New(slog.DiscardHandler),
		NewID: func() string { ids++; return fmt.Sprint("ntc_", ids) },
	})
	after := func(passed time.Duration, want ...string) {
		t.Helper()
		now = now.Add(passed)
		_ = m.RunOnce(t.Context()) // it cannot store anything
		if !slices.Equal(sent, want) {
			t.Errorf("at %s: sent %q, want %q", now.Format(time.TimeOnly), sent, want)
		}
	}
	const full = "The disk of the database is full"
	works = fmt.Errorf("%w: %w", fault.ErrStorage, fault.ErrFull)
	after(0)
	after(promptly, full)
	hookDown = false
	after(Every, full, full)
	after(time.Hour, full, full)
	if c := m.Current(); len(c) != 1 || c[0].Kind != DatabaseDown || !c[0].Public {
		t.Errorf("while it is full, GET /health has %+v", c)
	}
	works = nil
	after(Every, full, full)
	after(calm, full, full, "Over: "+full, "Over: "+full)
	after(calm, full, full, "Over: "+full, "Over: "+full)
	if c := m.Current(); len(c) != 0 {
		t.Errorf("afterwards GET /health has %+v", c)
	}
	works = errors.New("postgres://florin:hunter2@db is not there")
	after(0, full, full, "Over: "+full, "Over: "+full)
	works = nil // too short to be news
	after(promptly, full, full, "Over: "+full, "Over: "+full)
	if text := databaseDown(errors.New("hunter2")).Text; strings.Contains(text, "hunter2") {
		t.Errorf("anybody may read %q", text)
	}
}

// TestDiskLow: a tenth left, or a day's growth, is said before the disk is full.
func TestDiskLow(t *testing.T) {
	t.Parallel()
	const giga = 1_000_000_000
	for name, row := range map[string]struct {
		disk *Disk
		want []string
	}{
		"Elsewhere": {nil, nil},
		"Room":      {&Disk{Free: 50 * giga, Size: 100 * giga, Day: giga}, nil},
		"Tenth":     {&Disk{Free: 9 * giga, Size: 100 * giga, Day: giga}, []string{"a tenth"}},
		"Day":       {&Disk{Free: 50 * giga, Size: 100 * giga, Day: 51 * giga}, []string{"a day"}},
		"Both":      {&Disk{Free: 9 * giga, Size: 100 * giga, Day: 10 * giga}, []string{"a tenth", "a day"}},
	} {
		var got []string
		for _, c := range Judge(Facts{Disk: row.disk}).Conditions {
			if c.Kind == DiskLow {
				got = append(got, c.Subject)
			}
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}
