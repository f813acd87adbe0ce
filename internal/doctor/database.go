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
	before := now()
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
	r.settings(found)
	if n := len(found.Pending); n > 0 {
		r.addf("database schema", Wrong, "%d migrations are missing: run `florin migrate`, or start `florin serve`", n)
	} else {
		r.addf("database schema", Fine, "it is that of this version")
		r.resultf("secret key", found.Key, "it opens the secrets in the database")
	}
	r.clock(found.Clock, before, now())
	if directory == "" {
		r.addf("disk", Fine, "the database takes %d MB; what is free is known to its server only: watch that there", found.Bytes>>20)
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

// isolations are how far apart Florin keeps its transactions, by server.
var isolations = map[string]string{"PostgreSQL": "read committed", "SQLite": "serializable"}

// settings checks that transactions are kept apart as they must, and that what is committed stays.
func (r *Report) settings(found store.Inspection) {
	if want := isolations[found.Server]; found.Isolation != want {
		r.addf("database isolation", Wrong, "transactions are %q, not %q as Florin sets it: a connection pooler in between "+
			"drops settings; connect without it, or let it pool sessions", found.Isolation, want)
	} else {
		r.addf("database isolation", Fine, "transactions are %s", want)
	}
	if found.Unsafe != "" {
		r.addf("database durability", Warning, "the server has %s: a power cut can take back payments that were answered; "+
			"turn it on", found.Unsafe)
		return
	}
	r.addf("database durability", Fine, "what is committed is on disk")
}

// clock compares this machine's clock with that of the database, which was read in between.
func (r *Report) clock(database, before, after time.Time) {
	if database.IsZero() {
		r.addf("clock", Fine, "the database uses this machine's")
		return
	}
	skew := max(before.Sub(database), database.Sub(after), 0).Round(time.Millisecond)
	if skew > maxSkew {
		r.addf("clock", Warning, "this machine's clock is %s away from that of the database: let NTP set both", skew)
	} else {
		r.addf("clock", Fine, "this machine's and the database's agree within %s", maxSkew)
	}
}
