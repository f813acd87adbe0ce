package store

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/florinpay/florin/internal/payment"
)

// channel is where PostgreSQL tells every instance which payment has changed.
const channel = "florin_payment"

// nudge tells it when the transaction commits, and only then.
func nudge(ids []string) *call {
	k := query(func(func(...any) error) error { return nil }, "SELECT pg_notify('"+channel+"', id) FROM unnest(?::text[]) AS id", ids)
	k.anyNumber = true
	return k
}

// hooks are who wants to know of changes.
type hooks struct {
	mu  sync.RWMutex
	all []func(payment.ID)
}

// OnChange calls hook after a payment was changed, by this program or, on
// PostgreSQL while Listen runs, by any other; on PostgreSQL nothing is called
// unless Listen runs. It is a nudge and no promise: whoever needs the truth
// reads the payment. An empty ID says that nudges may have been lost and any
// payment may have changed. The hook must return quickly and must not call the
// store.
func (s *Store) OnChange(hook func(payment.ID)) {
	s.hooks.mu.Lock()
	defer s.hooks.mu.Unlock()
	s.hooks.all = append(slices.Clone(s.hooks.all), hook)
}

func (h *hooks) call(id payment.ID) {
	h.mu.RLock()
	all := h.all
	h.mu.RUnlock()
	for _, hook := range all {
		hook(id)
	}
}

// changed calls the hooks for a change of this program. PostgreSQL tells of
// it by way of Listen.
func (s *Store) changed(id payment.ID, op *changeOp) {
	if op.change.None() {
		return
	}
	s.recent.forget(id)
	if !s.dialect().manyWriters {
		s.hooks.call(id)
	}
}

// Pauses between attempts of Listen to reach the server again.
const (
	listenPause    = 100 * time.Millisecond
	maxListenPause = 5 * time.Second
)

// Listen brings in the changes of every instance until ctx ends, and returns
// nil then. A lost connection is made again. On SQLite it only waits.
func (s *Store) Listen(ctx context.Context) error {
	pg, ok := s.engine.(*postgresEngine)
	if !ok {
		<-ctx.Done()
		return nil
	}
	pause := listenPause
	for ctx.Err() == nil {
		err := s.listenOnce(ctx, pg, func() { pause = listenPause })
		if ctx.Err() != nil {
			return nil //nolint:nilerr // it was told to stop
		}
		s.log.Warn("connection for notifications lost; connecting again", "error", err, "in", pause)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, maxListenPause)
	}
	return nil
}

func (s *Store) listenOnce(ctx context.Context, pg *postgresEngine, connected func()) error {
	conn, err := pgx.ConnectConfig(ctx, pg.config.Copy())
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "LISTEN "+channel); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	connected()
	s.news("") // what happened before is unknown
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		s.news(payment.ID(n.Payload))
	}
}

// news passes on what another instance, or this one, has changed.
func (s *Store) news(id payment.ID) {
	s.recent.forget(id)
	s.hooks.call(id)
}
