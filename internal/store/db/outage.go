package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
	"modernc.org/sqlite"
	sqlitecode "modernc.org/sqlite/lib"

	"github.com/florinpay/florin/internal/fault"
)

// outages reports what the database cannot do at the moment as fault.ErrStorage: the disk is full, the server restarts,
// the connection broke. Callers are asked to try again then, and nothing is stored, or, where a connection broke during
// a commit, perhaps it is: a repetition finds out.
type outages struct{ Engine }

func (e outages) Read(ctx context.Context, s *Stmt) error   { return outage(e.Engine.Read(ctx, s)) }
func (e outages) LookUp(ctx context.Context, s *Stmt) error { return outage(e.Engine.LookUp(ctx, s)) }

func (e outages) ReadAll(ctx context.Context, all ...*Stmt) error {
	return outage(e.Engine.ReadAll(ctx, all...))
}

func (e outages) Snapshot(ctx context.Context, fn func(context.Context, Tx) error) error {
	return outage(e.Engine.Snapshot(ctx, fn))
}

func (e outages) Write(ctx context.Context, fn func(context.Context, Tx) error) error {
	return outage(e.Engine.Write(ctx, fn))
}

func (e outages) Hot(ctx context.Context, fn func(context.Context, Conn) error) error {
	return outage(e.Engine.Hot(ctx, fn))
}

func (e outages) HotBatch(ctx context.Context, fn func(context.Context, Conn) error) error {
	return outage(e.Engine.HotBatch(ctx, fn))
}

func (e outages) WriteBatch(ctx context.Context, s *Stmt) error {
	return outage(e.Engine.WriteBatch(ctx, s))
}

func (e outages) Schema(ctx context.Context, m Migrations) (Schema, error) {
	s, err := e.Engine.Schema(ctx, m)
	return s, outage(err)
}

func (e outages) Migrate(ctx context.Context, m Migrations, waits func(forWhat string)) error {
	return advised(e.Engine.Migrate(ctx, m, waits), "")
}

func (e outages) Grow(ctx context.Context) error { return outage(e.Engine.Grow(ctx)) }

func outage(err error) error {
	if err == nil || fault.Of(err) != nil || !isOutage(err) {
		return err
	}
	if isFull(err) {
		return fmt.Errorf("%w: %w: %w", fault.ErrStorage, fault.ErrFull, err)
	}
	return fmt.Errorf("%w: %w", fault.ErrStorage, err)
}

// diskFull is the SQLSTATE of a server that has no room.
const diskFull = "53100"

func isFull(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == diskFull
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		return lite.Code()&0xff == sqlitecode.SQLITE_FULL
	}
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// outageClasses are the SQLSTATEs, or the beginnings of theirs, of a server that cannot do now what it can do at other
// times.
var outageClasses = []string{
	"08",    // the connection broke
	"25006", // read-only: a standby, or a disk that a provider protects
	"40",    // lost too many races
	"55000", // read-only, where a transaction needs a number: a standby
	"53",    // no disk, memory or connections left
	"55P03", // a lock was not to be had
	"57",    // shutting down, starting up, or cancelled
	"58",    // an error of the system, such as of its disk
}

// outageCodes are the primary result codes of SQLite of the same kind.
var outageCodes = map[int]bool{
	sqlitecode.SQLITE_BUSY: true, sqlitecode.SQLITE_LOCKED: true, sqlitecode.SQLITE_NOMEM: true,
	sqlitecode.SQLITE_READONLY: true, sqlitecode.SQLITE_IOERR: true, sqlitecode.SQLITE_FULL: true,
	sqlitecode.SQLITE_CANTOPEN: true, sqlitecode.SQLITE_PROTOCOL: true,
}

func isOutage(err error) bool {
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		for _, class := range outageClasses {
			if strings.HasPrefix(pg.Code, class) {
				return true
			}
		}
		return false
	}
	if lite, ok := errors.AsType[*sqlite.Error](err); ok {
		return outageCodes[lite.Code()&0xff]
	}
	if _, ok := errors.AsType[net.Error](err); ok && !errors.Is(err, context.DeadlineExceeded) {
		return true
	}
	for _, broken := range []error{
		io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.ECONNREFUSED, syscall.EPIPE, net.ErrClosed,
		driver.ErrBadConn, sql.ErrConnDone, syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO,
	} {
		if errors.Is(err, broken) {
			return true
		}
	}
	return pgconn.SafeToRetry(err) // the connection was closed before anything was sent
}

// outageConns makes bun's queries outside of transactions end within a time, and report outages, too.
type outageConns struct {
	e  *postgresEngine // nil: SQLite
	db *sql.DB
}

func (c outageConns) ResolveConn(context.Context, bun.Query) bun.IConn { return c }
func (outageConns) Close() error                                       { return nil }

// limited is limited for rows, which are read after the call. Its timer ends by itself.
func (c outageConns) limited(ctx context.Context) context.Context {
	bounded, cancel := c.e.limited(ctx)
	context.AfterFunc(bounded, cancel)
	return bounded
}

func (c outageConns) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	ctx = c.limited(ctx)
	rows, err := c.db.QueryContext(ctx, query, args...) //nolint:rowserrcheck,sqlclosecheck // bun's
	return rows, outage(c.e.silent(ctx, err))
}

func (c outageConns) ExecContext(ctx context.Context, query string, args ...any) (res sql.Result, err error) {
	err = c.e.within(ctx, func(ctx context.Context) error {
		res, err = c.db.ExecContext(ctx, query, args...)
		return err
	})
	return res, outage(err)
}

func (c outageConns) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return c.db.QueryRowContext(c.limited(ctx), query, args...)
}
