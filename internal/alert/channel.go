package alert

import (
	"context"
	"time"
)

// Channel is a way to the operator.
type Channel struct {
	Name string // stored with what is to be sent; no secret
	// Send sends one notice. Its error says why not, without secrets.
	Send func(ctx context.Context, n Notice) error
}

const (
	// sendEvery is how often it is looked for notices to send.
	sendEvery = 5 * time.Second
	// sendWithin bounds sending one, and holdFor is longer, so that no other instance sends it meanwhile.
	sendWithin = 45 * time.Second
	holdFor    = 2 * time.Minute
	// endWithin bounds the time to store the outcome while the program stops.
	endWithin = 5 * time.Second
	// maxAttempts with doubling pauses take a bit less than three days.
	maxAttempts = 12
	firstPause  = time.Minute
)

// runChannel sends what is due on the channel until ctx ends.
func (m *Monitor) runChannel(ctx context.Context, c Channel) {
	tick := time.NewTicker(sendEvery)
	defer tick.Stop()
	for {
		if err := m.SendDue(ctx, c); err != nil && ctx.Err() == nil {
			m.o.Log.Warn("notices to the operator wait", "channel", c.Name, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// SendDue sends what is due on the channel. One that cannot be sent is tried again later and holds up no other.
func (m *Monitor) SendDue(ctx context.Context, c Channel) error {
	for ctx.Err() == nil {
		now := m.o.Now()
		p, ok, err := m.o.Store.TakePosting(ctx, c.Name, now, now.Add(holdFor))
		if err != nil || !ok {
			return err
		}
		if err := m.send(ctx, c, p); err != nil {
			return err
		}
	}
	return nil
}

func (m *Monitor) send(ctx context.Context, c Channel, p Posting) error {
	bounded, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	err := c.Send(bounded, p.Notice)
	due, made := m.o.Now(), p.Attempt+1
	if err != nil {
		m.o.Log.Warn("a notice to the operator was not sent", "channel", c.Name, "notice", p.ID, "attempt", made,
			"error", err)
		if made < maxAttempts {
			due = due.Add(firstPause << (made - 1))
		} else {
			due = time.Time{}
		}
	}
	end, done := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer done()
	return m.o.Store.EndPosting(end, p, err == nil, due)
}
