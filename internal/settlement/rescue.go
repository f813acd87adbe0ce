package settlement

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

// rescuePoll is how often Rescue tries to plan its sweep, and how often it drives
// it.
const rescuePoll = 500 * time.Millisecond

// Rescue sweeps the items, whatever the policy says, and returns when the sweep
// has ended. While another sweep in flight has one of their addresses it waits, and
// drives that one if no other instance does. Once its sweep is stored, a running
// instance completes it even if ctx ends.
func (s *Sweeper) Rescue(ctx context.Context, list []chain.SweepItem) (Sweep, error) {
	defer s.Release(ctx)
	now := s.now()
	w := Sweep{ID: s.newID(now), Network: s.sender.Network(), State: Planned, CreatedAt: now}
	for _, i := range list {
		i.Rescue = true
		w.Items = append(w.Items, i)
	}
	for {
		err := s.store.PlanSweep(ctx, w)
		if err == nil {
			break
		}
		if !errors.Is(err, ErrBusy) {
			return Sweep{}, err
		}
		last := s.driveCurrent(ctx)
		s.reportWait(ctx, w, last)
		if chain.Sleep(ctx, rescuePoll) != nil {
			return Sweep{}, errors.Join(ErrBusy, last)
		}
	}
	for {
		last := s.driveCurrent(ctx)
		done, err := s.store.Sweep(ctx, w.ID)
		if err != nil {
			return Sweep{}, err
		}
		if !done.State.InFlight() {
			return done, nil
		}
		if chain.Sleep(ctx, rescuePoll) != nil {
			return done, fmt.Errorf("sweep %s goes on by itself: %w", w.ID, errors.Join(ctx.Err(), last))
		}
	}
}

// reportWait reports to OnWait which sweep a rescue waits for, and why that one
// waits if that is known here.
func (s *Sweeper) reportWait(ctx context.Context, rescue Sweep, last error) {
	if s.OnWait == nil {
		return
	}
	list, err := s.store.InFlight(ctx, s.Network())
	at := slices.IndexFunc(list, func(w Sweep) bool { return w.shares(rescue) })
	if err != nil || at < 0 {
		return
	}
	w := list[at]
	text := fmt.Sprintf("sweep %s of %d addresses goes first; it is %s since %s", w.ID, len(w.Items), w.State, w.CreatedAt.UTC().Format(time.TimeOnly))
	if w.State == Planned {
		text += " and not signed"
	}
	if f := fault.Of(last); f != nil {
		text += ": " + f.Message
	} else if w.State == Planned {
		text += "; GET /health of the server says under gas what it waits for"
	}
	if text != s.waitedOn {
		s.waitedOn = text
		s.OnWait(text)
	}
}

// shares reports whether the sweeps have an address in common.
func (w Sweep) shares(other Sweep) bool {
	return slices.ContainsFunc(w.Items, func(i chain.SweepItem) bool {
		return slices.ContainsFunc(other.Items, func(o chain.SweepItem) bool {
			return o.Address.Address == i.Address.Address
		})
	})
}

// driveCurrent brings each sweep in flight one step further, and plans none.
func (s *Sweeper) driveCurrent(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, Within)
	defer cancel()
	list, leads, err := s.lead(ctx)
	if err != nil || !leads {
		return err
	}
	_, err = s.driveAll(ctx, list)
	return err
}
