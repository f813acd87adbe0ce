package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/fault"
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
	r.users(found)
	r.slots(found.Slots)
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
	free, size, err := backup.Space(directory)
	switch {
	case err != nil:
		r.addf("disk", Warning, "how much is free at %s cannot be read here", directory)
	case free < leastFree:
		r.addf("disk", Wrong, "%d MB are free at %s: without room nothing is stored; free some", free>>20, directory)
	case free < size/10:
		r.addf("disk", Warning, "less than a tenth is free at %s: %d of %d GB; free some", directory, free>>30, size>>30)
	default:
		r.addf("disk", Fine, "%d GB are free at %s", free>>30, directory)
	}
}

// Copy says whether the database is the one that was served, by what comparing it with its mark has yielded.
func (r *Report) Copy(err error) {
	switch {
	case errors.Is(err, fault.ErrStorage):
		r.addf("database copy", Warning, "it was not looked whether it is an older copy: %s", explain(err))
	default:
		r.resultf("database copy", err, "it is no older copy of one that was served")
	}
}

// Hosts says which of the servers of a PostgreSQL database takes writes.
func (r *Report) Hosts(list []store.Host) {
	writers := 0
	for _, h := range list {
		if h.Err == nil {
			writers++
		}
	}
	for i, h := range list {
		name := "database host"
		if len(list) > 1 {
			name = fmt.Sprintf("database host %d", i+1)
		}
		switch {
		case h.Err == nil && writers > 1:
			r.addf(name, Wrong, "%s takes writes, and %d of the hosts do: only one may, or each keeps payments that the others "+
				"lack; stop the one that was replaced", h.Name, writers)
		case h.Err == nil && len(list) > 1 && !h.Waits:
			r.addf(name, Warning, "%s takes writes and waits for no standby: one that takes over may lack payments that were "+
				"answered, and Florin refuses it then; set synchronous_standby_names, unless they share their disk", h.Name)
		case h.Err == nil:
			r.addf(name, Fine, "%s takes writes: Florin uses it", h.Name)
		case errors.Is(h.Err, store.ErrStandby) && writers > 0:
			r.addf(name, Fine, "%s is a standby: Florin uses it when it takes over (target_session_attrs=read-write)", h.Name)
		case len(list) > 1 && writers > 0:
			r.addf(name, Warning, "%s cannot take over: %s", h.Name, explain(h.Err))
		default:
			r.addf(name, Wrong, "%s takes no writes: %s", h.Name, explain(h.Err))
		}
	}
}

// slots says whether what a PostgreSQL server keeps of its log for backups and standbys is received.
func (r *Report) slots(list []alert.Slot) {
	for _, s := range list {
		name := "replication slot " + s.Name
		switch {
		case s.Lost:
			r.addf(name, Wrong, "changes that nobody had received were removed: start backup.sh again, which makes the slot and a "+
				"copy of the server anew")
		case !s.Active:
			r.addf(name, Warning, "nobody receives through it, and %d MB are kept: start what does, or drop it", s.Lag>>20)
		case !s.Capped:
			r.addf(name, Warning, "max_slot_wal_keep_size bounds nothing: what is kept for a receiver that stops fills the disk; "+
				"set it, such as to 16GB")
		default:
			r.addf(name, Fine, "changes are received; %d MB are kept", s.Lag>>20)
		}
	}
}

// users says that a database is new, which a disk that is not mounted makes it look like.
func (r *Report) users(found store.Inspection) {
	const before = "If there was a shop before, its disk is not mounted, or FLORIN_DATABASE_URL names another place"
	switch {
	case found.Applied == "":
		r.addf("database contents", Warning, "it is empty. %s", before)
	case found.New:
		r.addf("database contents", Warning, "no user is in it. %s; for a new one, run `florin user create`", before)
	default:
		r.addf("database contents", Fine, "there are users in it")
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
