package merchant

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
)

const (
	// applyEvery is how often due changes are looked for; they waited a day.
	applyEvery = 30 * time.Second
	// applyLease is how long an instance that crashed keeps others from the loop.
	applyLease = 2 * time.Minute
	applyBatch = 50
	applyName  = "waiting changes"
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
	notify  func(ctx context.Context, merchant int64, subject, text string)
	log     *slog.Logger
}

// NewApplier returns the loop. notify mails the owners of a merchant; nil mails none.
func NewApplier(
	s *Service, lease Lease, holder string,
	notify func(ctx context.Context, merchant int64, subject, text string), log *slog.Logger,
) *Applier {
	if notify == nil {
		notify = func(context.Context, int64, string, string) {}
	}
	return &Applier{service: s, lease: lease, holder: holder, notify: notify, log: log}
}

// Run makes what is due until ctx ends.
func (a *Applier) Run(ctx context.Context) error {
	tick := time.NewTicker(applyEvery)
	defer tick.Stop()
	for {
		if err := a.RunOnce(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("changes of where money goes are due and could not be made", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// RunOnce makes what is due now. A change that cannot be made is ended and reported
// to the owners; it holds no other.
func (a *Applier) RunOnce(ctx context.Context) error {
	now := a.service.now().UTC()
	due, unread := a.service.store.DueWaiting(ctx, now, applyBatch)
	if len(due) == 0 {
		return unread
	}
	if mine, err := a.lease(ctx, applyName, a.holder, now, now.Add(applyLease)); err != nil || !mine {
		return err
	}
	failed := []error{unread}
	for _, w := range due {
		failed = append(failed, a.one(ctx, w))
	}
	return errors.Join(failed...)
}

func (a *Applier) one(ctx context.Context, w Waiting) error {
	key, err := a.service.keyOf(ctx, w)
	if err == nil {
		err = a.service.apply(ctx, w, key)
	}
	switch {
	case err == nil:
		a.notify(ctx, w.MerchantID, "A change of "+w.Kind.What()+" was made",
			"The 24 hours are over. "+w.By+" changed in Florin:\n\n"+strings.Join(w.Changes, "\n"))
		return nil
	case errors.Is(err, ErrNoChange): // stopped, or made by another instance
		return nil
	case fault.Of(err) == nil || fault.Is(err, fault.Internal) || errors.Is(err, fault.ErrStorage):
		return err // tried again in the next round
	}
	now, why := a.service.now().UTC(), fault.Of(err).Message
	entry := audit.Entry{
		UserID: w.MerchantID, At: now, Actor: w.By, Action: audit.ActionChangeFailed, Subject: string(w.Kind),
		Detail: strings.Join(w.Changes, ", ") + ": " + why,
	}
	err = a.service.store.FailWaiting(ctx, w.ID, now, entry)
	if errors.Is(err, ErrNoChange) {
		return nil
	}
	if err != nil {
		return err
	}
	a.notify(ctx, w.MerchantID, "A change of "+w.Kind.What()+" was not made",
		"This could not be made after 24 hours: "+why+".\n\n"+strings.Join(w.Changes, "\n"))
	return nil
}

// keyOf returns the key of a change if it is still in use, or ErrUnknownKey.
func (s *Service) keyOf(ctx context.Context, w Waiting) (Key, error) {
	if w.KeyID == 0 {
		return Key{}, nil
	}
	keys, err := s.store.KeysOfUser(ctx, w.MerchantID)
	if err != nil {
		return Key{}, err
	}
	for _, k := range keys {
		if k.ID == w.KeyID {
			return k, nil
		}
	}
	return Key{}, ErrUnknownKey
}
