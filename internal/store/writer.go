package store

import (
	"context"
	"errors"
	"sync"

	"github.com/uptrace/bun"
)

// maxShared is how many methods share one commit at most: with more, the last
// to come would wait for all the others without the commit getting cheaper.
const maxShared = 128

// writer is the one who writes to SQLite. Methods queue; those that are
// waiting when a commit ends run in the next transaction together, a savepoint
// each, and are answered after its commit. One fsync then serves them all.
type writer struct {
	db    *bun.DB
	conn  bun.Conn
	stmts statements
	queue chan *job
	stop  chan struct{}
	done  chan struct{}
	once  sync.Once
}

// job is one method on its way through the writer.
type job struct {
	ctx  context.Context
	fn   func(context.Context, tx) error
	err  error
	done chan struct{}
}

// startWriter takes the only connection of db, which the writer owns from then on.
func startWriter(ctx context.Context, db *bun.DB) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &writer{
		db: db, conn: conn, stmts: newStatements(conn.Conn),
		queue: make(chan *job), stop: make(chan struct{}), done: make(chan struct{}),
	}
	go w.loop()
	return w, nil
}

// do runs fn in a transaction and returns when it is committed or undone.
func (w *writer) do(ctx context.Context, fn func(context.Context, tx) error) error {
	j := &job{ctx: ctx, fn: fn, done: make(chan struct{})}
	select {
	case w.queue <- j:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-w.stop:
		return errClosed
	}
	// Once it is queued it is answered: by then it may be committed, and the
	// caller must know.
	<-j.done
	repanic(j.err)
	return j.err
}

func (w *writer) loop() {
	defer close(w.done)
	for {
		select {
		case j := <-w.queue:
			w.runTogether(w.collect(j))
		case <-w.stop:
			return
		}
	}
}

// collect returns the job with those that are waiting behind it.
func (w *writer) collect(first *job) []*job {
	jobs := []*job{first}
	for len(jobs) < maxShared {
		select {
		case j := <-w.queue:
			jobs = append(jobs, j)
		default:
			return jobs
		}
	}
	return jobs
}

// runTogether runs the jobs in one transaction. If that fails as a whole, each
// is run alone, so that nobody fails for another's sake.
func (w *writer) runTogether(jobs []*job) {
	defer func() {
		for _, j := range jobs {
			close(j.done)
		}
	}()
	err := w.transaction(jobs)
	if err == nil {
		return
	}
	if len(jobs) == 1 || lostAgainstAnother(err) {
		// Another process writes: each caller comes again after a pause.
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
// as a whole, after which nothing is stored; a job's own failure is in the
// job, and undoes that job alone.
//
// No caller's context reaches SQLite: interrupting one statement would undo
// everybody's transaction. Every job is short, so there is nothing to wait for.
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
		return nil //nolint:nilerr // who asked has gone; the others go on
	}
	if err := w.stmts.exec(ctx, "SAVEPOINT one"); err != nil {
		return err
	}
	j.err = guard(func() error {
		return j.fn(context.WithoutCancel(j.ctx), tx{IDB: w.conn, conn: &w.stmts})
	})
	if j.err == nil {
		return w.stmts.exec(ctx, "RELEASE one")
	}
	if lostAgainstAnother(j.err) {
		return j.err
	}
	// When SQLite has undone the whole transaction there is no savepoint any
	// more; this fails then, and each job is run alone.
	if err := w.stmts.exec(ctx, "ROLLBACK TO one"); err != nil {
		return errors.Join(j.err, err)
	}
	return w.stmts.exec(ctx, "RELEASE one")
}

// close waits for the running transaction and closes the connection. Jobs that
// are still queued fail.
func (w *writer) close() (err error) {
	w.once.Do(func() {
		close(w.stop)
		<-w.done
		err = errors.Join(w.stmts.close(), w.db.Close())
	})
	return err
}
