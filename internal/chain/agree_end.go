package chain

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// Support is what an endpoint that does not know a transaction says about its inclusion, asked about the block.
type Support int

// The kinds of support.
const (
	Unsure  Support = iota // it cannot tell
	Backs                  // its block holds the transaction, with the same effect
	Refutes                // its block does not
)

// Tracking is how endpoints are asked what became of a transaction. R is the report of one endpoint.
type Tracking[E, R any] struct {
	Read   func(E) (R, error)
	Status func(R) TxStatus
	// Same reports whether two reports of one status agree: on the block and the effect, where they name any.
	Same func(a, b R) bool
	// Support asks an endpoint whose report is TxDropped about a report that a block holds the transaction: it may have
	// lost its index of transactions, and still have the block.
	Support func(dropped, included R) Support
}

// Track asks one endpoint after another what became of a transaction, until a quorum give the same report. TxDropped
// also needs that all endpoints in use are asked, and that a quorum refute each report of a block that holds the
// transaction. Where there is no quorum, ended is false, and the report is the best known one: of TxFinal and
// TxReverted it is only known that a block holds the transaction, and of TxDropped nothing.
func (t Tracking[E, R]) Track(endpoints []E, configured int) (report R, ended bool, err error) {
	needed := Quorum(configured)
	decided := -1
	reports, failed := ask(endpoints, t.Read, func(reports []R) bool {
		decided = t.known(reports, needed)
		return decided >= 0
	})
	if decided < 0 {
		decided = t.dropped(reports, needed)
	}
	switch {
	case decided >= 0:
		return reports[decided], t.Status(reports[decided]).Ended(), nil
	case len(reports) == 0:
		return report, false, tooFew(0, 1, failed)
	}
	return slices.MaxFunc(reports, func(a, b R) int { return weight(t.Status(a)) - weight(t.Status(b)) }), false, nil
}

// weight orders reports that no quorum agrees on: what is known to be in a block comes first.
func weight(s TxStatus) int {
	switch s {
	case TxUnknown, TxDropped:
		return 0
	case TxPending:
		return 1
	case TxIncluded, TxFinal, TxReverted:
	}
	return 2
}

// known returns the index of a report that a quorum give while further endpoints may be asked, or -1. TxDropped is
// none: those that were not asked may have the transaction.
func (t Tracking[E, R]) known(reports []R, needed int) int {
	return slices.IndexFunc(reports, func(r R) bool {
		if t.Status(r) == TxDropped {
			return false
		}
		backing, _ := t.votes(reports, r)
		return backing >= needed
	})
}

// dropped returns the index of a report of TxDropped if a quorum agree on it and refute every report of a block that
// holds the transaction, or -1. An endpoint that still waits for the transaction is outvoted.
func (t Tracking[E, R]) dropped(reports []R, needed int) int {
	first, dropped := -1, 0
	for i, r := range reports {
		switch t.Status(r) {
		case TxDropped:
			first = i
			dropped++
		case TxIncluded, TxFinal, TxReverted:
			if _, refuting := t.votes(reports, r); refuting < needed {
				return -1
			}
		case TxUnknown, TxPending:
		}
	}
	if dropped < needed {
		return -1
	}
	return first
}

// votes counts the reports that back a report, which is none of TxDropped, and those that refute the block that it
// names.
func (t Tracking[E, R]) votes(reports []R, of R) (backing, refuting int) {
	status := t.Status(of)
	for _, r := range reports {
		switch s := t.Status(r); {
		case s == status && t.Same(r, of):
			backing++
		case s == TxDropped && status != TxUnknown && status != TxPending:
			switch t.Support(r, of) {
			case Backs:
				backing++
			case Refutes:
				refuting++
			case Unsure:
			}
		}
	}
	return backing, refuting
}

// Downgraded is what is known of a status that no quorum agrees on.
func Downgraded(s TxStatus) TxStatus {
	switch s {
	case TxFinal, TxReverted:
		return TxIncluded
	case TxDropped:
		return TxUnknown
	case TxUnknown, TxPending, TxIncluded:
	}
	return s
}

// AllEvery is how often every endpoint is asked for its heads while the first two do not agree on a newer final block.
const AllEvery = 5 * time.Second

// FinalViews finds the newest final block that a quorum of endpoints has reached. Its zero value is ready for use, and
// it is safe for concurrent use.
type FinalViews struct {
	mu      sync.Mutex
	nextAll time.Time
	apart   Difference
	since   time.Time // when the two were first found to differ
	until   time.Time // when they last were
}

// Difference is that the chains of two endpoints have different blocks of one number.
type Difference struct {
	Endpoint, Other string
	Block           uint64
}

// differsFor is how long two endpoints must differ before one is called wrong: near the newest block all do at times.
const differsFor = 10 * time.Second

// Differ records what keeps enough of the endpoints from agreeing at a comparison; the zero Difference if nothing does.
func (f *FinalViews) Differ(d Difference, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if d.Endpoint != f.apart.Endpoint || d.Other != f.apart.Other {
		f.apart, f.since = d, now
	}
	f.until = now
}

// Mark names the endpoint that has differed from another one for long. Nobody knows which of the two is wrong.
func (f *FinalViews) Mark(all []EndpointHealth) []EndpointHealth {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := range all {
		if e := &all[i]; e.Healthy && e.Name == f.apart.Endpoint && f.until.Sub(f.since) >= differsFor {
			e.Healthy, e.Reason = false, fmt.Sprintf("shows another block %d than %s", f.apart.Block, f.apart.Other)
		}
	}
	return all
}

// Reached is which endpoints have reached a block, by the block.
type Reached[B, E comparable] map[B][]E

// Add records that the endpoints have reached the block, and returns how many have.
func (r Reached[B, E]) Add(block B, endpoints ...E) int {
	for _, e := range endpoints {
		if !slices.Contains(r[block], e) {
			r[block] = append(r[block], e)
		}
	}
	return len(r[block])
}

// Compare reads the views of further endpoints and compares each with those before it, first included. It stops at a
// quorum once newer says that they agree on more than was known. Where they do not, it asks all endpoints, every
// AllEvery: those of the quorum may stand still.
func Compare[E, V any](
	f *FinalViews, now time.Time, needed int,
	first V, others []E, read func(E) (V, bool), compare func(a, b V), newer func() bool,
) {
	views := []V{first}
	for _, e := range others {
		if len(views) >= needed && (newer() || len(views) == needed && !f.due(now)) {
			return
		}
		v, ok := read(e)
		if !ok {
			continue
		}
		for _, o := range views {
			compare(o, v)
		}
		views = append(views, v)
	}
}

// due reports whether it is time to ask all endpoints.
func (f *FinalViews) due(now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Before(f.nextAll) {
		return false
	}
	f.nextAll = now.Add(AllEvery)
	return true
}
