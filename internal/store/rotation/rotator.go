package rotation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/table"
)

// pollEvery is how often a rotation looks whether the running programs have followed.
const pollEvery = 200 * time.Millisecond

// Rotator changes the key of a database.
type Rotator struct {
	db     db.Engine
	sealer *secret.Sealer // has both keys
	newKey []byte
	check  string // instance.key_check under the new key
	now    func() time.Time
	// Finished runs in the transaction that makes the new key the only one; may be nil.
	Finished func(context.Context, db.Tx, Report) error
	// Progress is called when the rotation has gone on; may be nil.
	Progress func(Progress)
}

// Progress is how far a rotation is.
type Progress struct {
	Waiting  int    // programs that do not have the new key, or do not seal with it yet
	Table    string // whose values are resealed now; empty before that
	Resealed int    // values
}

// Report is what a rotation did.
type Report struct {
	KeyID    string // of the new key
	Changed  bool   // the database had another key before
	Resealed int    // values
	// Unreadable names the values that neither key opens: they were damaged before, and stay as they are.
	Unreadable []string
}

// NewRotator returns the rotator to the new key. The sealer has the old key; it gets the new one.
func NewRotator(e db.Engine, s *secret.Sealer, newKey []byte, now func() time.Time) (*Rotator, error) {
	only, err := secret.NewSealer(newKey)
	if err != nil {
		return nil, err
	}
	if err := s.Add(newKey); err != nil {
		return nil, err
	}
	return &Rotator{db: e, sealer: s, newKey: newKey, check: Check(only), now: now}, nil
}

// Run changes the key, or goes on where another Run was interrupted. It returns once every value is sealed with the new
// key; until then it waits for the programs that run.
func (r *Rotator) Run(ctx context.Context) (Report, error) {
	report := Report{KeyID: secret.KeyIDOf(r.check)}
	var err error
	if report.Changed, err = r.begin(ctx); err != nil {
		return report, err
	}
	if report.Changed {
		for _, step := range []func(context.Context) (int, error){r.introduce, r.followed} {
			if err := r.await(ctx, step); err != nil {
				return report, err
			}
		}
	}
	r.sealer.Use(report.KeyID)
	if err := r.resealAll(ctx, &report); err != nil || !report.Changed {
		return report, err
	}
	return report, r.finish(ctx, report)
}

var (
	errNoOldKey = fault.New(fault.Invalid, "the database has another key than FLORIN_SECRET_KEY and "+
		"FLORIN_OLD_SECRET_KEY: set one of them to the key that it has now")
	errOther = fault.New(fault.Conflict, "the database is being sealed with another new key already: finish that "+
		"first, with `florin secret rotate` and that key")
)

// begin notes the new key, and reports whether there is anything to change: not if the database has it already.
func (r *Rotator) begin(ctx context.Context) (changes bool, err error) {
	err = r.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		s, err := lockState(ctx, t)
		if err != nil {
			return err
		}
		target := secret.KeyIDOf(r.check)
		changes = s.current() != target
		switch {
		case s.next() == target:
		case s.next() != "" && !s.SwitchedAt.IsZero():
			return fmt.Errorf("key %s: %w", s.next(), errOther)
		case !changes && s.next() == "":
			return nil
		}
		if _, err := r.sealer.Open(checkPlace, s.KeyCheck); err != nil {
			return fmt.Errorf("%w (%w)", errNoOldKey, err)
		}
		if s.next() == target {
			return s.apply(r.sealer)
		}
		// A rotation to another key that has not switched has sealed nothing: this one takes its place, or ends it.
		next := r.check
		if !changes {
			next = ""
		}
		_, err = t.NewRaw("UPDATE instance SET next_check = ?", next).Exec(ctx)
		if err == nil {
			_, err = t.NewRaw("UPDATE sealers SET offer = ''").Exec(ctx)
		}
		r.sealer.Use(s.current())
		return err
	})
	return changes, db.Wrap(err, "begin to change the key")
}

// await repeats a step until no program has to follow.
func (r *Rotator) await(ctx context.Context, step func(context.Context) (int, error)) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for last := -1; ; {
		waiting, err := step(ctx)
		if err != nil || waiting == 0 {
			return err
		}
		if waiting != last {
			r.report(Progress{Waiting: waiting})
		}
		last = waiting
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

func (r *Rotator) report(p Progress) {
	if r.Progress != nil {
		r.Progress(p)
	}
}

// running lists the programs that seal.
func (r *Rotator) running(ctx context.Context, t db.Tx) (rows []sealerRow, err error) {
	err = t.NewRaw("SELECT holder, hello, offer, knows, seals, seen_at FROM sealers WHERE seen_at > ?",
		r.now().Add(-aliveFor)).Scan(ctx, &rows)
	return rows, err
}

// introduce offers the new key to the programs that run, and switches to it once all have it. It returns how many have
// it not.
func (r *Rotator) introduce(ctx context.Context) (waiting int, err error) {
	err = r.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		waiting = 0
		s, err := lockState(ctx, t)
		if err != nil || !s.SwitchedAt.IsZero() {
			return err
		}
		rows, err := r.running(ctx, t)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if row.knowsKey(s.next()) {
				continue
			}
			waiting++
			if row.Offer != "" {
				continue
			}
			offer, err := makeOffer(r.sealer, r.newKey, row.Holder, row.Hello)
			if err != nil {
				return fmt.Errorf("offer the new key to the program %s: %w", row.Holder, err)
			}
			_, err = t.NewRaw("UPDATE sealers SET offer = ? WHERE holder = ?", offer, row.Holder).Exec(ctx)
			if err != nil {
				return err
			}
		}
		if waiting == 0 {
			_, err = t.NewRaw("UPDATE instance SET switched_at = ?", r.now()).Exec(ctx)
		}
		return err
	})
	return waiting, db.Wrap(err, "introduce the new key")
}

// followed returns how many of the programs that run do not seal with the new key yet.
func (r *Rotator) followed(ctx context.Context) (waiting int, err error) {
	err = r.db.Snapshot(ctx, func(ctx context.Context, t db.Tx) error {
		waiting = 0
		rows, err := r.running(ctx, t)
		for _, row := range rows {
			if row.Seals != secret.KeyIDOf(r.check) {
				waiting++
			}
		}
		return err
	})
	return waiting, db.Wrap(err, "wait for the programs that run")
}

// maxPasses bounds how often the values are read from the beginning. After the first time only values that changed
// meanwhile are left.
const maxPasses = 100

var errRestless = errors.New("values are still being sealed with the old key: a program runs that does not take part; " +
	"stop it and repeat the command")

// resealAll seals every value with the new key, until a whole reading finds none with another.
func (r *Rotator) resealAll(ctx context.Context, report *Report) error {
	for range maxPasses {
		before := report.Resealed
		report.Unreadable = nil
		for _, c := range table.Sealed {
			if err := r.reseal(ctx, c, report); err != nil {
				return db.Wrap(err, "reseal %s.%s", c.Table, c.Column)
			}
		}
		if report.Resealed == before {
			return nil
		}
	}
	return errRestless
}

// finish makes the new key the only one.
func (r *Rotator) finish(ctx context.Context, report Report) error {
	err := r.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		if _, err := t.NewRaw("UPDATE sealers SET offer = ''").Exec(ctx); err != nil {
			return err
		}
		_, err := t.NewRaw("DELETE FROM sealers WHERE seen_at <= ?", r.now().Add(-aliveFor)).Exec(ctx)
		if err != nil {
			return err
		}
		_, err = t.NewRaw("UPDATE instance SET key_check = ?, next_check = '', switched_at = NULL WHERE next_check <> ''",
			r.check).Exec(ctx)
		if err != nil || r.Finished == nil {
			return err
		}
		return r.Finished(ctx, t, report)
	})
	return db.Wrap(err, "make the new key the only one")
}
