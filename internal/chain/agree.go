package chain

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/florinpay/florin/internal/money"
)

// One endpoint may lie, lag, or have lost what it knew. The rule for every answer that credits or denies money, or ends
// a transaction, is therefore one: it is what a quorum of endpoints say, each of another voice (endpoint.URL.Voice).
// Endpoints are asked one after another until enough have given the same answer. Where they do not, nothing is
// concluded, and the question is asked again later.

// Quorum is how many voices must give the same answer: most of those that are configured, so that no minority decides.
func Quorum(configured int) int { return configured/2 + 1 }

// ask asks one endpoint after another until enough says that no further answer is needed. failed are the errors of
// those that did not answer.
func ask[E, A any](endpoints []E, answer func(E) (A, error), enough func([]A) bool) (answers []A, failed []error) {
	for _, e := range endpoints {
		a, err := answer(e)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if answers = append(answers, a); enough(answers) {
			break
		}
	}
	return answers, failed
}

// Agreed returns the answer that as many as needed gave.
func Agreed[A any](answers []A, needed int, same func(a, b A) bool) (agreed A, ok bool) {
	for _, a := range answers {
		votes := 0
		for _, b := range answers {
			if same(a, b) {
				votes++
			}
		}
		if votes >= needed {
			return a, true
		}
	}
	return agreed, false
}

// tally is what endpoints say of items.
type tally[A any] struct {
	said    []A     // what as many as needed say of each; the zero value where they do not
	open    []int   // the items of which they do not say the same
	answers [][]A   // of each endpoint, one for each item
	failed  []error // of those that did not answer
}

// tallied asks the endpoints about items until as many as needed say the same of each, the votes included that were
// given before.
func tallied[E, A any](
	endpoints []E, needed int, votes [][]A, same func(a, b A) bool, answer func(E) ([]A, error),
) (t tally[A]) {
	t.answers, t.failed = ask(endpoints, answer, func(answers [][]A) bool {
		all := slices.Concat(votes, answers)
		t.said, t.open = make([]A, len(all[0])), nil
		for i := range t.said {
			column := columnOf(all, i)
			var ok bool
			if t.said[i], ok = Agreed(column, needed, same); !ok {
				t.open = append(t.open, i)
			}
		}
		return len(t.open) == 0 && len(all) >= needed
	})
	return t
}

// columnOf returns what each answer says of one item.
func columnOf[A any](answers [][]A, item int) []A {
	column := make([]A, len(answers))
	for k, a := range answers {
		column[k] = a[item]
	}
	return column
}

// Agree asks the endpoints, which are those in use of the configured ones, until a quorum gave the same answer. It
// fails with ErrNoEndpoint where too few answer, and with ErrDisagree where they differ.
func Agree[E, A any](
	endpoints []E, configured int, same func(a, b A) bool, answer func(E) (A, error),
) (agreed A, err error) {
	needed := Quorum(configured)
	t := tallied(endpoints, needed, nil, same, func(e E) ([]A, error) {
		a, err := answer(e)
		return []A{a}, err
	})
	switch {
	case len(t.answers) < needed:
		return agreed, tooFew(len(t.answers), needed, t.failed)
	case len(t.open) > 0:
		return agreed, ErrDisagree
	}
	return t.said[0], nil
}

func tooFew(answers, needed int, failed []error) error {
	err := fmt.Errorf("%w: %d of %d answers", ErrNoEndpoint, answers, needed)
	if len(failed) > 0 {
		err = fmt.Errorf("%w: %w", err, errors.Join(failed...))
	}
	return err
}

// Judged concludes which of the transfers of one transaction stand, from a verdict on each by every endpoint.
// reported: a source that is not among the endpoints reports them, which is one vote for them; with a single endpoint
// configured, it is asked like any other. Stands and Missing are what a quorum says; short of that, the verdict
// is Undecided. An endpoint that is Undecided has no vote. It fails with ErrNoEndpoint where no endpoint answers.
func Judged[E any](
	endpoints []E, configured int, transfers []Transfer, reported bool, judge func(E) ([]Verdict, error),
) ([]Verdict, error) {
	var votes [][]Verdict
	if reported && configured > 1 {
		votes = append(votes, slices.Repeat([]Verdict{Stands}, len(transfers)))
	}
	needed := Quorum(configured)
	same := func(a, b Verdict) bool { return a == b && a != Undecided }
	t := tallied(endpoints, needed, votes, same, judge)
	if len(t.answers) == 0 {
		return nil, tooFew(len(votes), needed, t.failed)
	}
	return t.said, nil
}

// Each returns the verdict on each transfer of a transaction: of one that stands, those that it lacks are missing.
func (v Verdict) Each(transfers []Transfer, has func(Transfer) bool) []Verdict {
	verdicts := slices.Repeat([]Verdict{v}, len(transfers))
	for i, t := range transfers {
		if v == Stands && !has(t) {
			verdicts[i] = Missing
		}
	}
	return verdicts
}

// Unproven returns verdicts of which nothing is missing: it may be there.
func Unproven(verdicts []Verdict) []Verdict {
	for i, v := range verdicts {
		if v == Missing {
			verdicts[i] = Undecided
		}
	}
	return verdicts
}

// JudgeAll is Judge, with one verdict on all the transfers: the worst.
func JudgeAll(ctx context.Context, r interface {
	Judge(ctx context.Context, transfers []Transfer, at Head) ([]Verdict, error)
}, transfers []Transfer, at Head,
) (Verdict, error) {
	verdicts, err := r.Judge(ctx, transfers, at)
	switch {
	case err != nil:
		return Undecided, fmt.Errorf("judge transfers: %w", err)
	case slices.Contains(verdicts, Undecided):
		return Undecided, ctx.Err()
	case slices.Contains(verdicts, Missing):
		return Missing, nil
	}
	return Stands, nil
}

// Balances are what one endpoint says that addresses hold.
type Balances struct {
	Held   []money.Units // one for each address
	Unread map[int]error // why the endpoint fails for one of them alone, by its place
}

// Held concludes what addresses hold: for each, what a quorum of the answers say, and the largest where they differ,
// which agreed reports: an address holds nothing only if a quorum says so. It fails with ErrNoEndpoint where too few
// answer, beside what these say if they can read all of the addresses, and with an *UnreadError where too few can read
// some.
func Held[E any](
	endpoints []E, configured int, addresses []Address, balances func(E) (Balances, error),
) (held []money.Units, agreed bool, err error) {
	type answer struct {
		units  money.Units
		unread error
	}
	needed := Quorum(configured)
	same := func(a, b answer) bool { return a.unread == nil && b.unread == nil && a.units.Cmp(b.units) == 0 }
	t := tallied(endpoints, needed, nil, same, func(e E) ([]answer, error) {
		b, err := balances(e)
		list := make([]answer, len(b.Held))
		for i, units := range b.Held {
			list[i] = answer{units, b.Unread[i]}
		}
		return list, err
	})
	if len(t.answers) == 0 {
		return nil, false, tooFew(0, needed, t.failed)
	}
	var unread *UnreadError
	unheard := false // by any
	for _, i := range t.open {
		read, why := 0, error(nil)
		for _, a := range columnOf(t.answers, i) {
			if a.unread != nil {
				why = a.unread
				continue
			}
			read++
			t.said[i].units = slices.MaxFunc([]money.Units{t.said[i].units, a.units}, money.Units.Cmp)
		}
		unheard = unheard || read == 0
		if read < needed && why != nil {
			one := &UnreadError{Addresses: []Address{addresses[i]}, Reason: why.Error()}
			if read > 0 {
				one.Heard = one.Addresses
			}
			unread = unread.With(one)
		}
	}
	held = make([]money.Units, len(addresses))
	for i, a := range t.said {
		held[i] = a.units
	}
	switch {
	case len(t.answers) < needed && unheard:
		return nil, false, tooFew(len(t.answers), needed, t.failed)
	case len(t.answers) < needed:
		return held, false, tooFew(len(t.answers), needed, t.failed)
	case unread != nil:
		return held, false, unread
	}
	return held, len(t.open) == 0, nil
}
