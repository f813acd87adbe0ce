package db

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
)

// Pauses between attempts of Listen to connect again.
const (
	listenPause    = 100 * time.Millisecond
	maxListenPause = 5 * time.Second
)

// Notify returns the statement that sends the payloads to the channel when its
// transaction commits, and only then. PostgreSQL only.
func Notify(channel string, payloads []string) *Stmt {
	ignore := func(Scan) error { return nil }
	return Query(ignore, "SELECT pg_notify(?, payload) FROM unnest(?::text[]) AS payload", channel, payloads).AnyNumber()
}

// Listen connects again whenever the connection is lost.
func (e *postgresEngine) Listen(ctx context.Context, channel string, log *slog.Logger, notify func(string)) error {
	pause := listenPause
	for ctx.Err() == nil {
		err := e.listenOnce(ctx, channel, notify, func() { pause = listenPause })
		if ctx.Err() != nil {
			return nil //nolint:nilerr // the caller stopped it
		}
		log.Warn("connection for notifications lost; connecting again", "error", err, "in", pause)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, maxListenPause)
	}
	return nil
}

func (e *postgresEngine) listenOnce(ctx context.Context, channel string, notify func(string), connected func()) error {
	conn, err := pgx.ConnectConfig(ctx, e.config.Copy())
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	connected()
	notify("") // notifications before this moment were missed
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		notify(n.Payload)
	}
}
