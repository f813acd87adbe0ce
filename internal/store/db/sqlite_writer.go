package db

import (
	"context"
	"errors"
	"sync"

	"github.com/uptrace/bun"
)

// writer owns the connection that writes to SQLite. Methods that wait while a
// commit runs share the next transaction, each in its own savepoint, and return
// after its commit: one fsync then serves them all.
type writer struct {
	db    *bun.DB
	conn  bun.Conn
	stmts *sqliteConn
	batch *Batcher[*job]
	once  sync.Once
}

// job is one method to run.
type job struct {
	ctx context.Context
	fn  func(context.Context, Tx) error
	err error
}

// startWriter takes the only connection of db, which the writer owns from then
// on.
func startWriter(ctx context.Context, db *bun.DB) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{db: db, conn: conn, stmts: newSQLiteConn(conn.Conn)}
	w.batch = newBatcher(1, func(_ context.Context, jobs []*job) error {
		w.runJobs(jobs)
		return nil
	})
	return w, nil
}

// do runs fn in a transaction and returns when it is committed or rolled back.
func (w *writer) do(ctx context.Context, fn func(context.Context, Tx) error) error {
	j := &job{ctx: ctx, fn: fn}
	if err := w.batch.Do(ctx, j); err != nil {
		return err
	}
	Repanic(j.err)
	return j.err
}

// runJobs runs the jobs in one transaction. If that fails as a whole, each runs
// in a transaction of its own, so that one job cannot fail the others.
func (w *writer) runJobs(jobs []*job) {
	err := w.transaction(jobs)
	if err == nil {
		return
	}
	if len(jobs) == 1 || IsConflict(err) {
		// Another process writes: each caller tries again after a pause.
		for _, j := range jobs {
			j.err = err
		}
		return
	}
	for _, j := range jobs {
		j.err = nil
		if err := w.transaction([]*job{j}); err != nil {
			j.err = err
		}
	}
}

// transaction runs the jobs and commits. Its error is that of the transaction
// as a whole, after which nothing is stored. A job's own failure is kept in the
// job and rolls back that job only.
//
// No caller's context reaches SQLite: interrupting one statement would roll
// back everybody's transaction. Every job is short, so there is nothing to
// interrupt.
func (w *writer) transaction(jobs []*job) (err error) {
	ctx := context.Background()
	if err := w.stmts.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	committed := false
	defer func() {
		if !committed {
			// After some failures SQLite has rolled back by itself, and this fails.
			_ = w.stmts.exec(ctx, "ROLLBACK")
		}
	}()
	for _, j := range jobs {
		if err := w.savepoint(ctx, j); err != nil {
			return err
		}
	}
	if err := w.stmts.exec(ctx, "COMMIT"); err != nil {
		return err
	}
	committed = true
	return nil
}

// savepoint runs one job so that its failure leaves no trace.
func (w *writer) savepoint(ctx context.Context, j *job) error {
	if j.err = context.Cause(j.ctx); j.err != nil {
		return nil //nolint:nilerr // this caller has left; the others go on
	}
	if err := w.stmts.exec(ctx, "SAVEPOINT one"); err != nil {
		return err
	}
	j.err = Guard(func() error {
		return j.fn(context.WithoutCancel(j.ctx), w.stmts.tx(w.db, w.conn))
	})
	if j.err == nil {
		return w.stmts.exec(ctx, "RELEASE one")
	}
	if IsConflict(j.err) {
		return j.err
	}
	// If SQLite has rolled back the whole transaction there is no savepoint any
	// more; this fails then, and each job runs in its own transaction.
	if err := w.stmts.exec(ctx, "ROLLBACK TO one"); err != nil {
		return errors.Join(j.err, err)
	}
	return w.stmts.exec(ctx, "RELEASE one")
}

// close waits for the running transaction and closes the connection. Jobs that
// are still in the queue fail.
func (w *writer) close() (err error) {
	w.once.Do(func() {
		w.batch.Close()
		err = errors.Join(w.stmts.close(), w.db.Close())
	})
	return err
}
