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
