// Package alert notifies the operator of what needs an operator: once when it begins, and once when it is over.
//
// What is wrong is decided by one table of rules (rules.go), from what is known of the networks and the database. The
// operator's page and GET /health show the same sentences.
//
//	not the case ──▶ holds ──for long enough──▶ notified: begins
//	      ▲            │                            │
//	      └────────────┴──not seen for a while──────┴──▶ notified: is over
//
// Its one invariant: a notification is stored in the transaction that changes the state of its alert. So restarts and
// further instances neither lose nor repeat one, and a mail server that is down holds nothing up.
package alert

import (
	"time"

	"github.com/florinpay/florin/internal/mail"
)

// Kind is what an alert is about. It is a fixed word, for programs.
type Kind string

// Condition is something that an operator should see to.
type Condition struct {
	Kind    Kind
	Subject string // what it is about, such as a network; with the kind it names the condition
	Title   string // a few words, without a full stop
	Text    string // what is the case, in sentences
	Advice  string // what to do, in sentences
	// Public conditions may be read by anybody: they name no merchant.
	Public bool
}

// key names a condition.
type key struct {
	kind    Kind
	subject string
}

func (c Condition) key() key { return key{c.Kind, c.Subject} }

// Alert is a condition that holds, or held a moment ago.
type Alert struct {
	Condition

	Since  time.Time // since when it holds
	SeenAt time.Time // when it was last seen to hold, to the minute
	// NotifiedAt is when the operator was notified; zero: not yet, since it has not held for long enough.
	NotifiedAt time.Time
}

// Phase says which of its two notifications a notification is.
type Phase string

// The phases.
const (
	Begins Phase = "begins"
	Over   Phase = "over"
)

// Notification is one message to the operator.
type Notification struct {
	ID    string // the same in every attempt to send it, and on every channel
	Phase Phase
	Alert Alert
	At    time.Time
}

// Change is what to store after an observation.
type Change struct {
	Save          []Alert
	Remove        []Alert
	Notifications []Notification
	Mails         []mail.Mail // the notifications, on every channel
}

// Empty reports whether there is nothing to store.
func (c Change) Empty() bool { return len(c.Save)+len(c.Remove)+len(c.Notifications) == 0 }

// seenEvery is how often it is stored that a condition still holds, far below any calm of a rule.
const seenEvery = time.Minute

// unwatched is after how long without a look, such as between a stop and the next start, a condition that was not
// notified of begins anew. One that must hold for longer than that is not forgotten by a stop that is shorter.
const unwatched = 30 * time.Minute

// Decide returns what changes in the stored alerts by an observation at now. newID makes the ids of notifications.
func Decide(stored []Alert, seen Observation, now time.Time, newID func() string) Change {
	var c Change
	known := make(map[key]Alert, len(stored))
	for _, a := range stored {
		known[a.key()] = a
	}
	holds := make(map[key]bool, len(seen.Conditions))
	for _, x := range seen.Conditions {
		if holds[x.key()] {
			continue
		}
		holds[x.key()] = true
		before, ok := known[x.key()]
		after := before
		after.Condition = x
		rule := ruleOf(x.Kind)
		if !ok || before.NotifiedAt.IsZero() && now.Sub(before.SeenAt) >= max(unwatched, rule.after) {
			after.Since = now
		}
		if !ok || now.Sub(after.SeenAt) >= seenEvery {
			after.SeenAt = now
		}
		if after.NotifiedAt.IsZero() && now.Sub(after.Since) >= rule.after {
			after.NotifiedAt, after.SeenAt = now, now
			c.Notifications = append(c.Notifications, Notification{newID(), Begins, after, now})
		}
		if after != before {
			c.Save = append(c.Save, after)
		}
	}
	for _, a := range stored {
		if holds[a.key()] || seen.unknown[a.Kind] || now.Sub(a.SeenAt) < ruleOf(a.Kind).calm {
			continue
		}
		c.Remove = append(c.Remove, a)
		if !a.NotifiedAt.IsZero() {
			c.Notifications = append(c.Notifications, Notification{newID(), Over, a, now})
		}
	}
	return c
}
