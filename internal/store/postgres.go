package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// connIdle is how long an unused connection is kept.
const connIdle = 5 * time.Minute

// postgresEngine keeps the database on a PostgreSQL server. bun has a pool of
// its own: it writes arguments into the text, so every text is new and must
// not be kept prepared; the other pool keeps the few hot statements prepared.
type postgresEngine struct {
	config *pgx.ConnConfig
	db     *bun.DB
	pool   *pgxpool.Pool

	creates *batcher[*createOp]
	changes *batcher[*changeOp]
	loads   *batcher[*loadOp]
	lookups *batcher[*call]
}

func openPostgres(ctx context.Context, url string, o Options) (*postgresEngine, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, errURL // the cause repeats parts of the URL
	}
	config.MaxConns = int32(min(o.MaxConns, math.MaxInt32)) //nolint:gosec // just bounded
	config.MaxConnIdleTime = connIdle
	// Whatever the server's zone and literals are set to, ours are fixed.
	config.ConnConfig.RuntimeParams["timezone"] = "UTC"
	config.ConnConfig.RuntimeParams["standard_conforming_strings"] = "on"
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "florin"
	}
	e := &postgresEngine{config: config.ConnConfig.Copy()}
	if e.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("PostgreSQL: %w", err)
	}
	e.db = e.openBun(pgx.QueryExecModeExec, o.MaxConns)
	if err := e.ping(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("PostgreSQL: %w", err), e.close())
	}
	e.creates, e.changes = newBatcher(e.createTogether), newBatcher(e.changeTogether)
	e.loads, e.lookups = newBatcher(e.loadTogether), newBatcher(e.lookUpTogether)
	return e, nil
}

func (e *postgresEngine) openBun(mode pgx.QueryExecMode, conns int) *bun.DB {
	config := e.config.Copy()
	config.DefaultQueryExecMode = mode
	config.StatementCacheCapacity, config.DescriptionCacheCapacity = 0, 0
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(conns)
	pool.SetMaxIdleConns(conns)
	pool.SetConnMaxIdleTime(connIdle)
	return bun.NewDB(pool, pgdialect.New())
}

func (e *postgresEngine) reader() bun.IDB { return e.db }

func (e *postgresEngine) dialect() dialect {
	return dialect{
		manyWriters: true,
		skipLocked:  rowLock + " SKIP LOCKED",
		bytewise:    `"C"`,
		xact:        "pg_current_xact_id()::text::bigint",
		server:      "(SELECT system_identifier::text FROM pg_control_system())",
	}
}

func (e *postgresEngine) read(ctx context.Context, k *call) error { return pgxConn{e.pool}.one(ctx, k) }

// lookUp shares a round trip with other callers; if that fails for the sake of
// one of them, each reads alone.
func (e *postgresEngine) lookUp(ctx context.Context, k *call) error {
	err := e.lookups.do(ctx, k)
	if errors.Is(err, errAlone) {
		return e.read(ctx, k)
	}
	return err
}

func (e *postgresEngine) lookUpTogether(ctx context.Context, calls []*call) error {
	if (pgxConn{e.pool}).run(ctx, calls...) != nil {
		return errAlone
	}
	return nil
}

func (e *postgresEngine) snapshot(ctx context.Context, fn func(context.Context, tx) error) error {
	options := &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
	return e.db.RunInTx(ctx, options, func(ctx context.Context, t bun.Tx) error {
		return fn(ctx, tx{IDB: t, conn: bunConn{t}})
	})
}

func (e *postgresEngine) write(ctx context.Context, fn func(context.Context, tx) error) error {
	return retry(ctx, func() error {
		return e.db.RunInTx(ctx, nil, func(ctx context.Context, t bun.Tx) error {
			return fn(ctx, tx{IDB: t, conn: bunConn{t}})
		})
	})
}

func (e *postgresEngine) hot(ctx context.Context, fn func(context.Context, conn) error) error {
	return retry(ctx, func() error {
		return pgx.BeginFunc(ctx, e.pool, func(t pgx.Tx) error { return fn(ctx, pgxConn{t}) })
	})
}

func (e *postgresEngine) ping(ctx context.Context) error { return e.pool.Ping(ctx) }

func (e *postgresEngine) close() error {
	if e.creates != nil {
		e.creates.close()
		e.changes.close()
		e.loads.close()
		e.lookups.close()
	}
	e.pool.Close()
	return e.db.Close()
}
