package store

import (
	"context"
	"errors"

	"github.com/uptrace/bun"
)

// readers are connections to SQLite that only read, each with its prepared
// statements. They are opened when they are first needed, and no call holds
// one while it waits for another.
type readers struct {
	db   *bun.DB
	free chan *reader
	room chan struct{} // one for each that may still be opened
	stop chan struct{}
}

// reader is one of them, used by one caller at a time.
type reader struct {
	statements
	conn bun.Conn
}

func newReaders(db *bun.DB, n int) *readers {
	r := &readers{db: db, free: make(chan *reader, n), room: make(chan struct{}, n), stop: make(chan struct{})}
	for range n {
		r.room <- struct{}{}
	}
	return r
}

// with runs fn with a reader.
func (r *readers) with(ctx context.Context, fn func(*reader) error) error {
	one, err := r.take(ctx)
	if err != nil {
		return err
	}
	defer func() { r.free <- one }()
	return fn(one)
}

func (r *readers) take(ctx context.Context) (*reader, error) {
	select {
	case <-r.stop:
		return nil, errClosed
	case one := <-r.free:
		return one, nil
	default:
	}
	select {
	case one := <-r.free:
		return one, nil
	case <-r.room:
		return r.open(ctx)
	case <-r.stop:
		return nil, errClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (r *readers) open(ctx context.Context) (*reader, error) {
	conn, err := r.db.Conn(ctx)
	if err != nil {
		r.room <- struct{}{}
		return nil, err
	}
	return &reader{statements: newStatements(conn.Conn), conn: conn}, nil
}

// snapshot runs fn in a transaction that only reads.
func (r *reader) snapshot(ctx context.Context, fn func(context.Context, tx) error) error {
	if err := r.exec(ctx, "BEGIN"); err != nil {
		return err
	}
	err := fn(ctx, tx{IDB: r.conn, conn: &r.statements})
	// It must end even if the caller has gone. There is nothing to lose.
	return errors.Join(err, r.exec(context.WithoutCancel(ctx), "ROLLBACK"))
}

// close waits for callers and closes the connections.
func (r *readers) close() error {
	close(r.stop)
	var errs []error
	for range cap(r.free) {
		select {
		case one := <-r.free:
			errs = append(errs, one.close())
		case <-r.room:
		}
	}
	return errors.Join(errs...)
}
