package db

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/uptrace/bun"
)

// readers are connections to SQLite that only read, each with its prepared
// statements. They are opened when they are first needed, and no caller holds
// one while it waits for another.
type readers struct {
	db   *bun.DB
	free chan *reader
	room chan struct{} // one for each that may still be opened
	stop chan struct{}
}

// reader is one of them, used by one caller at a time.
type reader struct {
	*sqliteConn

	db   *bun.DB
	conn bun.Conn
	// inSnapshot: a transaction is open, or may be. No other caller may use the
	// reader then, since they would read an old state.
	inSnapshot bool
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
	defer r.putBack(one)
	return fn(one)
}

// putBack frees a reader, or drops it if it could not end its transaction; the
// next caller opens another.
func (r *readers) putBack(one *reader) {
	if !one.inSnapshot {
		r.free <- one
		return
	}
	defer func() { r.room <- struct{}{} }()
	one.drop()
}

func (r *readers) take(ctx context.Context) (*reader, error) {
	select {
	case <-r.stop:
		return nil, ErrClosed
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
		return nil, ErrClosed
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
	return &reader{sqliteConn: newSQLiteConn(conn.Conn), db: r.db, conn: conn}, nil
}

// snapshot runs fn in a read-only transaction and ends it whatever fn does. The
// caller's cancellation reaches fn only: the driver reports it also for a
// statement that took effect, so BEGIN might fail and yet have begun.
func (r *reader) snapshot(ctx context.Context, fn func(context.Context, Tx) error) (err error) {
	whole := context.WithoutCancel(ctx)
	r.inSnapshot = true
	if err := r.exec(whole, "BEGIN"); err != nil {
		return err
	}
	defer func() {
		end := r.exec(whole, "ROLLBACK") // nothing was written
		r.inSnapshot = end != nil
		err = errors.Join(err, end)
	}()
	return fn(ctx, r.tx(r.db, r.conn))
}

// drop closes the connection itself: close would give it back to the pool.
func (r *reader) drop() {
	_ = r.keptStmts.close()
	_ = r.conn.Raw(func(any) error { return driver.ErrBadConn }) // fails with just that
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
