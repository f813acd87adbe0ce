package alert

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/mail"
)

const (
	// Every is how often the conditions are judged.
	Every = 20 * time.Second
	// Within bounds that, with a mail that the database is down.
	Within = time.Minute
	// leaseFor is how long a crashed instance keeps others from judging.
	leaseFor = time.Minute
	// observeWithin bounds one observation.
	observeWithin = 15 * time.Second
	// checkEvery is how often the ledger is checked without being asked.
	checkEvery = 24 * time.Hour
)

// Lease is the right of one instance to judge.
type Lease struct {
	Holder     string
	Now, Until time.Time
}

// Store keeps alerts and notifications. Every method is one transaction.
type Store interface {
	// UpdateAlerts takes or renews the lease, and if this instance has it, stores what decide makes of the stored
	// alerts. It returns the alerts that are stored then. The lease is part of the transaction: an instance that was
	// paused and has lost it changes nothing.
	UpdateAlerts(ctx context.Context, l Lease, decide func([]Alert) (Change, error)) ([]Alert, bool, error)
	// SaveCertificates stores until when the certificates of hosts are valid, and forgets those not seen since the time
	// given.
	SaveCertificates(ctx context.Context, list []Certificate, now, forget time.Time) error
}

// MonitorOptions are what a monitor needs.
type MonitorOptions struct {
	Store    Store
	Observe  func(ctx context.Context, now time.Time) (Observation, error)
	Channels Channels
	// Works fails while the database does not work, and Send sends a mail then, at once.
	Works func(ctx context.Context) error
	Send  func(ctx context.Context, m mail.Mail) error
	// Check starts a check of the ledger; nil starts none. Checked is when the last one was started.
	Check        func(ctx context.Context) error
	Checked      func(ctx context.Context) (time.Time, error)
	Certificates *Certificates // nil: none are noted
	Holder       string
	Now          func() time.Time
	NewID        func() string
	Log          *slog.Logger
}

// Monitor judges the conditions, and stores what begins and ends with the mails that say so.
type Monitor struct {
	o       MonitorOptions
	mu      sync.RWMutex
	current []Alert
	down    *outage // nil: the database works
}

// NewMonitor returns a monitor. It does nothing before RunOnce.
func NewMonitor(o MonitorOptions) *Monitor { return &Monitor{o: o} }

// Current lists the alerts as of the last observation, of which the operator was notified.
func (m *Monitor) Current() []Alert {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.down != nil && !m.down.alert.NotifiedAt.IsZero() {
		return append([]Alert{m.down.alert}, m.current...)
	}
	return m.current
}

// Release gives the lease back, so that another instance need not wait, and a stopped server counts as stopped.
func (m *Monitor) Release(ctx context.Context) {
	now := m.o.Now()
	nothing := func([]Alert) (Change, error) { return Change{}, nil }
	if _, _, err := m.o.Store.UpdateAlerts(ctx, Lease{m.o.Holder, now, now}, nothing); err != nil {
		m.o.Log.Warn("lease not given back; it runs out by itself", "error", err)
	}
}

// RunOnce judges once.
func (m *Monitor) RunOnce(ctx context.Context) error {
	now := m.o.Now()
	m.watchDatabase(ctx, now)
	ctx, cancel := context.WithTimeout(ctx, observeWithin)
	defer cancel()
	if err := m.o.Certificates.flush(ctx, m.o.Store, now); err != nil {
		return err
	}
	seen, unread := m.o.Observe(ctx, now)
	var change Change
	list, leads, err := m.o.Store.UpdateAlerts(ctx, Lease{m.o.Holder, now, now.Add(leaseFor)},
		func(stored []Alert) (Change, error) {
			change = Decide(stored, seen, now, m.o.NewID)
			for _, n := range change.Notifications {
				mails, err := m.o.Channels.mails(n)
				if err != nil {
					return Change{}, err
				}
				change.Mails = append(change.Mails, mails...)
			}
			return change, nil
		})
	if err != nil {
		return err
	}
	m.keep(list)
	if !leads {
		return unread
	}
	for _, n := range change.Notifications {
		m.log(n)
	}
	if err := m.checkLedger(ctx, now); err != nil {
		return err
	}
	return unread
}

func (m *Monitor) keep(list []Alert) {
	var notified []Alert
	for _, a := range list {
		if !a.NotifiedAt.IsZero() {
			notified = append(notified, a)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.current = notified
}

// log logs a notification, so that it is known without mail and webhook, too.
func (m *Monitor) log(n Notification) {
	log := m.o.Log.With("kind", string(n.Alert.Kind), "subject", n.Alert.Condition.Subject)
	if n.Phase == Over {
		log.Info("over: "+n.Alert.Title, "since", n.Alert.Since)
		return
	}
	log.Warn(n.Alert.Title, "detail", n.Alert.Text, "advice", n.Alert.Advice)
}

// checkLedger starts the daily check of the ledger.
func (m *Monitor) checkLedger(ctx context.Context, now time.Time) error {
	if m.o.Check == nil {
		return nil
	}
	last, err := m.o.Checked(ctx)
	if err != nil || now.Sub(last) < checkEvery {
		return err
	}
	return m.o.Check(ctx)
}
