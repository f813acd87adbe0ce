package watch

import (
	"sync/atomic"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// AtRisk is what is at risk on a network at the moment: it decides how closely the network is read, and so what
// reading costs. It never decides what is credited, confirmed or expired.
type AtRisk struct {
	// PageUntil is until when an open page, or a program that asks again and again, counts as looking at a payment
	// with an address on the network.
	PageUntil time.Time
	// StartedAt is when a payment that is open was last given an address there.
	StartedAt time.Time
	// AddedAt is when a payment that is open was last given an address, there or where money there counts, too.
	AddedAt time.Time
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
	// Moves is how often the cursor was moved back.
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

// Await sets what is at risk by the payments with money that is not final.
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
	// Second is the time between two second readings: with Finality, it is how late money is seen that the first
	// endpoint hides.
	Second time.Duration
}

// paces are those of the levels: what is read how often, and by what factor it slows down from a part of the day's
// budget of calls on, in per cent. Lower levels slow down first. No level ever stops: money of open payments is still
// found, later. No level is faster than one quick read a second.
var paces = [...]struct {
	Pace

	slowdowns []slowdown
}{
	Idle:  {Pace{0, idleRound, 6 * time.Hour}, []slowdown{{75, 3}, {50, 2}}},
	Ended: {Pace{0, endedRound, 30 * time.Minute}, []slowdown{{75, 3}, {50, 2}}},
	Open:  {Pace{10 * time.Second, openRound, openRound}, []slowdown{{100, 12}, {90, 4}, {75, 2}}},
	Attended: {
		Pace{time.Second, 90 * time.Second, 30 * time.Second}, []slowdown{{110, 60}, {105, 20}, {100, 10}, {95, 2}},
	},
}

// slowdown is a factor from a part of the budget on, in per cent.
type slowdown struct{ spent, factor int64 }

// secondSlowdowns are those of the second reading, the last that a budget slows down: without it money may be unseen.
var secondSlowdowns = []slowdown{{120, 20}, {110, 4}, {100, 2}}

// factor returns by what factor the list slows down once so many per cent are spent.
func factor(list []slowdown, spent int64) int64 {
	for _, s := range list {
		if spent >= s.spent {
			return s.factor
		}
	}
	return 1
}

const (
	openRound  = 2 * time.Minute
	endedRound = 5 * time.Minute
	idleRound  = 6 * time.Minute
	// expiryRound is the time between two rounds while a payment waits only for the network to be read up to its
	// expiry, which every payment must wait for, and the block at its expiry may be final.
	expiryRound = 15 * time.Second
	// failedRound is the time to the next attempt after a round that failed.
	failedRound = 2 * time.Second
)

// Pace returns how often a network on this level is read.
func (l Level) Pace() Pace { return paces[l].Pace }

// Slowdown returns by what factor the pace of a level is slowed once so many per cent of the budget are spent.
func (l Level) Slowdown(spent int64) int64 { return factor(paces[l].slowdowns, spent) }

const (
	// fullBudget is the least budget of calls a day at which every second may have its quick read.
	fullBudget = 50_000
	// slowest is the longest time between two rounds.
	slowest = 15 * time.Minute
)

// Within returns how often it is read within a budget of calls a day, 0 being none, of which so many per cent are
// spent. A smaller budget has its quick reads further apart: the half hour for which one open page counts costs less
// than a tenth of it.
func (l Level) Within(budget, spent int64) Pace {
	p, slow := l.Pace(), l.Slowdown(spent)
	if budget > 0 {
		p.QuickRead *= time.Duration(max(1, fullBudget/budget))
	}
	p.QuickRead, p.Round = min(p.QuickRead*time.Duration(slow), openRound), min(p.Round*time.Duration(slow), slowest)
	return p
}

// settled reports whether a pending deposit may be final by now: by the block that is final, 0 if it is not known, or
// by the time that the network's rule lets pass.
func (s AtRisk) settled(rule chain.Finality, final uint64, now time.Time) bool {
	if rule.Depth > 0 {
		return s.Pending > 0 && now.Sub(s.PendingSince) >= rule.Depth
	}
	return s.Pending > 0 && final >= s.Pending
}

// pacer decides when a network is read: by what is at risk, by what the last round left behind, and by the budget.
type pacer struct {
	unpaced bool
	budget  int64         // calls a day; 0: no limit
	spent   func() int64  // of the budget, in hundredths of a per cent
	counted int64         // what was spent when that was last looked at
	vain    time.Time     // when what was spent in vain is made up for: see vainTime; zero: nothing was looked at yet
	part    int64         // of the budget, in per cent, by which reading slows down
	slow    int64         // by what factor the rounds are put off that strangers can bring about
	reading atomic.Int64  // the level
	early   bool          // AtRisk.Early, or not known
	round   time.Duration // how long the network may go unread by the present pace
	wellAt  time.Time     // when a round last found the network well, or the first round
	last    lastRound
	// lag is the least by which the final block was behind the newest one in the last rounds, about.
	lag time.Duration
}

// lastRound is what the newest round left behind, for the decision when the next one is due.
type lastRound struct {
	at     time.Time
	failed bool
	more   bool // it has not read everything that is final
	missed bool // it did not find the news of the quick read before, which may be of an endpoint that shows more
	// latest is the newest block that was read, up to which nothing needs a quick read; 0: it was not read.
	latest uint64
	before uint64 // latest of the round before
	cursor Cursor
}

// lookAfter returns after which block quick reads look: what a round has read through one endpoint, another one may
// show, but for blocks that were read twice.
func (l lastRound) lookAfter() uint64 {
	if l.before == 0 {
		return l.latest
	}
	return min(l.latest, max(l.before, l.cursor.Second.Number))
}

const (
	// ownRuleRound is the time between two rounds while money waits for a merchant's own finality.
	ownRuleRound = 3 * time.Second
	// unwellRound is the time between two rounds of a network that is not well, for unwellFor whatever is at risk.
	unwellRound = 3 * time.Second
	unwellFor   = 10 * time.Minute
	// refreshRound is the time between two rounds while a payer chooses a network.
	refreshRound = time.Minute
)

func newPacer() *pacer {
	p := &pacer{early: true, slow: 1, spent: func() int64 { return 0 }} // what is at risk is not known yet
	p.reading.Store(int64(Attended))
	return p
}

func (p *pacer) level() Level { return Level(p.reading.Load()) }

// Reading a network closely while no money comes may cost a twentieth of the budget at once, and another one in the
// course of a day: beyond that it slows down as if the whole budget were spent. So whoever orders and never pays costs
// no more than a tenth of the budget a day. Money of payWorth makes up for all that was spent before it.
const (
	vainTime = 24 * time.Hour // in which the twentieth is made up for
	vainMost = vainTime * 6 / 5
	vainPart = 10_000 / 20
	payWorth = money.USD / 10
)

// take sets the pace by what is at risk, if that is known. reads: this instance reads the network. refresh: a payer is
// about to choose it.
func (p *pacer) take(s AtRisk, known, reads, refresh bool, now time.Time) Pace {
	level := Attended
	if known {
		level = s.Level(now)
	}
	p.reading.Store(int64(level))
	p.early = !known || s.Early
	spent := p.spent()
	if reads && (level >= Open || refresh) && !p.vain.IsZero() {
		p.vain = p.vain.Add(time.Duration(max(spent-p.counted, 0)) * vainTime / vainPart)
	}
	if p.vain.Before(now) {
		p.vain = now
	} else if most := now.Add(vainMost); p.vain.After(most) {
		p.vain = most
	}
	p.counted, p.part = spent, max(spent/100, int64(p.vain.Sub(now)*100/vainTime))
	p.slow = Open.Slowdown(p.part)
	if level < Open {
		p.part = spent / 100
	}
	pace := level.Within(p.budget, p.part)
	p.round = pace.Round
	return pace
}

// paid says that a deposit was recorded.
func (p *pacer) paid(d payment.Deposit) {
	if !d.Folded() && d.Transfer.Asset.Worth(d.Transfer.Units).Cmp(payWorth.Atto()) >= 0 {
		p.vain = time.Unix(0, 0)
	}
}

// read records what a round has read; tail: up to the newest block, which otherwise was perhaps invented, and quick
// reads would look behind it.
func (p *pacer) read(h chain.Heads, c Cursor, tail, leads bool) {
	p.last.cursor, p.last.more = c, leads && c.Scanned.Number < h.Final.Number
	if tail {
		p.last.latest = h.Latest.Number
	}
	if lag := max(h.Latest.Time.Sub(h.Final.Time), 1); p.lag == 0 || lag < p.lag {
		p.lag = lag
	} else {
		p.lag += (lag - p.lag) / 16 // or one wrong answer would have it asked about every second for good
	}
}

// nextRound returns when the next round is due.
func (p *pacer) nextRound(s AtRisk, pace Pace, now time.Time, well, refresh bool) time.Time {
	last, wait := p.last, pace.Round
	// No round can read up to the expiry before its block may be final.
	readable := s.ExpiresAt.Add(p.finalAfter())
	if !s.ExpiresAt.IsZero() && !now.Before(readable) && last.cursor.Scanned.Time.Before(s.ExpiresAt) {
		wait = min(wait, expiryRound*time.Duration(p.slow))
	}
	if s.OwnRule {
		wait = min(wait, ownRuleRound*time.Duration(p.slow))
	}
	if last.missed {
		wait = min(wait, pace.Second*time.Duration(p.slow))
	}
	if refresh {
		wait = min(wait, refreshRound*time.Duration(p.slow))
	}
	switch {
	case last.at.IsZero(), s.Moves != last.cursor.Moves && !last.failed:
		return last.at
	case last.failed:
		wait = failedRound
	case last.more:
		wait = PollEvery
	case !well && p.level() < Open && now.Sub(p.wellAt) > unwellFor:
		wait = min(wait, openRound)
	case !well: // short, because most problems are, and because payers cannot choose the network meanwhile
		wait = min(wait, unwellRound)
	}
	return last.at.Add(wait)
}

// secondRechecks reports whether the second reading waits for blocks to be finalized, and is the recheck of what was
// credited before at the same time: nothing was, nobody waits for money, and where ranges are narrow each reading costs
// much.
func (p *pacer) secondRechecks() bool { return !p.early && p.level() < Open }

// finalAfter is nine tenths of how long it has taken at least until a block was final: before so long has passed
// since a deposit's block, it is not asked whether the block is final, and since a payment's expiry, no round is made
// for its sake. Blocks have their times in whole seconds.
func (p *pacer) finalAfter() time.Duration { return max(p.lag*9/10-time.Second, 0) }
