package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// connIdle is how long an unused connection is kept.
const connIdle = 5 * time.Minute

// postgresEngine keeps the database on a PostgreSQL server. bun has a pool of
// its own: it writes arguments into the text, so every text is new and must not
// be kept prepared. The other pool keeps the few hot statements prepared.
type postgresEngine struct {
	config  *pgx.ConnConfig
	conns   int // of each pool, at most
	db      *bun.DB
	pool    *pgxpool.Pool
	lookups *Batcher[*Stmt]
	dropped atomic.Int64 // when dropIdle last did something, in nanoseconds since 1970
}

func openPostgres(ctx context.Context, url string, maxConns int) (*postgresEngine, error) {
	config, err := parsePostgres(url)
	if err != nil {
		return nil, fmt.Errorf("the database URL %w", err)
	}
	e := &postgresEngine{conns: poolConns(url, maxConns)}
	e.configure(config, url)
	if e.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("PostgreSQL: %w", err)
	}
	e.db = e.openBun(pgx.QueryExecModeExec, e.conns)
	e.lookups = NewBatcher(e.runLookUps)
	err = e.Ping(ctx)
	if err == nil {
		err = e.refusePooler(ctx)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("PostgreSQL: %w", err), e.Close())
	}
	return e, nil
}

// configure completes what the URL says.
func (e *postgresEngine) configure(config *pgxpool.Config, url string) {
	config.MaxConns = int32(min(e.conns, math.MaxInt32)) //nolint:gosec // just bounded
	config.MaxConnIdleTime, config.MaxConnLifetime, config.MaxConnLifetimeJitter = connIdle, connLife, connLifeSpread
	config.ShouldPing = func(ctx context.Context, p pgxpool.ShouldPingParams) bool {
		return e.alive(ctx, p.Conn, p.IdleDuration)
	}
	config.AfterConnect = ownSettings
	c := config.ConnConfig
	c.DialFunc, c.OnPgError = dial(), e.endOnError(c.OnPgError)
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectWithin
	}
	// With several hosts, the one that takes writes is meant: the others are its standbys.
	if several(c.Config) && c.ValidateConnect == nil && !strings.Contains(url, anySession) {
		c.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	// Do not depend on the server's settings of zone and literals.
	c.RuntimeParams["timezone"] = "UTC"
	c.RuntimeParams["standard_conforming_strings"] = "on"
	c.RuntimeParams["client_encoding"] = "UTF8"
	if c.RuntimeParams["application_name"] == "" {
		c.RuntimeParams["application_name"] = "florin"
	}
	e.config = c.Copy()
}

// settings are what a role, a database or a server may have set otherwise: transactions that need locks to work and see
// what was committed before them, texts that are read as they are written, and commits that are on disk when they are
// reported. They are no startup parameters, since connection poolers refuse those.
//
// Queries read some hundred rows, however many a planner reckons with: to compile one for the machine, or to start
// processes for it, takes from 50 ms to seconds.
const settings = `SET default_transaction_isolation = 'read committed'; SET default_transaction_read_only = off;
	SET default_transaction_deferrable = off; SET datestyle = 'ISO, MDY'; SET bytea_output = 'hex';
	SET jit = off; SET max_parallel_workers_per_gather = 0;
	SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`

func ownSettings(ctx context.Context, c *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, connectWithin) // no caller's: a pool connects for itself
	defer cancel()
	_, err := c.PgConn().Exec(ctx, settings).ReadAll()
	return err
}

func (e *postgresEngine) openBun(mode pgx.QueryExecMode, conns int) *bun.DB {
	config := e.config.Copy()
	config.DefaultQueryExecMode = mode
	config.StatementCacheCapacity, config.DescriptionCacheCapacity = 0, 0
	asked := stdlib.OptionShouldPing(func(ctx context.Context, p stdlib.ShouldPingParams) bool {
		return e.alive(ctx, p.Conn, p.IdleDuration)
	})
	pool := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(ownSettings), asked)
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
	pool.SetConnMaxIdleTime(connIdle)
	pool.SetConnMaxLifetime(connLife)
	return newDB(pool, pgdialect.New(), bun.WithConnResolver(outageConns{e, pool}))
}

func (e *postgresEngine) Reader() bun.IDB { return e.db }

func (e *postgresEngine) Dialect() Dialect {
	return Dialect{
		ManyWriters: true,
		SkipLocked:  rowLock + " SKIP LOCKED",
		Bytewise:    `"C"`,
		Xact:        "pg_current_xact_id()::text::bigint",
		Server:      "(SELECT system_identifier::text FROM pg_control_system())",
		Home: `(SELECT oid::text || '.' || 'instance'::regclass::oid::text FROM pg_database
			WHERE datname = current_database())`,
		Timeline:  "substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)",
		QuarterOf: "floor(extract(epoch FROM %s) / 900)::bigint",
	}
}

func (e *postgresEngine) Read(ctx context.Context, s *Stmt) error {
	return e.within(ctx, func(ctx context.Context) error { return pgxConn{e.pool}.one(ctx, s) })
}

// LookUp shares a round trip with other callers. If that fails, each reads for
// itself, so that one caller's mistake does not fail the others.
func (e *postgresEngine) LookUp(ctx context.Context, s *Stmt) error {
	err := e.lookups.Do(ctx, s)
	if errors.Is(err, ErrRunSingly) {
		return e.Read(ctx, s)
	}
	return err
}

func (e *postgresEngine) runLookUps(ctx context.Context, all []*Stmt) error {
	err := e.within(ctx, func(ctx context.Context) error { return pgxConn{e.pool}.Run(ctx, all...) })
	if err != nil && !errors.Is(err, errSilent) {
		return ErrRunSingly
	}
	return err
}

// ReadAll sends the transaction that gives the reads one snapshot with them.
func (e *postgresEngine) ReadAll(ctx context.Context, all ...*Stmt) error {
	whole := make([]*Stmt, 0, len(all)+2)
	whole = append(whole, Exec("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
	whole = append(append(whole, all...), Exec("COMMIT"))
	return e.within(ctx, func(ctx context.Context) error { return pgxConn{e.pool}.Run(ctx, whole...) })
}

func (e *postgresEngine) Snapshot(ctx context.Context, fn func(context.Context, Tx) error) error {
	options := &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	return e.within(ctx, func(ctx context.Context) error { return e.inTx(ctx, options, fn) })
}

func (e *postgresEngine) inTx(ctx context.Context, o *sql.TxOptions, fn func(context.Context, Tx) error) error {
	return e.db.RunInTx(ctx, o, func(ctx context.Context, t bun.Tx) error {
		return fn(ctx, Tx{IDB: t, Conn: bunConn{t}})
	})
}

func (e *postgresEngine) Write(ctx context.Context, fn func(context.Context, Tx) error) error {
	return e.within(ctx, func(ctx context.Context) error {
		return retry(ctx, func() error { return e.inTx(ctx, nil, fn) })
	})
}

func (e *postgresEngine) Hot(ctx context.Context, fn func(context.Context, Conn) error) error {
	return e.within(ctx, func(ctx context.Context) error {
		return retry(ctx, func() error {
			return pgx.BeginFunc(ctx, e.pool, func(t pgx.Tx) error { return fn(ctx, pgxConn{t}) })
		})
	})
}

// beginBatch bounds the wait for a row that another transaction holds for long,
// so that it does not hold up the whole batch: its operation then runs singly.
var beginBatch = pgx.TxOptions{BeginQuery: "BEGIN; SET LOCAL lock_timeout = '1s'"}

// HotBatch is not repeated as a whole after a lost race: each operation is, when
// it runs singly.
func (e *postgresEngine) HotBatch(ctx context.Context, fn func(context.Context, Conn) error) error {
	return runSinglyIfRefused(e.within(ctx, func(ctx context.Context) error {
		return pgx.BeginTxFunc(ctx, e.pool, beginBatch, func(t pgx.Tx) error { return fn(ctx, pgxConn{t}) })
	}))
}

func (e *postgresEngine) WriteBatch(ctx context.Context, s *Stmt) error {
	return runSinglyIfRefused(e.Read(ctx, s))
}

// fatal is the severity of an error that ends the connection: the batch may be committed.
const fatal = "FATAL"

// runSinglyIfRefused lets each operation of a batch run by itself if the server
// refused one of them, or a row was not what it must be.
func runSinglyIfRefused(err error) error {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	if ok && refused.Severity != fatal || errors.Is(err, ErrLost) {
		return ErrRunSingly
	}
	return err
}

func (e *postgresEngine) Ping(ctx context.Context) error { return e.within(ctx, e.pool.Ping) }

func (e *postgresEngine) Close() error {
	e.lookups.Close()
	e.pool.Close()
	return e.db.Close()
}
