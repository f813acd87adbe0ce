package watch

import (
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// AtRisk is what is at stake on a network at the moment: it decides how closely the network is read, and so what
// reading costs. It never decides what is credited, confirmed or expired.
type AtRisk struct {
	// PageUntil is until when an open page, or a program that asks again and again, counts as looking at a payment
	// with an address on the network.
	PageUntil time.Time
	// StartedAt is when a payment that is open was last given an address there.
	StartedAt time.Time
	// ExpiresAt is when the next payment runs out that has an address there, or that money there would count for;
	// zero: none is open.
	ExpiresAt time.Time
	// Pending is the first block with a deposit that is seen and not final, and PendingSince its time; 0: there is
	// none.
	Pending      uint64
	PendingSince time.Time
	// OwnRule: a merchant's own finality decides about a pending deposit.
	OwnRule bool
	// Early: money was credited before the chain finalized its block, and is not rechecked yet.
	Early bool
	// EndedAt is when a payment with an address there ended a moment ago; zero: none did. Ended: payments that ended
	// are watched for late money.
	EndedAt time.Time
	Ended   bool
	// LookedAt is when the page of a payment that ended was last seen open; zero: none was of late.
	LookedAt time.Time
	// Moves is how often an operator has moved the cursor.
	Moves int64
}

// Waiting is a payment that money came to which is not final yet.
type Waiting struct {
	// Deposits is how many it has in all; more than MostAwaited count as that.
	Deposits int
	// Block and Since are those of the first deposit that is not final.
	Block uint64
	Since time.Time
	// OwnRule: a merchant's own finality decides about it.
	OwnRule bool
}

// MostAwaited is from how many deposits on a payment raises the pace no more, since somebody sends it specks. Its money
// becomes final with the rounds that come anyway.
const MostAwaited = payment.FoldFrom

// Await sets what is at stake by the payments with money that is not final.
func (s *AtRisk) Await(list []Waiting) {
	for _, w := range list {
		if w.Deposits >= MostAwaited {
			continue
		}
		if s.Pending == 0 || w.Block < s.Pending {
			s.Pending, s.PendingSince = w.Block, w.Since
		}
		s.OwnRule = s.OwnRule || w.OwnRule
	}
}

// Level is how closely a network is read.
type Level int

// The levels.
const (
	// Idle: nothing is awaited; a sign of life is enough.
	Idle Level = iota
	// Ended: only payments that ended are watched, for late money.
	Ended
	// Open: payments are open, or ended a moment ago, and no page is open.
	Open
	// Attended: a page is open, a payment has just been started, or money is on its way to finality.
	Attended
)

// String names the level for logs, /health and the operator's pages.
func (l Level) String() string { return [...]string{"idle", "ended", "open", "attended"}[l] }

const (
	// PageFor is how long a page counts after it was last seen open, and startFor how long a payment's start counts.
	PageFor  = 45 * time.Second
	startFor = 3 * time.Minute
	// endFor is how long after its end a payment counts as open: a payer's wallet may just be sending.
	endFor = 10 * time.Minute
)

// Level returns how closely the network is to be read.
func (s AtRisk) Level(now time.Time) Level {
	switch {
	case now.Before(s.PageUntil), !s.StartedAt.IsZero() && now.Sub(s.StartedAt) < startFor, s.Pending > 0:
		return Attended
	case !s.ExpiresAt.IsZero(), !s.EndedAt.IsZero() && now.Sub(s.EndedAt) < endFor,
		!s.LookedAt.IsZero() && now.Sub(s.LookedAt) < PageFor:
		return Open
	case s.Ended, !s.EndedAt.IsZero():
		return Ended
	}
	return Idle
}

// Pace is how often a network is read.
type Pace struct {
	// QuickRead is the time between two looks at the open payments' addresses through one endpoint, which only say
	// whether a round would find news; 0: there are none.
	QuickRead time.Duration
	// Round is the time between two rounds, which read everything and are the truth.
	Round time.Duration
}

// The paces of the levels. No level is faster than one quick read a second.
const (
	attendedQuickRead = time.Second
	attendedRound     = 90 * time.Second
	openQuickRead     = 10 * time.Second
	openRound         = 2 * time.Minute
	endedRound        = 5 * time.Minute
	idleRound         = 6 * time.Minute
	// expiryRound is the time between two rounds while a payment waits only for the network to be read up to its
	// expiry, which every payment must wait for, and the block at its expiry may be final.
	expiryRound = 15 * time.Second
	// failedRound is the time to the next attempt after a round that failed.
	failedRound = 2 * time.Second
)

// Pace returns how often a network on this level is read.
func (l Level) Pace() Pace {
	switch l {
	case Attended:
		return Pace{attendedQuickRead, attendedRound}
	case Open:
		return Pace{openQuickRead, openRound}
	case Ended:
		return Pace{0, endedRound}
	case Idle:
	}
	return Pace{0, idleRound}
}

// fullBudget is the least budget of calls a day at which every second may have its quick read.
const fullBudget = 50_000

// Within returns the pace with quick reads as far apart as a smaller budget has them, 0 being none: the half hour for
// which one open page counts costs less than a tenth of it.
func (p Pace) Within(budget int64) Pace {
	if budget > 0 {
		p.QuickRead *= time.Duration(max(1, fullBudget/budget))
	}
	return p
}

// Slower returns the pace with its times multiplied, at most to slowest: what a budget of calls that is nearly spent
// asks for.
func (p Pace) Slower(factor int64) Pace {
	factor = max(factor, 1)
	return Pace{min(p.QuickRead*time.Duration(factor), openRound), min(p.Round*time.Duration(factor), slowest)}
}

// slowest is the longest time between two rounds.
const slowest = 15 * time.Minute

// settled reports whether a pending deposit may be final by now: by the block that is final, 0 if it is not known, or
// by the time that the network's rule lets pass.
func (s AtRisk) settled(rule chain.Finality, final uint64, now time.Time) bool {
	switch {
	case s.Pending == 0:
		return false
	case rule.Depth > 0:
		return now.Sub(s.PendingSince) >= rule.Depth
	}
	return final >= s.Pending
}

// finalLag is how far the final block was behind the newest one in the rounds of the last hours. Before so long has
// passed since a deposit's block, it is not asked whether the block is final, and since a payment's expiry, no round is
// made for its sake.
type finalLag struct {
	since            time.Time
	rounds           int
	shortest, before time.Duration // of the present hour and of the one before it; 0: not known
}

const (
	lagHour = time.Hour
	// lagRounds is how many rounds show the lag well: it goes up and down where finality moves in steps.
	lagRounds = 10
)

// add records the heads of a round.
func (f *finalLag) add(h chain.Heads, now time.Time) {
	lag := h.Latest.Time.Sub(h.Final.Time)
	if now.Sub(f.since) >= lagHour {
		f.since, f.before, f.shortest = now, f.shortest, 0
	}
	f.rounds++
	if f.shortest == 0 || lag < f.shortest {
		f.shortest = max(lag, 1)
	}
}

// least returns how long it takes at least until a block is final, to be on the safe side: half of what was seen in
// few rounds. Blocks have their times in whole seconds.
func (f *finalLag) least() time.Duration {
	least := f.shortest
	if f.before > 0 {
		least = min(least, f.before)
	}
	if f.rounds < lagRounds {
		return least/2 - time.Second
	}
	return least*9/10 - time.Second
}
