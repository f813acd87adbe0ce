package db

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	// Pauses between attempts of Listen to connect again.
	listenPause    = 100 * time.Millisecond
	maxListenPause = 5 * time.Second
	// listenProbe is after how long without a notification the server is asked whether it is still there.
	listenProbe = 10 * time.Second
)

// Notify returns the statement that sends the payloads to the channel when its
// transaction commits, and only then. PostgreSQL only.
func Notify(channel string, payloads []string) *Stmt {
	ignore := func(Scan) error { return nil }
	return Query(ignore, "SELECT pg_notify(?, payload) FROM unnest(?::text[]) AS payload", channel, payloads).AnyNumber()
}

// Listen connects again whenever the connection is lost.
func (e *postgresEngine) Listen(
	ctx context.Context, channel string, log *slog.Logger, listening func(), notify func(string),
) error {
	pause := listenPause
	for ctx.Err() == nil {
		err := e.listenOnce(ctx, channel, notify, func() { pause = listenPause; listening() })
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

// Listener is the application name of the connection that every running server keeps.
const Listener = "florin server"

func (e *postgresEngine) listenOnce(ctx context.Context, channel string, notify func(string), listening func()) error {
	config := e.config.Copy()
	config.RuntimeParams["application_name"] = Listener
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer closeAtOnce(conn)
	begin, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	if _, err := conn.Exec(begin, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	listening()
	notify("") // notifications before this moment were missed
	for {
		n, err := next(ctx, conn)
		if err != nil {
			return err
		}
		listening()
		if n != nil {
			notify(n.Payload)
		}
	}
}

// next returns the next notification, or nil if there was none for a while and the server is still there.
func next(ctx context.Context, conn *pgx.Conn) (*pgconn.Notification, error) {
	quiet, cancel := context.WithTimeout(ctx, listenProbe)
	defer cancel()
	n, err := conn.WaitForNotification(quiet)
	if err == nil || ctx.Err() != nil || quiet.Err() == nil {
		return n, err
	}
	probe, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	if err := conn.Ping(probe); err != nil {
		return nil, fmt.Errorf("the server does not answer: %w", err)
	}
	return nil, nil //nolint:nilnil // nothing was notified
}
