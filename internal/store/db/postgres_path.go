package db

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/florinpay/florin/internal/fault"
)

// A server can fall silent without a word: a path that drops packets, a process that is frozen. Each of these bounds
// how long something waits for it.
const (
	// answerWithin bounds one transaction, one statement outside of any, and what the kernel waits for a sign of the
	// other side.
	answerWithin = 15 * time.Second
	// connectWithin bounds connecting to one host of several: two repetitions of a lost packet.
	connectWithin = 4 * time.Second
	// aliveWithin bounds the question whether a connection that was idle still works.
	aliveWithin = 2 * time.Second
	// restless is how long a connection may be idle without being asked.
	restless = time.Second
	// The kernel asks the other side of an idle connection after keepIdle, and gives it up after keepCount questions
	// without an answer.
	keepIdle  = 5 * time.Second
	keepCount = 2
	// connLife and connLifeSpread bound how long a connection is used, so that none stays with a server that a name no
	// longer means.
	connLife       = 5 * time.Minute
	connLifeSpread = time.Minute
	// dropSpacing bounds how often idle connections are dropped.
	dropSpacing = time.Second
)

// anySession, in the URL, allows servers that take no writes.
const anySession = "target_session_attrs=any"

// SeveralHosts reports whether the URL names several PostgreSQL servers, of which one takes over from another.
func SeveralHosts(url string) bool {
	p, err := parseURL(url)
	if err != nil || p.path != "" {
		return false
	}
	c, err := parsePostgres(p.postgres)
	return err == nil && several(c.ConnConfig.Config)
}

// several reports whether more than one host is given.
func several(c pgconn.Config) bool {
	return slices.ContainsFunc(c.Fallbacks, func(f *pgconn.FallbackConfig) bool {
		return f.Host != c.Host || f.Port != c.Port
	})
}

// errSilent: the transaction is not stored, or, where the answer to its commit is missing, perhaps it is.
var errSilent = fmt.Errorf("%w: it did not answer within %s", fault.ErrStorage, answerWithin)

// unhurried marks a context; see Unhurried.
type unhurried struct{}

// Unhurried lets what runs with the context take as long as the context allows: work on the whole database.
func Unhurried(ctx context.Context) context.Context {
	return context.WithValue(ctx, unhurried{}, true)
}

// limited returns a context with a deadline, unless it is unhurried, or the database is a file (nil).
func (e *postgresEngine) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if e == nil || ctx.Value(unhurried{}) != nil {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, answerWithin, errSilent)
}

// within runs fn with a deadline. If it passes, what is idle is dropped: those connections may be dead as well.
func (e *postgresEngine) within(ctx context.Context, fn func(context.Context) error) error {
	bounded, cancel := e.limited(ctx)
	defer cancel()
	return e.silent(bounded, fn(bounded))
}

// silent returns errSilent in place of an error if it is the deadline of limited that has passed.
func (e *postgresEngine) silent(bounded context.Context, err error) error {
	if err == nil || !errors.Is(context.Cause(bounded), errSilent) {
		return err
	}
	e.dropIdle()
	return errSilent
}

// dropIdle closes the connections of both pools that are idle: where one is dead, or leads to the wrong server, others
// do, too. Those in use find out by themselves.
func (e *postgresEngine) dropIdle() {
	now := time.Now().UnixNano()
	last := e.dropped.Load()
	if now-last < int64(dropSpacing) || !e.dropped.CompareAndSwap(last, now) {
		return
	}
	e.pool.Reset()
	e.db.SetMaxIdleConns(-1)
	e.db.SetMaxIdleConns(e.conns)
}

// alive asks a connection that was idle whether it still works, and closes it if not. It returns false, since nothing
// is left to ask.
func (e *postgresEngine) alive(ctx context.Context, c *pgx.Conn, idle time.Duration) bool {
	if idle < restless {
		return false
	}
	bounded, cancel := context.WithTimeout(ctx, aliveWithin)
	defer cancel()
	if c.Ping(bounded) == nil {
		return false
	}
	closeAtOnce(c)
	if ctx.Err() == nil {
		e.dropIdle()
	}
	return true // the pool sees that it is closed, and takes another one
}

// closeAtOnce closes a connection without waiting for the other side.
func closeAtOnce(c *pgx.Conn) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	_ = c.Close(over)
}

// misleads are the SQLSTATEs of a server that takes no writes: a standby, or one that a provider protects.
var misleads = map[string]bool{
	"25006": true, // read-only
	"55000": true, // an object is not in the state for it: numbers of transactions during recovery
}

// endOnError closes a connection whose server takes no writes, beside those that the server ends: where a name leads
// to another server for a moment, no connection stays there.
func (e *postgresEngine) endOnError(end pgconn.PgErrorHandler) pgconn.PgErrorHandler {
	return func(c *pgconn.PgConn, err *pgconn.PgError) bool {
		if misleads[err.Code] {
			go e.dropIdle()
			return false
		}
		return end(c, err)
	}
}

// dial returns what connects to a host: the kernel notices that the other side has gone.
func dial() pgconn.DialFunc {
	d := net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: keepIdle, Interval: keepIdle, Count: keepCount},
		Control:         boundUnsent,
	}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if !strings.HasPrefix(network, "tcp") {
			return new(net.Dialer).DialContext(ctx, network, address)
		}
		return d.DialContext(ctx, network, address)
	}
}

// ErrPooler: settings of a session, prepared statements and notifications are lost between two transactions.
var ErrPooler = fault.New(fault.Unavailable, "a connection pooler in front of PostgreSQL gives every transaction another "+
	"connection (transaction pooling): let it pool sessions, or connect to PostgreSQL without it")

// poolerAsked is how often it is asked which process of the server answers.
const poolerAsked = 3

// refusePooler fails if two connections that are both open are served by one process of the server, or one connection
// by several.
func (e *postgresEngine) refusePooler(ctx context.Context) error {
	return e.within(ctx, func(ctx context.Context) error {
		const which = "SELECT pg_backend_pid()"
		one, err := e.pool.Acquire(ctx)
		if err != nil {
			return err
		}
		defer one.Release()
		other, err := e.db.DB.Conn(ctx)
		if err != nil {
			return err
		}
		defer func() { _ = other.Close() }()
		var first, second, was int
		for range poolerAsked {
			if err := one.QueryRow(ctx, which, pgx.QueryExecModeExec).Scan(&first); err != nil {
				return err
			}
			if err := other.QueryRowContext(ctx, which).Scan(&second); err != nil {
				return err
			}
			if first == second || was != 0 && was != first {
				return ErrPooler
			}
			was = first
		}
		return nil
	})
}

// askedConns finds how many connections the URL allows an installation.
var askedConns = regexp.MustCompile(`[?&]pool_max_conns=(\d+)`)

const (
	// pools is how many there are, listeners how many connections receive notifications, and keptFree how many are left
	// to commands beside a server.
	pools     = 2
	listeners = 1
	keptFree  = 2
)

// poolConns returns how many connections each pool may have. pool_max_conns in the URL is for all together.
func poolConns(url string, most int) int {
	found := askedConns.FindStringSubmatch(url)
	if found == nil {
		return most
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		return most
	}
	return min(max((n-listeners-keptFree)/pools, 1), most)
}
