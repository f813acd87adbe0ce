package alert

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	// observeEvery is how often the conditions are judged.
	observeEvery = 20 * time.Second
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

// Posting is a notice on its way through one channel.
type Posting struct {
	Notice

	Row     int64
	Channel string
	Attempt int // attempts made before this one
}

// Store keeps alerts and notices. Every method is one transaction.
type Store interface {
	// UpdateAlerts takes or renews the lease, and if this instance has it, stores what decide makes of the stored
	// alerts, with one posting of each notice for each channel. It returns the alerts that are stored then. The lease
	// is part of the transaction: an instance that was paused and has lost it changes nothing.
	UpdateAlerts(ctx context.Context, l Lease, channels []string, decide func([]Alert) Change) ([]Alert, bool, error)
	// TakePosting takes the first posting that is due at now on the channel, and holds it until the time given. A
	// notice that an alert is over waits for the one that it began. ok is false if there is none.
	TakePosting(ctx context.Context, channel string, now, until time.Time) (p Posting, ok bool, err error)
	// EndPosting stores the outcome: sent, or due again, or given up.
	EndPosting(ctx context.Context, p Posting, sent bool, due time.Time) error
	// SaveCertificates stores until when the certificates of hosts are valid, and forgets those not seen since the time
	// given.
	SaveCertificates(ctx context.Context, list []Certificate, now, forget time.Time) error
}

// MonitorOptions are what a monitor needs.
type MonitorOptions struct {
	Store   Store
	Observe func(ctx context.Context, now time.Time) (Observation, error)
	// Channels are those that notices go to; Sender sends them.
	Channels []Channel
	// Check starts a check of the ledger; nil starts none. Checked is when the last one was started.
	Check        func(ctx context.Context) error
	Checked      func(ctx context.Context) (time.Time, error)
	Certificates *Certificates // nil: none are noted
	Holder       string
	Now          func() time.Time
	NewID        func() string
	Log          *slog.Logger
}

// Monitor judges the conditions, stores what begins and ends, and sends the notices.
type Monitor struct {
	o       MonitorOptions
	mu      sync.RWMutex
	current []Alert
}

// NewMonitor returns a monitor. It does nothing before Run.
func NewMonitor(o MonitorOptions) *Monitor { return &Monitor{o: o} }

// Current lists the alerts as of the last observation, of which the operator was notified.
func (m *Monitor) Current() []Alert {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.current
}

// Run observes and sends until ctx ends.
func (m *Monitor) Run(ctx context.Context) error {
	var senders sync.WaitGroup
	for _, c := range m.o.Channels {
		senders.Go(func() { m.runChannel(ctx, c) })
	}
	defer senders.Wait()
	defer m.release(ctx)
	tick := time.NewTicker(observeEvery)
	defer tick.Stop()
	for {
		if err := m.RunOnce(ctx); err != nil && ctx.Err() == nil {
			m.o.Log.Warn("not everything that an operator should know could be judged", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// release gives the lease back, so that another instance need not wait, and a stopped server counts as stopped.
func (m *Monitor) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	now := m.o.Now()
	nothing := func([]Alert) Change { return Change{} }
	if _, _, err := m.o.Store.UpdateAlerts(ctx, Lease{m.o.Holder, now, now}, nil, nothing); err != nil {
		m.o.Log.Warn("lease not given back; it runs out by itself", "error", err)
	}
}

// RunOnce judges once.
func (m *Monitor) RunOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, observeWithin)
	defer cancel()
	now := m.o.Now()
	if err := m.o.Certificates.flush(ctx, m.o.Store, now); err != nil {
		return err
	}
	seen, unread := m.o.Observe(ctx, now)
	channels := make([]string, len(m.o.Channels))
	for i, c := range m.o.Channels {
		channels[i] = c.Name
	}
	var change Change
	list, leads, err := m.o.Store.UpdateAlerts(ctx, Lease{m.o.Holder, now, now.Add(leaseFor)}, channels,
		func(stored []Alert) Change {
			change = Decide(stored, seen, now, m.o.NewID)
			return change
		})
	if err != nil {
		return err
	}
	m.keep(list)
	if !leads {
		return unread
	}
	for _, n := range change.Notices {
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

// log logs a notice, so that it is known without mail and webhook, too.
func (m *Monitor) log(n Notice) {
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
