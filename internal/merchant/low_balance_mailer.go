package merchant

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/ledger"
)

const (
	// alertEvery is how often alerts are sent. A delay of seconds does not matter
	// to a mail.
	alertEvery = 15 * time.Second
	// alertBatch bounds one round, since each mail may take half a minute.
	alertBatch = 20
	// maxAlertAttempts with doubling pauses take about a day, so that a mail
	// server may be down overnight; then only the dashboard shows the alert.
	maxAlertAttempts = 10
	firstAlertPause  = 3 * time.Minute
	// endAlertWithin bounds the time to store the outcome of a mail while the
	// program stops.
	endAlertWithin = 5 * time.Second
	// refusedPause is how long an instance ignores further refused sales of a key,
	// so that a flood of them costs a write every now and then.
	refusedPause = 10 * time.Minute
	// maxRefused bounds how many keys with refused sales an instance remembers.
	maxRefused = 10_000
)

// LowBalanceMailer is the loop that mails alerts of low balances.
type LowBalanceMailer struct {
	store   LowBalanceStore
	send    func(ctx context.Context, to, subject, text string) error
	baseURL string
	now     func() time.Time
	log     *slog.Logger
	wake    chan struct{}

	mu      sync.Mutex
	refused map[int64]refusedSale // by key
}

// refusedSale is the last refused sale of a key that was not ignored.
type refusedSale struct {
	at       time.Time
	recorded bool
}

// NewLowBalanceMailer returns the loop. send sends one mail and is nil where no mail is
// configured; baseURL is the public address of the dashboard.
func NewLowBalanceMailer(
	store LowBalanceStore, send func(ctx context.Context, to, subject, text string) error, baseURL string,
	now func() time.Time, log *slog.Logger,
) *LowBalanceMailer {
	return &LowBalanceMailer{
		store: store, send: send, baseURL: baseURL, now: now, log: log,
		wake: make(chan struct{}, 1), refused: make(map[int64]refusedSale),
	}
}

// Refused notes that a sale of the key was refused for credits, and wakes the loop,
// which mails the owners. It does not block and uses no database.
func (m *LowBalanceMailer) Refused(keyID int64) {
	if m.send == nil {
		return
	}
	now := m.now()
	m.mu.Lock()
	defer m.mu.Unlock()
	if last, ok := m.refused[keyID]; ok && (!last.recorded || now.Sub(last.at) < refusedPause) {
		return
	}
	if len(m.refused) >= maxRefused {
		m.forget(now)
	}
	m.refused[keyID] = refusedSale{at: now}
	select {
	case m.wake <- struct{}{}:
	default: // it is awake already
	}
}

// forget makes room for refused sales: it drops those that are no longer ignored,
// or all that are recorded, since the store bounds the mails, too.
func (m *LowBalanceMailer) forget(now time.Time) {
	maps.DeleteFunc(m.refused, func(_ int64, r refusedSale) bool { return r.recorded && now.Sub(r.at) >= refusedPause })
	if len(m.refused) >= maxRefused {
		maps.DeleteFunc(m.refused, func(_ int64, r refusedSale) bool { return r.recorded })
	}
	if len(m.refused) >= maxRefused {
		clear(m.refused) // the database has been gone for long; the next refused sales are noted again
	}
}

// recordRefused stores the refused sales that were noted. One that cannot be stored
// is tried again in the next round and does not hold up the others.
func (m *LowBalanceMailer) recordRefused(ctx context.Context) error {
	m.mu.Lock()
	var keys []int64
	var times []time.Time
	for id, r := range m.refused {
		if !r.recorded {
			keys, times = append(keys, id), append(times, r.at)
		}
	}
	m.mu.Unlock()
	var failed []error
	for i, id := range keys {
		if err := m.store.RecordRefused(ctx, id, times[i]); err != nil {
			failed = append(failed, err)
			continue
		}
		m.mu.Lock()
		m.refused[id] = refusedSale{at: times[i], recorded: true}
		m.mu.Unlock()
	}
	return errors.Join(failed...)
}

// Run sends what is due until ctx ends.
func (m *LowBalanceMailer) Run(ctx context.Context) error {
	tick := time.NewTicker(alertEvery)
	defer tick.Stop()
	for {
		if err := m.RunOnce(ctx); err != nil && ctx.Err() == nil {
			m.log.Warn("alerts of low balances wait", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case <-m.wake:
		}
	}
}

// RunOnce sends what is due now. One alert is taken at a time, so that a crash
// loses one mail at most.
func (m *LowBalanceMailer) RunOnce(ctx context.Context) error {
	unrecorded := m.recordRefused(ctx)
	for range alertBatch {
		if ctx.Err() != nil {
			return nil //nolint:nilerr // being stopped is no failure
		}
		list, err := m.store.TakeLow(ctx, m.now(), 1)
		if err == nil && len(list) > 0 {
			err = m.alert(ctx, list[0])
		}
		if err != nil || len(list) == 0 {
			return errors.Join(unrecorded, err)
		}
	}
	return unrecorded
}

// alert mails the owners and stores the outcome. An alert has been sent when one
// of them was mailed.
func (m *LowBalanceMailer) alert(ctx context.Context, l LowBalance) error {
	now, state, due := m.now(), AlertSkipped, m.now()
	if l.Unread != nil {
		m.log.Error("an alert of a low balance was not mailed: its key cannot be read", "error", l.Unread)
		state, due = afterFailure(l.Attempt+1, now)
	} else if m.send != nil && (l.Kind == AlertRefused || ledger.IsLow(l.Left)) && len(l.Owners) > 0 {
		state = AlertSent
		if !m.mailAll(ctx, l) {
			state, due = afterFailure(l.Attempt+1, now)
		}
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), endAlertWithin)
	defer cancel()
	return m.store.EndLow(end, l, state, due)
}

// mailAll reports whether at least one owner was mailed.
func (m *LowBalanceMailer) mailAll(ctx context.Context, l LowBalance) bool {
	subject, text := LowBalanceMail(l, m.baseURL)
	mailed := false
	for _, to := range l.Owners {
		if err := m.send(ctx, to, subject, text); err != nil {
			m.log.Warn("an alert of a low balance was not mailed", "key", l.Key.PublicID, "error", err)
			continue
		}
		mailed = true
	}
	return mailed
}

// afterFailure returns the state after an attempt that failed, and when the next is due.
func afterFailure(attempt int, now time.Time) (AlertState, time.Time) {
	if attempt >= maxAlertAttempts {
		return AlertFailed, now
	}
	return AlertWaiting, now.Add(firstAlertPause << (attempt - 1))
}

// LowBalanceMail returns the subject and text of the mail.
func LowBalanceMail(l LowBalance, baseURL string) (subject, text string) {
	name := l.Key.Label
	if name == "" {
		name = l.Key.PublicID
	}
	page := baseURL + "/dashboard/credits?key=" + l.Key.PublicID
	if l.Kind == AlertRefused {
		return refusedMail(l, name, page)
	}
	if l.Left <= 0 {
		return "No credits left: your customers cannot pay",
			fmt.Sprintf("The API key “%s” has no credits left. Each payment that a customer starts costs one, so no customer can start a payment now.\n\n"+
				"Payments that were started already go on, and their money reaches you.\n\nBuy credits here:\n%s", name, page)
	}
	left, payments := fmt.Sprintf("%d credits", l.Left), fmt.Sprintf("%d more payments", l.Left)
	if l.Left == 1 {
		left, payments = "1 credit", "one more payment"
	}
	return "Your credits run low: " + left + " left",
		fmt.Sprintf("The API key “%s” has %s left. Each payment that a customer starts costs one, so %s can be started.\n\n"+
			"Buy more before they are used up:\n%s\n\nYou get this mail once. You will get another when you have bought credits and they run low again.", name, left, payments, page)
}

// refusedMail returns the mail about a refused sale. Payments that strangers open
// are refused before the credits are used up (ledger.Reserve).
func refusedMail(l LowBalance, name, page string) (subject, text string) {
	const when = "2 January 2006, 15:04 UTC"
	subject = "A customer could not pay: no credits"
	text = fmt.Sprintf("On %s a customer could not start a payment, because the API key “%s” had no credit for it.\n\n",
		l.At.UTC().Format(when), name)
	if l.Left > 0 {
		text += fmt.Sprintf("It has %d left now. Donations and payment links cannot use the last ones: "+
			"these are kept for the payments you create yourself.\n\n", l.Left)
	} else {
		text += "It has none left, so no customer can start a payment now. Payments that were started already go on.\n\n"
	}
	return subject, text + "Buy credits here:\n" + page +
		"\n\nYou get this mail at most once a day, however many customers could not pay."
}
