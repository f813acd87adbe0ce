package db

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/florinpay/florin/internal/fault"
)

// refused is why the database cannot be used, with what to do.
type refused struct {
	error

	advice string
}

func (r refused) Unwrap() error { return r.error }

// Error names each cause once: a server of PostgreSQL is tried with TLS and without, and says the same both times.
func (r refused) Error() string {
	lines := slices.Compact(strings.Split(r.error.Error(), "\n"))
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	if others := slices.DeleteFunc(slices.Clone(lines), noTLS); len(others) > 1 { // the first names the database
		lines = others
	}
	return strings.Join(slices.Compact(lines), " ") + "; " + r.advice
}

// noTLS reports whether the line says that a server speaks no TLS, which matters only where it must.
func noTLS(line string) bool { return strings.HasSuffix(line, "server refused TLS connection") }

// advised says what to do about a database that cannot be opened, or whose schema cannot be made. advice is for what
// has none of its own, and may be empty.
func advised(err error, advice string) error {
	if err == nil || fault.Of(err) != nil {
		return err
	}
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		advice = cmp.Or(advices[pg.Code], advice)
	} else if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		advice = "correct the host and the port in FLORIN_DATABASE_URL, or start the server"
		if noTLS(err.Error()) {
			advice = "let the server speak TLS, or write sslmode=disable in FLORIN_DATABASE_URL if the network is your own"
		} else if strings.Contains(err.Error(), "ValidateConnect") {
			advice = "correct target_session_attrs in FLORIN_DATABASE_URL: Florin needs read-write"
		}
	}
	if advice == "" {
		return err
	}
	return refused{err, advice}
}

// advices are what to do about refusals of PostgreSQL, by SQLSTATE.
var advices = map[string]string{
	"28000": "correct the user in FLORIN_DATABASE_URL, or admit it in pg_hba.conf",
	"28P01": "correct the user and the password in FLORIN_DATABASE_URL",
	"3D000": "correct the database in FLORIN_DATABASE_URL, or make it: createdb --encoding=UTF8 --template=template0",
	"42501": "make the user in FLORIN_DATABASE_URL the owner of the database: ALTER DATABASE … OWNER TO …",
	"42704": "take the parameter out of FLORIN_DATABASE_URL",
	"53300": "raise max_connections on the server, or bound Florin by pool_max_conns in FLORIN_DATABASE_URL",
}
