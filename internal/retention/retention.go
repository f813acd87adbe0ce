// Package retention decides what is dropped because it is older than its operator keeps it.
//
// Its one invariant: what is not finished is never dropped, however old it is. What is finished is for the store to
// know (store); this package says what is kept for how long, and drops little by little.
package retention

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/idempotency"
)

// Part is something that is kept for a limited time.
type Part string

// The parts, in the order they are dropped: attempts belong to deliveries, and deliveries to events.
const (
	Attempts    Part = "webhook attempts"
	Deliveries  Part = "webhook deliveries"
	Events      Part = "events"
	Audit       Part = "audit entries"
	Sessions    Part = "sessions"
	Idempotency Part = "idempotency records"
)

// Policy is how long each part is kept; 0: for ever.
type Policy struct {
	Attempts, Deliveries, Events, Audit, Sessions, Idempotency time.Duration
}

// DefaultPolicy is how long each part is kept; the operator may say otherwise of events and audit entries. A webhook
// that arrived is of no use after three months; what one try said, or a session that is over, after one.
func DefaultPolicy() Policy {
	const day = 24 * time.Hour
	return Policy{
		Attempts: 30 * day, Deliveries: 90 * day, Events: 365 * day, Audit: 730 * day, Sessions: 30 * day,
		Idempotency: idempotency.KeepFor,
	}
}

// rules lists the parts in order.
func (p Policy) rules() []rule {
	return []rule{
		{Attempts, p.Attempts},
		{Deliveries, p.Deliveries},
		{Events, p.Events},
		{Audit, p.Audit},
		{Sessions, p.Sessions},
		{Idempotency, p.Idempotency},
	}
}

type rule struct {
	part Part
	keep time.Duration
}

// Batch is what one transaction did.
type Batch struct {
	// Dropped is how many rows of the part it dropped. For events it counts payments.
	Dropped int64
	// Through is where the next batch goes on.
	Through int64
	// Done: nothing further on is old enough.
	Done bool
}

// Drop drops one batch of what is finished and older than the time, after a place in the part.
type Drop func(ctx context.Context, part Part, before time.Time, after int64) (Batch, error)

// Run drops everything that the policy does not keep at now, batch by batch, and returns how much of each part. Between
// batches it waits as long as wait returns for the time the batch took, so that everything else has the database. A
// part that fails does not hold up the others.
func Run(
	ctx context.Context, drop Drop, p Policy, now func() time.Time, wait func(context.Context, time.Duration) error,
) (map[Part]int64, error) {
	begun := now()
	dropped := make(map[Part]int64)
	var failed []error
	for _, r := range p.rules() {
		if r.keep <= 0 || ctx.Err() != nil {
			continue
		}
		for at := (Batch{}); !at.Done; {
			began := now()
			next, err := drop(ctx, r.part, begun.Add(-r.keep), at.Through)
			if err == nil {
				if next.Dropped > 0 {
					dropped[r.part] += next.Dropped
				}
				at, err = next, wait(ctx, now().Sub(began))
			}
			if err != nil {
				failed = append(failed, fmt.Errorf("drop %s: %w", r.part, err))
				break
			}
		}
	}
	return dropped, errors.Join(failed...)
}

// share is how many times as long as a batch took the next one waits: the database is left alone nine tenths of the
// time.
const share = 9

// Pause waits between batches, or until ctx ends.
func Pause(ctx context.Context, took time.Duration) error {
	t := time.NewTimer(share * took)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
