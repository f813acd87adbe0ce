package alert

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/fault"
)

// worksWithin bounds the question whether the database works.
const worksWithin = 5 * time.Second

func diskKnown(f Facts) bool { return f.Disk != nil }

// diskLow is said twice: when a tenth is left, and when a day is.
func diskLow(f Facts) []Condition {
	const tenth = 10
	d := *f.Disk
	c := Condition{
		Title: "The disk of the database has little room",
		Text: fmt.Sprintf("%s of %s are free at %s, and as the last hours went a day takes %s.", size(d.Free), size(d.Size),
			d.Path, size(d.Day)),
		Advice: "Free some, or give it more. When it is full nothing is stored: payments are refused, and what was paid is seen " +
			"when there is room again.",
	}
	var list []Condition
	if d.Free < d.Size/tenth {
		c.Subject = "a tenth"
		list = append(list, c)
	}
	if d.Free < d.Day {
		c.Subject, c.Title = "a day", "The disk of the database is full in less than a day"
		list = append(list, c)
	}
	return list
}

// size writes bytes in MB or GB.
func size(bytes int64) string {
	const mega, giga = 1_000_000, 1_000_000_000
	if bytes < giga {
		return fmt.Sprintf("%d MB", bytes/mega)
	}
	return fmt.Sprintf("%.1f GB", float64(bytes)/giga)
}

// outage is the time that the database does not work. Its notifications cannot be stored, so each instance sends its
// own, and a program that ends forgets them.
type outage struct {
	alert Alert
	works time.Time       // since when the database works again; zero: it does not
	ids   [2]string       // of the two notifications
	sent  map[string]bool // mails that have gone out, by id
}

// databaseDown says what is wrong with the database, in words that anybody may read.
func databaseDown(err error) Condition {
	c := Condition{
		Kind: DatabaseDown, Title: "The database cannot be used", Public: true,
		Text: "It does not answer, or takes no writes. Every request that stores something is refused.",
		Advice: "Look at the database server, and at the way to it. Florin goes on by itself; what was paid meanwhile is seen " +
			"then.",
	}
	if errors.Is(err, fault.ErrFull) {
		c.Title, c.Text = "The disk of the database is full", "Nothing can be stored: payments are refused. Reads go on."
		c.Advice = "Free some room, or give it more. Florin goes on by itself; what was paid meanwhile is seen then."
	} else if known := fault.Of(err); known != nil && !errors.Is(err, fault.ErrStorage) {
		c.Text = sentence(known.Message)
	}
	return c
}

// watchDatabase notifies the operator of a database that does not work, and when it works again.
func (m *Monitor) watchDatabase(ctx context.Context, now time.Time) {
	bounded, cancel := context.WithTimeout(ctx, worksWithin)
	defer cancel()
	err := m.o.Works(bounded)
	if ctx.Err() != nil {
		return
	}
	m.mu.Lock()
	d := m.down
	switch {
	case err == nil && d != nil && d.works.IsZero():
		d.works = now
	case err != nil && d == nil:
		d = &outage{
			alert: Alert{Condition: databaseDown(err), Since: now}, ids: [2]string{m.o.NewID(), m.o.NewID()},
			sent: make(map[string]bool),
		}
		m.down = d
	case err != nil:
		d.works = time.Time{}
	}
	m.mu.Unlock()
	switch {
	case d == nil:
	case err != nil && d.alert.NotifiedAt.IsZero() && now.Sub(d.alert.Since) >= promptly:
		m.log(Notification{Phase: Begins, Alert: d.alert})
		if m.send(ctx, d, Notification{d.ids[0], Begins, d.alert, now}) {
			m.locked(func() { d.alert.NotifiedAt = now })
		}
	case err == nil && d.alert.NotifiedAt.IsZero(),
		err == nil && now.Sub(d.works) >= calm && m.send(ctx, d, Notification{d.ids[1], Over, d.alert, now}):
		m.locked(func() { m.down = nil })
	}
}

func (m *Monitor) locked(do func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	do()
}

// send sends a notification by each way, without the database. It reports whether all have taken it; it is called again
// until they have.
func (m *Monitor) send(ctx context.Context, d *outage, n Notification) bool {
	mails, err := m.o.Channels.mails(n)
	for _, x := range mails {
		if d.sent[x.ID] {
			continue
		}
		bounded, cancel := context.WithTimeout(ctx, observeWithin)
		failed := m.o.Send(bounded, x)
		cancel()
		if failed != nil {
			err = errors.Join(err, failed)
			continue
		}
		d.sent[x.ID] = true
	}
	if err != nil {
		m.o.Log.Warn("the operator could not be notified of the database", "error", err)
	}
	return err == nil
}
