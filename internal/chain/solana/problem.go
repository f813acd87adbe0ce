package solana

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// problem is an account that an endpoint fails for. One account, or one transaction, must not hold up a network: it is
// set aside when every endpoint has failed for it, and tried again in later scans.
type problem struct {
	since  time.Time // of the first failure; zero: none
	tries  int       // scans that set it aside
	next   time.Time // it is not tried before
	slow   bool      // it took too long, and is not asked for together with others
	reason string
}

// failures holds when an endpoint last failed for an account. All scans share it: each knows of the accounts what its
// own endpoint says, and passes on only what another one can still answer.
type failures struct {
	mu     sync.Mutex
	at     map[failure]time.Time
	pruned time.Time
}

type failure struct {
	e   *endpoint
	key solanago.PublicKey
}

func (f *failures) record(e *endpoint, key solanago.PublicKey, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at == nil {
		f.at = make(map[failure]time.Time)
	}
	if now.Sub(f.pruned) > problemAge { // rarely: anyone can make accounts
		f.pruned = now
		maps.DeleteFunc(f.at, func(_ failure, at time.Time) bool { return now.Sub(at) > problemAge })
	}
	f.at[failure{e, key}] = now
}

// recent reports whether the endpoint failed for the account not long ago.
func (f *failures) recent(e *endpoint, key solanago.PublicKey, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	at, failed := f.at[failure{e, key}]
	return failed && now.Sub(at) <= problemAge
}

func (f *failures) forget(e *endpoint, key solanago.PublicKey) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.at, failure{e, key})
}

const (
	// problemGrace is how long a scan fails because of an account before it is set aside: indexes are some moments
	// behind the accounts.
	problemGrace = 3 * time.Second
	// graceEvery is how often there is such a grace, for all accounts together: anyone can make accounts.
	graceEvery = 5 * time.Minute
	// problemAge is how long the failure of an endpoint counts.
	problemAge = time.Minute
	// problemLimit bounds a reading of an account that failed before: a node may take long to fail.
	problemLimit = 5 * time.Second
	// quickTries is in how many scans an account is tried again at once, and mostRest the longest pause between
	// later ones.
	quickTries = 3
	mostRest   = 30 * time.Second
)

// ofOne reports whether an error may concern a single account or transaction.
func ofOne(err error) bool {
	_, limited := errors.AsType[rpc.RateLimited](err)
	return !limited && !errors.Is(err, chain.ErrReorged)
}

// tookTooLong reports whether an endpoint that was asked did not answer in time.
func tookTooLong(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, rpc.ErrBusy)
}

// failsFor records that the endpoint failed for the account. It returns nil if the account was set aside, so that the
// scan can go on without it, and an error if another endpoint, or this one in a moment, may succeed.
func (s *search) failsFor(ctx context.Context, acc *account, err error) error {
	if gaveUp(ctx) || !ofOne(err) {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	waits := acc.walk != nil && errors.Is(err, errUnexplained) // until the index has settled
	alone := len(s.others()) == 0
	slow := tookTooLong(err) // then there was patience enough
	acc.problem.slow = acc.problem.slow || slow
	if s.mayPass(acc.key, &acc.problem, !slow && (!waits || !alone)) {
		return rpc.NotTheNodes(err)
	}
	if !waits {
		if acc.problem.rest(s.adapter.pool.now()); acc.problem.tries >= quickTries {
			acc.walk = nil // a fork may have removed what it waits for
		}
	}
	s.setAside(acc, err.Error())
	return nil
}

// mayPass records that the endpoint failed for the account, and reports whether another endpoint, or with patience this
// one in a moment, may succeed.
func (s *search) mayPass(key solanago.PublicKey, t *problem, patience bool) bool {
	now, failures := s.adapter.pool.now(), &s.adapter.failures
	if t.since.IsZero() {
		t.since = now
	}
	failures.record(s.e, key, now)
	if slices.ContainsFunc(s.others(), func(e *endpoint) bool { return !failures.recent(e, key, now) }) {
		return true
	}
	return patience && now.Sub(t.since) < problemGrace && s.watched.grace(now)
}

// others lists the other endpoints that this scan may go through.
func (s *search) others() []*endpoint {
	return slices.DeleteFunc(slices.Clone(s.endpoints), func(e *endpoint) bool { return e == s.e })
}

// rest sets when the account is tried again: at once at first, then ever later.
func (t *problem) rest(now time.Time) {
	t.tries++
	if late := t.tries - quickTries; late > 0 {
		t.next = now.Add(min(time.Second<<min(late, 10), mostRest))
	}
}

// grace reports whether scans may fail now because of single accounts.
func (m *watchedAccounts) grace(now time.Time) bool {
	if m.held.IsZero() || now.Sub(m.held) >= graceEvery {
		m.held = now
	}
	return now.Sub(m.held) < problemGrace
}

// setAside leaves the account's owner out of the scan's answer.
func (s *search) setAside(acc *account, reason string) {
	acc.problem.reason = reason
	if s.unread == nil {
		s.unread = &chain.UnreadError{Reason: reason}
	}
	if !slices.Contains(s.unread.Addresses, acc.address) {
		s.unread.Addresses = append(s.unread.Addresses, acc.address)
	}
	s.left[acc.address] = true
}

// inTurn returns the accounts that are to be read now; those that rest are set aside. It records that the endpoint
// tries those that others failed for.
func (s *search) inTurn(accounts []*account) []*account {
	now := s.adapter.pool.now()
	for _, acc := range accounts {
		if now.Before(acc.problem.next) {
			s.setAside(acc, acc.problem.reason)
		} else if !acc.problem.since.IsZero() {
			s.adapter.failures.record(s.e, acc.key, now)
		}
	}
	return s.notLeft(accounts)
}

// notLeft returns the accounts that are not set aside.
// briefly bounds a reading of what failed before: of a node that is slow for all transactions, it has their time.
func (e *endpoint) briefly(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, max(problemLimit, e.Limit("getTransaction")))
}

func (s *search) notLeft(accounts []*account) []*account {
	if len(s.left) == 0 {
		return accounts
	}
	return slices.DeleteFunc(slices.Clone(accounts), func(acc *account) bool { return s.left[acc.address] })
}

// apart calls f for the items, where the quick ones do not wait for those that were slow before, each of which is asked
// for alone and for a short time only. one handles an item for which the endpoint fails.
func apart[T any](
	ctx context.Context, s *search, items []T, size int, slow func(T) bool,
	f func(context.Context, []T) error, one func(T, error) error,
) error {
	quick := slices.DeleteFunc(slices.Clone(items), slow)
	err := rpc.Each(ctx, quick, size, func(ctx context.Context, part []T, _ int) error {
		return rpc.Isolated(ctx, &s.single, part, f, one)
	})
	if err != nil || len(quick) == len(items) {
		return err
	}
	short, cancel := s.e.briefly(ctx)
	defer cancel()
	late := slices.DeleteFunc(slices.Clone(items), func(x T) bool { return !slow(x) })
	return rpc.Each(ctx, late, 1, func(_ context.Context, alone []T, _ int) error {
		if err := f(short, alone); err != nil {
			return one(alone[0], err)
		}
		return nil
	})
}

// isLeft reports whether the account is set aside.
func (s *search) isLeft(acc *account) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left[acc.address]
}

// wellAgain forgets the problem of accounts that were read.
func (s *search) wellAgain(accounts []*account) {
	for _, acc := range accounts {
		if !s.left[acc.address] && !acc.problem.since.IsZero() {
			acc.problem = problem{}
			s.adapter.failures.forget(s.e, acc.key)
		}
	}
}
