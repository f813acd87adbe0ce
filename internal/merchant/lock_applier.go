package merchant

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
)

const (
	// ApplyEvery is how often due changes are to be looked for; they waited a day.
	ApplyEvery = 30 * time.Second
	// applyLease is how long an instance that crashed keeps others from the loop.
	applyLease = 2 * time.Minute
	// applyBatch is how many changes are read at once, and applyBatches how many times in a round.
	applyBatch   = 50
	applyBatches = 20
	applyName    = "waiting changes"
	// firstApplyPause is after how long a change that could not be made is tried again. It doubles up to
	// lastApplyPause.
	firstApplyPause = time.Minute
	lastApplyPause  = time.Hour
)

// Lease is the right of one instance to run a loop.
type Lease func(ctx context.Context, name, holder string, now, until time.Time) (bool, error)

// Applier is the loop that makes the changes that waited for LockDelay. The lease
// makes it cheap on several instances; each change is made in one transaction that
// finds it waiting, and so once.
type Applier struct {
	service *Service
	lease   Lease
	holder  string
	log     *slog.Logger
}

// NewApplier returns the loop.
func NewApplier(s *Service, lease Lease, holder string, log *slog.Logger) *Applier {
	return &Applier{service: s, lease: lease, holder: holder, log: log}
}

// RunOnce makes what is due now, batch by batch. A change that is refused is ended and reported to the owners. One that
// fails is tried again after a pause, so that however many fail, they hold up no other.
func (a *Applier) RunOnce(ctx context.Context) error {
	var failed []error
	for range applyBatches {
		now := a.service.now().UTC()
		due, err := a.service.store.DueWaiting(ctx, now, applyBatch)
		if err != nil || len(due) == 0 {
			return errors.Join(append(failed, err)...)
		}
		if mine, err := a.lease(ctx, applyName, a.holder, now, now.Add(applyLease)); err != nil || !mine {
			return errors.Join(append(failed, err)...)
		}
		for _, w := range due {
			err := a.one(ctx, w)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err == nil {
				continue
			}
			failed = append(failed, fmt.Errorf("change %s of %s: %w", w.ID, w.By, err))
			err = a.service.update(ctx, w.MerchantID, func(x Account) (Change, error) {
				return x.Postpone(w.ID, now.Add(applyPause(w.Attempts))), nil
			})
			if err != nil {
				return errors.Join(append(failed, err)...)
			}
		}
		if len(due) < applyBatch {
			break
		}
	}
	return errors.Join(failed...)
}

// applyPause is the pause after so many attempts and one more.
func applyPause(attempts int) time.Duration {
	return min(firstApplyPause<<min(attempts, 16), lastApplyPause) //nolint:mnd // far beyond lastApplyPause
}

// one makes a change, or ends one that is refused. It fails if the change is to be tried again.
func (a *Applier) one(ctx context.Context, w Waiting) error {
	if w.Unread != nil {
		return w.Unread
	}
	err := a.service.apply(ctx, w)
	switch {
	case err == nil, errors.Is(err, ErrNoChange): // made; or stopped, or made by another instance
		return nil
	case fault.Of(err) == nil || fault.Is(err, fault.Internal) || fault.Is(err, fault.Unavailable):
		return err
	}
	why, _ := fault.Of(err).Sentence()
	return a.refuse(ctx, w, mail.Refusal(why))
}

// refuse ends a change that cannot be made, and mails the owners why.
func (a *Applier) refuse(ctx context.Context, w Waiting, why mail.Words) error {
	now := a.service.now().UTC()
	r := audit.Act{Who: w.By, At: now}.Record(
		w.MerchantID, audit.ActionChangeFailed, mail.Words{Text: w.Kind.What()}.Kept(),
		strings.Join(w.Changes, "\n")+"\n"+why.Kept(),
		a.service.opts.Mail.Owners(now, w.MerchantID,
			mail.T("A change was not made: {{.What}}", "What", mail.English(w.Kind.What())),
			mail.T("This could not be made after 24 hours. {{.Why}}", "Why", why), mail.Words{}.Then(w.Changes...))...)
	err := a.service.update(ctx, w.MerchantID, func(x Account) (Change, error) {
		return x.EndWaiting(w.ID, StateFailed, now, r)
	})
	if errors.Is(err, ErrNoChange) {
		return nil
	}
	return err
}
