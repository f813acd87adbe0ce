package store_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/webhook"
)

// overtakenStory is a payment that was cancelled and is completed later.
type overtakenStory struct {
	*world

	key       merchant.Key
	cancelled string // event
	completed string // event; empty until complete
	now       time.Time
}

func newOvertakenStory(w *world) *overtakenStory {
	k := w.NewKey(0, 5)
	w.NewCustodian(k, "https://shop.example/hook")
	return &overtakenStory{world: w, key: k, cancelled: w.end(k), now: storetest.Start}
}

// take claims what is due and wants exactly these events.
func (s *overtakenStory) take(holder string, events ...string) []webhook.Delivery {
	s.T.Helper()
	list := s.claim(holder, s.now, 10, 10)
	storetest.Same(s.T, "claimed by "+holder, eventIDs(list), events)
	return list
}

// complete marks the payment as completed, some time after it was cancelled.
func (s *overtakenStory) complete() {
	s.T.Helper()
	s.now = s.now.Add(10 * time.Second)
	p, err := s.UpdatePayment(s.T.Context(), paymentOf(s.cancelled), func(p payment.Payment) (payment.Change, error) {
		return p.MarkCompleted(payment.Actor{Name: "API key"}, s.now)
	})
	s.Must(err)
	s.completed = "evt_" + string(p.ID) + "_4"
}

// shows wants the delivery of the cancellation to be in the state, overtaken or not.
func (s *overtakenStory) shows(state webhook.State, by payment.EventType, made int) {
	s.T.Helper()
	list, err := s.Deliveries(s.T.Context(), report.DeliveryQuery{KeyID: s.key.ID, Limit: 10})
	s.Must(err)
	for _, d := range list {
		if d.EventID == s.cancelled && (d.State != state || d.OvertakenBy != by || d.Made != made) {
			s.T.Errorf("shown as %s, overtaken by %q, %d attempts; want %s, %q, %d", d.State, d.OvertakenBy, d.Made, state, by, made)
		}
		if d.EventID == s.completed && d.OvertakenBy != "" {
			s.T.Errorf("the last event is overtaken by %s", d.OvertakenBy)
		}
	}
}

// ends wants nothing but the completion to be sent from now on.
func (s *overtakenStory) ends() {
	s.T.Helper()
	for _, d := range s.take("z", s.completed) {
		s.settle("z", d, webhook.Delivered, s.now, time.Time{})
	}
	s.now = s.now.Add(100 * time.Hour)
	s.take("z")
	if at := s.nextDue(s.now); at != -1 {
		s.T.Errorf("something is still due at %s", at)
	}
}

const completedLater = payment.EventCompleted

// A webhook that says "cancelled" or "expired" is never sent after the one that says "completed".
func TestStore_Overtaken(t *testing.T) {
	t.Parallel()
	for name, story := range map[string]func(*overtakenStory){
		"NeverTried": func(s *overtakenStory) {
			s.complete()
			s.shows(webhook.Overtaken, completedLater, 0)
			s.ends()
		},
		"WaitsForItsRetry": func(s *overtakenStory) {
			d := s.take("a", s.cancelled)[0]
			s.settle("a", d, webhook.Waiting, s.now, s.now.Add(time.Hour))
			s.shows(webhook.Waiting, "", 1)
			s.complete()
			s.shows(webhook.Overtaken, completedLater, 1)
			s.ends()
		},
		"BeingSent": func(s *overtakenStory) {
			d := s.take("a", s.cancelled)[0]
			s.complete()
			s.take("b") // the first could still arrive, after the second
			s.settle("a", d, webhook.Waiting, s.now, s.now.Add(5*time.Second))
			s.shows(webhook.Overtaken, completedLater, 1)
			s.ends()
		},
		"BeingSentAndArrives": func(s *overtakenStory) {
			d := s.take("a", s.cancelled)[0]
			s.complete()
			s.take("b")
			s.settle("a", d, webhook.Delivered, s.now, time.Time{})
			s.shows(webhook.Delivered, completedLater, 1)
			s.ends()
		},
		"SenderCrashed": func(s *overtakenStory) {
			s.take("a", s.cancelled)
			s.complete()
			s.now = s.now.Add(time.Minute)
			s.ends()
			s.shows(webhook.Overtaken, completedLater, 0)
		},
		"SenderCrashedLongBefore": func(s *overtakenStory) {
			s.take("a", s.cancelled)
			s.now = s.now.Add(time.Hour)
			s.complete()
			s.shows(webhook.Overtaken, completedLater, 0)
			s.ends()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEach(t, func(_ *testing.T, w *world) { story(newOvertakenStory(w)) })
		})
	}
}

// What is overtaken is not sent again by hand either.
func TestStore_Overtaken_Resend(t *testing.T) {
	t.Parallel()
	resend := func(s *overtakenStory, event string) error {
		var id int64
		s.Must(s.DB().Reader().NewRaw(`SELECT d.id FROM deliveries AS d JOIN payments AS p ON p.id = d.payment_id
			WHERE 'evt_' || p.public_id || '_' || d.seq = ?`, event).Scan(s.T.Context(), &id))
		return s.Resend(s.T.Context(), []int64{s.key.ID}, id, s.now, audit.Record{})
	}
	for name, story := range map[string]func(*overtakenStory){
		"GivenUp": func(s *overtakenStory) {
			d := s.take("a", s.cancelled)[0]
			s.settle("a", d, webhook.Failed, s.now, time.Time{})
			s.complete()
			s.shows(webhook.Overtaken, completedLater, 1)
			n, err := s.ResendFailed(s.T.Context(), s.key.ID, storetest.Start.Add(-time.Hour), s.now, audit.Record{})
			s.Must(err)
			if n != 0 {
				s.T.Errorf("%d are sent again", n)
			}
			storetest.WantError(s.T, "resend", resend(s, s.cancelled), report.ErrOvertaken)
			s.ends()
		},
		"Refused": func(s *overtakenStory) {
			d := s.take("a", s.cancelled)[0]
			s.settle("a", d, webhook.Stopped, s.now, time.Time{})
			s.complete()
			n, err := s.ResendFailed(s.T.Context(), s.key.ID, storetest.Start.Add(-time.Hour), s.now, audit.Record{})
			s.Must(err)
			if n != 0 {
				s.T.Errorf("%d are sent again", n)
			}
			s.shows(webhook.Stopped, completedLater, 1)
			s.ends()
		},
		"AskedForBeforeTheCompletion": func(s *overtakenStory) {
			d := s.take("a", s.cancelled)[0]
			s.settle("a", d, webhook.Delivered, s.now, time.Time{})
			s.Must(resend(s, s.cancelled))
			s.complete()
			s.ends()
		},
		"AfterTheCompletion": func(s *overtakenStory) {
			d := s.take("a", s.cancelled)[0]
			s.settle("a", d, webhook.Delivered, s.now, time.Time{})
			s.complete()
			storetest.WantError(s.T, "resend", resend(s, s.cancelled), report.ErrOvertaken)
			s.shows(webhook.Delivered, completedLater, 1)
			s.settle("b", s.take("b", s.completed)[0], webhook.Delivered, s.now, time.Time{})
			s.Must(resend(s, s.completed))
			s.ends()
		},
		"AnothersIsUnknown": func(s *overtakenStory) {
			s.complete()
			s.key = s.receiver("https://other.example/hook")
			storetest.WantError(s.T, "resend", resend(s, s.cancelled), report.ErrUnknownDelivery)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onEach(t, func(_ *testing.T, w *world) { story(newOvertakenStory(w)) })
		})
	}
}

// overtakenWalk is cancelled payments, some of which are completed at any time, and two
// senders that crash, fail and are too slow.
type overtakenWalk struct {
	*world

	key    merchant.Key
	random *rand.Rand
	now    time.Time

	cancelled []string            // events
	completed map[payment.ID]bool // those that were completed
	held      map[string][]webhook.Delivery
}

// claims takes what is due, and fails if an event is handed out after a later one was.
func (s *overtakenWalk) claims(holder string, n int) []webhook.Delivery {
	s.T.Helper()
	list := s.claim(holder, s.now, n, n)
	for _, d := range list {
		id := paymentOf(d.EventID)
		if s.completed[id] && !strings.HasSuffix(d.EventID, "_4") {
			s.T.Fatalf("%s was handed out although the payment is completed", d.EventID)
		}
	}
	return list
}

func (s *overtakenWalk) ends(holder string, d webhook.Delivery, state webhook.State) {
	s.T.Helper()
	next := time.Time{}
	if state == webhook.Waiting {
		next = s.now.Add(time.Duration(s.random.IntN(3600)) * time.Second)
	}
	s.settle(holder, d, state, s.now, next)
}

func (s *overtakenWalk) step() {
	s.T.Helper()
	holder := []string{"a", "b"}[s.random.IntN(2)]
	id := paymentOf(s.cancelled[s.random.IntN(len(s.cancelled))])
	switch s.random.IntN(8) {
	case 0, 1:
		s.held[holder] = append(s.held[holder], s.claims(holder, 1+s.random.IntN(4))...)
	case 2, 3:
		if list := s.held[holder]; len(list) > 0 {
			states := []webhook.State{
				webhook.Waiting, webhook.Waiting, webhook.Delivered, webhook.Failed, webhook.Stopped,
			}
			s.ends(holder, list[0], states[s.random.IntN(len(states))])
			s.held[holder] = list[1:]
		}
	case 4:
		s.now = s.now.Add(time.Duration(1+s.random.IntN(90)) * time.Second)
	case 5:
		s.held[holder] = nil // it crashed
	case 6:
		if s.completed[id] {
			return
		}
		s.MustDo(s.UpdatePayment(s.T.Context(), id, func(p payment.Payment) (payment.Change, error) {
			return p.MarkCompleted(payment.Actor{Name: "API key"}, s.now)
		}))
		s.completed[id] = true
	default:
		s.MustDo(s.ResendFailed(s.T.Context(), s.key.ID, storetest.Start.Add(-time.Hour), s.now, audit.Record{}))
	}
}

// drain lets both senders deliver everything that is ever due.
func (s *overtakenWalk) drain() {
	s.T.Helper()
	for range 200 {
		s.now = s.now.Add(2 * time.Hour)
		s.MustDo(s.ResendFailed(s.T.Context(), s.key.ID, storetest.Start.Add(-time.Hour), s.now, audit.Record{}))
		list := s.claims("z", 10)
		for _, d := range list {
			s.ends("z", d, webhook.Delivered)
		}
		if _, waits, err := s.NextDue(s.T.Context(), s.now); err != nil || !waits && len(list) == 0 {
			s.Must(err)
			return
		}
	}
	s.T.Fatal("something is due for ever")
}

// TestStore_Overtaken_NeverTheLast: whatever senders and merchants do, the last event of
// every payment is delivered, and no earlier one is handed out after it.
func TestStore_Overtaken_NeverTheLast(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		for seed := range uint64(6) {
			k := w.NewKey(0, 100)
			w.NewCustodian(k, "https://shop.example/hook")
			s := &overtakenWalk{
				world: w, key: k, random: rand.New(rand.NewPCG(seed, 1)), now: storetest.Start, //nolint:gosec // repeatable
				completed: make(map[payment.ID]bool), held: make(map[string][]webhook.Delivery),
			}
			for range 8 {
				s.cancelled = append(s.cancelled, w.end(k))
			}
			for range 120 {
				s.step()
			}
			s.drain()
			list, err := w.Deliveries(t.Context(), report.DeliveryQuery{KeyID: k.ID, Limit: 100})
			w.Must(err)
			if len(list) != len(s.cancelled)+len(s.completed) {
				t.Fatalf("seed %d: %d deliveries of %d payments, %d completed", seed, len(list), len(s.cancelled), len(s.completed))
			}
			for _, d := range list {
				last := strings.HasSuffix(d.EventID, "_4") || !s.completed[paymentOf(d.EventID)]
				if last && d.State != webhook.Delivered || d.State == webhook.Waiting {
					t.Errorf("seed %d: event %s, the last: %v, is %s, overtaken by %q", seed, d.EventID, last, d.State, d.OvertakenBy)
				}
			}
		}
	})
}
