package chain

import (
	"cmp"
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

// Agree asks the endpoints, which are those in use of the configured ones, until a quorum gave the same answer. It
// fails with ErrNoEndpoint where too few answer, and with ErrDisagree where they differ.
func Agree[E, A any](endpoints []E, configured int, same func(a, b A) bool, answer func(E) (A, error)) (A, error) {
	needed := Quorum(configured)
	answers, failed := ask(endpoints, answer, func(answers []A) bool {
		_, ok := Agreed(answers, needed, same)
		return ok
	})
	agreed, ok := Agreed(answers, needed, same)
	switch {
	case ok:
		return agreed, nil
	case len(answers) < needed:
		return agreed, tooFew(len(answers), needed, failed)
	}
	return agreed, ErrDisagree
}

func tooFew(answers, needed int, failed []error) error {
	err := fmt.Errorf("%w: %d of %d answers", ErrNoEndpoint, answers, needed)
	if len(failed) > 0 {
		err = fmt.Errorf("%w: %w", err, errors.Join(failed...))
	}
	return err
}

// Present concludes whether a transfer stands that its source reports. others are the endpoints in use apart from the
// source; with a single one configured, it is that one. Missing needs two that deny it, or that every configured one
// has answered and none agrees with the source. An Undecided endpoint has no opinion.
func Present[E any](others []E, configured int, judge func(E) (Verdict, error)) (Verdict, error) {
	said := []Verdict{Stands}
	if configured == 1 {
		said = nil
	}
	needed := Quorum(configured)
	undecided := false
	answers, failed := ask(others, decisive(judge, &undecided), func(answers []Verdict) bool {
		_, ok := Agreed(slices.Concat(said, answers), needed, sameVerdict)
		return ok
	})
	verdict, ok := Agreed(slices.Concat(said, answers), needed, sameVerdict)
	switch {
	case ok:
		return verdict, nil
	case len(said)+len(answers) >= configured && !slices.Contains(answers, Stands):
		return Missing, nil
	case undecided, len(answers) > 0:
		return Undecided, nil
	}
	return Undecided, tooFew(len(said), needed, failed)
}

// Absent concludes whether a recorded transfer is on the chain no more. It is Stands while one endpoint has it and no
// quorum denies it. An endpoint that fails has no opinion.
func Absent[E any](endpoints []E, configured int, judge func(E) (Verdict, error)) Verdict {
	needed, undecided := Quorum(configured), false
	answers, _ := ask(endpoints, decisive(judge, &undecided), func(answers []Verdict) bool {
		_, ok := Agreed(answers, needed, sameVerdict)
		return ok
	})
	if verdict, ok := Agreed(answers, needed, sameVerdict); ok {
		return verdict
	}
	if slices.Contains(answers, Stands) {
		return Stands
	}
	return Undecided
}

func sameVerdict(a, b Verdict) bool { return a == b }

var errUndecided = errors.New("undecided")

// decisive is judge, with an error in place of Undecided.
func decisive[E any](judge func(E) (Verdict, error), undecided *bool) func(E) (Verdict, error) {
	return func(e E) (Verdict, error) {
		v, err := judge(e)
		if err == nil && v == Undecided {
			*undecided = true
			err = errUndecided
		}
		return v, err
	}
}

// Held concludes what addresses hold: for each, what a quorum of the answers say, and the largest where they differ,
// which agreed reports: an address holds nothing only if a quorum says so. It fails with ErrNoEndpoint where too few
// answer.
func Held[E any](
	endpoints []E, configured int, balances func(E) ([]money.Units, error),
) (held []money.Units, agreed bool, err error) {
	needed := Quorum(configured)
	answers, failed := ask(endpoints, balances, func(answers [][]money.Units) bool {
		held, agreed = agreedHeld(answers, needed)
		return agreed
	})
	if len(answers) < needed {
		return nil, false, tooFew(len(answers), needed, failed)
	}
	return held, agreed, nil
}

// agreedHeld decides entry by entry; agreed is false if there is no quorum for any of them.
func agreedHeld(answers [][]money.Units, needed int) (held []money.Units, agreed bool) {
	agreed = len(answers) >= needed
	for i := range answers[0] {
		column := make([]money.Units, len(answers))
		for k, a := range answers {
			column[k] = a[i]
		}
		units, ok := Agreed(column, needed, func(a, b money.Units) bool { return a.Cmp(b) == 0 })
		if !ok {
			agreed = false
			units = slices.MaxFunc(column, money.Units.Cmp)
		}
		held = append(held, units)
	}
	return held, agreed
}

// SearchAll scans through every one of the endpoints and returns what any of them reports, each transfer once, by
// block: each is confirmed before it counts. That there are none needs a quorum: one endpoint alone may leave transfers
// out.
func SearchAll[E any](endpoints []E, configured int, scan func(E) ([]Transfer, error)) ([]Transfer, error) {
	answers, failed := ask(endpoints, scan, func([][]Transfer) bool { return false })
	var all []Transfer
	known := make(map[TransferID]bool)
	for _, t := range slices.Concat(answers...) {
		if !known[t.ID()] {
			known[t.ID()] = true
			all = append(all, t)
		}
	}
	if needed := Quorum(configured); len(answers) < needed && len(all) == 0 {
		return nil, tooFew(len(answers), needed, failed)
	}
	slices.SortStableFunc(all, func(a, b Transfer) int { return cmp.Compare(a.Block.Number, b.Block.Number) })
	return all, nil
}
