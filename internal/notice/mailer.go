package notice

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/florinpay/florin/internal/ledger"
)

const (
	// every is how often notices are looked for: nobody buys credits within
	// seconds of a mail.
	every = 15 * time.Second
	// batch bounds one look, for each mail may take half a minute.
	batch = 20
	// maxAttempts with doubling pauses takes about a day, as long as a mail
	// server may be down over night; then the dashboard alone tells it.
	maxAttempts = 10
	firstPause  = 3 * time.Minute
	// endWithin bounds how long the outcome of a mail is stored for while the
	// program stops.
	endWithin = 5 * time.Second
)

// Mailer is the loop that sends notices.
type Mailer struct {
	store   Store
	send    func(ctx context.Context, to, subject, text string) error
	baseURL string
	now     func() time.Time
	log     *slog.Logger
}

// NewMailer returns the loop. send hands one mail over and is nil where no mail
// is sent; baseURL is the public address of the dashboard.
func NewMailer(store Store, send func(ctx context.Context, to, subject, text string) error, baseURL string,
	now func() time.Time, log *slog.Logger,
) *Mailer {
	return &Mailer{store: store, send: send, baseURL: baseURL, now: now, log: log}
}

// Run sends what is due until ctx ends.
func (m *Mailer) Run(ctx context.Context) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := m.RunOnce(ctx); err != nil && ctx.Err() == nil {
			m.log.Warn("notices of low credits wait", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// RunOnce sends what is due now. One notice is taken at a time, so that what
// stops the program loses one mail at most.
func (m *Mailer) RunOnce(ctx context.Context) error {
	for range batch {
		if ctx.Err() != nil {
			return nil //nolint:nilerr // being stopped is no failure
		}
		list, err := m.store.TakeLow(ctx, m.now(), 1)
		if err != nil || len(list) == 0 {
			return err
		}
		if err := m.tell(ctx, list[0]); err != nil {
			return err
		}
	}
	return nil
}

// tell mails the owners and stores what became of it. The notice is done with
// as soon as one of them has it.
func (m *Mailer) tell(ctx context.Context, l Low) error {
	now, state, due := m.now(), Skipped, m.now()
	if m.send != nil && ledger.IsLow(l.Left) && len(l.Owners) > 0 {
		state = Sent
		if !m.mailAll(ctx, l) {
			state, due = after(l.Attempt+1, now)
		}
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer cancel()
	return m.store.EndLow(end, l, state, due)
}

// mailAll reports whether anybody was mailed.
func (m *Mailer) mailAll(ctx context.Context, l Low) bool {
	subject, text := Words(l, m.baseURL)
	told := false
	for _, to := range l.Owners {
		if err := m.send(ctx, to, subject, text); err != nil {
			m.log.Warn("a notice of low credits was not mailed", "key", l.Key.PublicID, "error", err)
			continue
		}
		told = true
	}
	return told
}

// after is what follows the attempt that failed.
func after(attempt int, now time.Time) (State, time.Time) {
	if attempt >= maxAttempts {
		return Failed, now
	}
	return Waiting, now.Add(firstPause << (attempt - 1))
}

// Words are the mail.
func Words(l Low, baseURL string) (subject, text string) {
	name := l.Key.Label
	if name == "" {
		name = l.Key.PublicID
	}
	page := baseURL + "/dashboard/credits?key=" + l.Key.PublicID
	if l.Left <= 0 {
		return "No credits left: your customers cannot pay",
			fmt.Sprintf("The API key “%s” has no credits left. Each payment that a customer starts costs one, so nobody can start a payment now.\n\n"+
				"Payments that were started already go on, and their money reaches you.\n\nBuy credits here:\n%s", name, page)
	}
	left, payments := fmt.Sprintf("%d credits", l.Left), fmt.Sprintf("%d more payments", l.Left)
	if l.Left == 1 {
		left, payments = "1 credit", "one more payment"
	}
	return "Your credits run low: " + left + " left",
		fmt.Sprintf("The API key “%s” has %s left. Each payment that a customer starts costs one, so %s can be started.\n\n"+
			"Buy more before they are used up:\n%s\n\nThis is told once. It will be told again when you have bought credits and they run low another time.", name, left, payments, page)
}
