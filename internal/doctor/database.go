package doctor

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/store"
)

// Limits of what is fine.
const (
	maxSkew      = 2 * time.Second // of two clocks
	leastFree    = 1 << 30         // bytes on the disk of an SQLite database
	leastVersion = 130_000         // of PostgreSQL: 13
)

// Database checks the database: its server, its schema, the key of its secrets, its clock and the room on its disk. The
// directory is that of an SQLite file; empty for PostgreSQL.
func (r *Report) Database(ctx context.Context, s *store.Store, directory string, now func() time.Time) {
	found, err := s.Inspect(ctx)
	if err != nil {
		r.addf("database", Wrong, "it cannot be used: %s; correct FLORIN_DATABASE_URL, or mend the database", explain(err))
		return
	}
	switch {
	case found.VersionNumber > 0 && found.VersionNumber < leastVersion:
		r.addf("database", Wrong, "PostgreSQL %s is too old: use version 13 or later", found.Version)
	default:
		r.addf("database", Fine, "%s %s answers", found.Server, found.Version)
	}
	if n := len(found.Pending); n > 0 {
		r.addf("database schema", Wrong, "%d migrations are missing: run `florin migrate`, or start `florin serve`", n)
	} else {
		r.addf("database schema", Fine, "it is that of this version")
		r.resultf("secret key", found.Key, "it opens the secrets in the database")
	}
	if skew := found.Clock.Sub(now()).Round(time.Millisecond); !found.Clock.IsZero() {
		if skew.Abs() > maxSkew {
			r.addf("clock", Warning, "this machine's clock is %s away from that of the database: let NTP set both", skew.Abs())
		} else {
			r.addf("clock", Fine, "this machine and the database differ by %s", skew.Abs())
		}
	}
	if directory == "" {
		return
	}
	free, known := freeBytes(directory)
	switch {
	case !known:
		r.addf("disk", Warning, "how much is free at %s cannot be read here", directory)
	case free < leastFree:
		r.addf("disk", Wrong, "%d MB are free at %s: without room nothing is stored; free some", free>>20, directory)
	default:
		r.addf("disk", Fine, "%d GB are free at %s", free>>30, directory)
	}
}
