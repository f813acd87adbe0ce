package payment

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/ledger"
)

// A payment that a stranger starts takes a place among those that wait for money, of its campaign or link and of its
// key, and holds a credit. Places and holds are few, and starting costs nothing, so whoever starts many must not keep
// the next customer out: one neighbourhood has a share of them, and where all are taken, one gives way.
//
//   - A hold gives way by giving the credit back. The payment goes on, and takes a credit if it completes.
//   - A payment gives its place up by ending before its time. Money that comes within that time completes it all the
//     same.

// MaxWaiting is room for five payers a minute who each take an hour: how many
// payments of one campaign or one link may wait for money at once. MaxWaitingOfKey
// is the same for all campaigns and links of a key. The credits they hold are
// bounded by ledger.Reserve besides.
const (
	MaxWaiting      = 300
	MaxWaitingOfKey = 1_000
)

const (
	// shareOf is the part of all places that one neighbourhood may take.
	shareOf = 4
	// HoldFor is how long a credit is held for a payment that nobody looks at.
	HoldFor = 10 * time.Minute
	// attendedFor is how long after it was seen open a page counts as open; pages are noted once a minute.
	attendedFor = 3 * time.Minute
	// roomTries is how often room is made for one start, if others take it at the same time.
	roomTries = 4
)

// Waiting is a payment that a stranger started and that has not ended.
type Waiting struct {
	ID         ID
	CampaignID int64
	LinkID     int64
	Near       string // from which neighbourhood it was started; empty: not known
	StartedAt  time.Time
	ExpiresAt  time.Time
	AttendedAt time.Time // when its page was last seen open
	Held       bool      // it holds a credit
	Money      bool      // something came for it
}

// givesWay returns which of the payments that take the places gives way to one of a neighbourhood; ok is false while
// there is room. A neighbourhood whose share is used up makes room itself; otherwise the largest does. Of that, the
// oldest whose page nobody looks at goes first.
func givesWay(taken []Waiting, near string, room int, now time.Time) (out Waiting, ok bool) {
	sizes := make(map[string]int)
	for _, w := range taken {
		sizes[w.Near]++
	}
	share := max(1, (room+shareOf-1)/shareOf)
	own := near != "" && sizes[near] >= share
	if len(taken) == 0 || room < 1 || !own && len(taken) < room {
		return Waiting{}, false
	}
	unattended := func(w Waiting) int {
		if w.Money || now.Sub(w.AttendedAt) < attendedFor {
			return 0
		}
		return 1
	}
	candidates := slices.DeleteFunc(slices.Clone(taken), func(w Waiting) bool { return own && w.Near != near })
	return slices.MinFunc(candidates, func(a, b Waiting) int {
		return cmp.Or(
			cmp.Compare(sizes[b.Near], sizes[a.Near]), cmp.Compare(unattended(b), unattended(a)),
			a.StartedAt.Compare(b.StartedAt), cmp.Compare(a.ID, b.ID),
		)
	}), true
}

// holding returns those that hold a credit.
func holding(all []Waiting) []Waiting {
	return slices.DeleteFunc(slices.Clone(all), func(w Waiting) bool { return !w.Held })
}

// placed returns those that wait for money in vain so far: of one campaign or link, or all.
func placed(all []Waiting, campaignID, linkID int64, now time.Time) []Waiting {
	return slices.DeleteFunc(slices.Clone(all), func(w Waiting) bool {
		return w.Money || !now.Before(w.ExpiresAt) || campaignID > 0 && w.CampaignID != campaignID ||
			linkID > 0 && w.LinkID != linkID
	})
}

// Unhold gives the credit back that a stranger's payment holds. The payment goes on.
func (p Payment) Unhold(now time.Time) Change {
	c := Change{Payment: p}
	if p.Held && !p.Status.Final() {
		c.Payment.Held, c.Payment.Unheld = false, true
		c.Entries = append(c.Entries, ledger.Release(p.KeyID, "end:"+string(p.ID), now))
	}
	return c
}

// GiveWay ends a payment of a stranger before its time, unless something came for it.
func (p Payment) GiveWay(now time.Time) Change {
	if p.Status != Started || !p.ByStranger() || len(p.Deposits) > 0 {
		return Change{Payment: p}
	}
	return Change{Payment: p}.expire(now)
}

// begin starts a payment. One of a stranger finds room, by what gives way to it.
func (s *Service) begin(ctx context.Context, p Payment, near string, start func() (Payment, error)) (Payment, error) {
	if !p.ByStranger() || p.Status != Pending {
		return start()
	}
	for try := 1; ; try++ {
		gave, err := s.makeRoom(ctx, p, near)
		if err != nil {
			return Payment{}, err
		}
		started, err := start()
		if !errors.Is(err, ledger.ErrReserve) || !gave || try == roomTries {
			return started, err
		}
	}
}

// makeRoom has payments give way to one that is about to start, and reports whether any hold did. Concurrent requests
// may exceed the places by a few: they only bound a flood. The ledger bounds the holds.
func (s *Service) makeRoom(ctx context.Context, p Payment, near string) (gave bool, err error) {
	now := s.now()
	all, err := s.store.Waiting(ctx, p.KeyID, shareOf*s.opts.MaxWaitingOfKey)
	if err != nil {
		return false, err
	}
	full := false
	for _, places := range []struct {
		taken []Waiting
		room  int
	}{
		{placed(all, p.CampaignID, p.LinkID, now), s.opts.MaxWaiting},
		{placed(all, 0, 0, now), s.opts.MaxWaitingOfKey},
	} {
		if w, ok := givesWay(places.taken, near, places.room, now); ok {
			full = full || len(places.taken) >= places.room
			if err := s.decide(ctx, w.ID, func(p Payment) Change { return p.GiveWay(now) }); err != nil {
				return false, err
			}
		}
	}
	if s.opts.Meter != ledger.Free {
		held := holding(all)
		room, err := s.holdable(ctx, p.KeyID, held)
		if err != nil {
			return false, err
		}
		var w Waiting
		if w, gave = givesWay(held, near, room, now); gave {
			full = full || len(held) >= room
			if err := s.decide(ctx, w.ID, func(p Payment) Change { return p.Unhold(now) }); err != nil {
				return false, err
			}
		}
	}
	if full && s.opts.Crowded != nil {
		s.opts.Crowded(ctx, p.KeyID)
	}
	return gave, nil
}

// holdable is how many credits of the key may be held for payments of strangers, with those that are.
func (s *Service) holdable(ctx context.Context, keyID int64, held []Waiting) (int, error) {
	left, err := s.custodians.Balance(ctx, keyID)
	return int(ledger.Holdable(ledger.Funds{Balance: left.Credits, Held: int64(len(held))})), err
}

// Crowded reports whether payments of strangers take every place of a key, or of one of its campaigns and links, or
// every credit that may be held for them. The next customer pays all the same: the oldest give way.
func (s *Service) Crowded(ctx context.Context, keyID int64) (bool, error) {
	now := s.now()
	all, err := s.store.Waiting(ctx, keyID, shareOf*s.opts.MaxWaitingOfKey)
	if err != nil || len(all) == 0 {
		return false, err
	}
	if taken := placed(all, 0, 0, now); len(taken) >= s.opts.MaxWaitingOfKey {
		return true, nil
	}
	places := make(map[[2]int64]int)
	for _, w := range placed(all, 0, 0, now) {
		at := [2]int64{w.CampaignID, w.LinkID}
		if places[at]++; places[at] >= s.opts.MaxWaiting {
			return true, nil
		}
	}
	if s.opts.Meter == ledger.Free {
		return false, nil
	}
	held := holding(all)
	room, err := s.holdable(ctx, keyID, held)
	return room > 0 && len(held) >= room, err
}

// decide stores what another payment than that of the request decides.
func (s *Service) decide(ctx context.Context, id ID, decide func(Payment) Change) error {
	_, err := s.store.UpdatePayment(ctx, id, func(p Payment) (Change, error) { return decide(p), nil })
	return err
}

// manyHolds is how many holds one turn of EndHolds ends.
const manyHolds = 500

// EndHolds gives back the credits that are held for payments whose page nobody has looked at for HoldFor.
func (s *Service) EndHolds(ctx context.Context) error {
	now := s.now()
	ids, err := s.store.Unattended(ctx, now.Add(-HoldFor), manyHolds)
	for _, id := range ids {
		err = errors.Join(err, s.decide(ctx, id, func(p Payment) Change { return p.Unhold(now) }))
	}
	return err
}
