package merchant

import (
	"context"
	"fmt"
	"log/slog"
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
)

// LowBalanceMailer is the loop that mails alerts of low balances.
type LowBalanceMailer struct {
	store   LowBalanceStore
	send    func(ctx context.Context, to, subject, text string) error
	baseURL string
	now     func() time.Time
	log     *slog.Logger
}

// NewLowBalanceMailer returns the loop. send sends one mail and is nil where no mail is
// configured; baseURL is the public address of the dashboard.
func NewLowBalanceMailer(
	store LowBalanceStore, send func(ctx context.Context, to, subject, text string) error, baseURL string,
	now func() time.Time, log *slog.Logger,
) *LowBalanceMailer {
	return &LowBalanceMailer{store: store, send: send, baseURL: baseURL, now: now, log: log}
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
		}
	}
}

// RunOnce sends what is due now. One alert is taken at a time, so that a crash
// loses one mail at most.
func (m *LowBalanceMailer) RunOnce(ctx context.Context) error {
	for range alertBatch {
		if ctx.Err() != nil {
			return nil //nolint:nilerr // being stopped is no failure
		}
		list, err := m.store.TakeLow(ctx, m.now(), 1)
		if err != nil || len(list) == 0 {
			return err
		}
		if err := m.alert(ctx, list[0]); err != nil {
			return err
		}
	}
	return nil
}

// alert mails the owners and stores the outcome. An alert has been sent when one
// of them was mailed.
func (m *LowBalanceMailer) alert(ctx context.Context, l LowBalance) error {
	now, state, due := m.now(), AlertSkipped, m.now()
	if m.send != nil && ledger.IsLow(l.Left) && len(l.Owners) > 0 {
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
