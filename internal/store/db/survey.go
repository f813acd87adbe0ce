package db

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/fault"
)

// survey is what a database is before anything is said of its schema.
type survey struct {
	Standby  bool   // it takes no writes
	Encoding string // of its texts
	Listed   bool   // it has a list of migrations, of this program or another that uses bun
	Versions bool   // it has this program's own list
	Tables   string // those of others, while no migration of this program was applied
}

// ErrOtherSchema: development builds change the one schema in place, and releases never do.
var ErrOtherSchema = fault.New(fault.Unavailable, "the database was made by another build, whose schema is not that of "+
	"this one: use that build, or begin with an empty database")

// The questions of a survey. Tables of extensions, of SQLite, of bun and of Litestream belong to no other program.
const (
	surveyPostgres = `SELECT pg_is_in_recovery() AS standby, current_setting('server_encoding') AS encoding,
		to_regclass('bun_migrations') IS NOT NULL AS listed, to_regclass('schema_versions') IS NOT NULL AS versions,
		(SELECT coalesce(string_agg(relname, ', ' ORDER BY relname), '') FROM pg_class AS c
		WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND relkind IN ('r', 'p', 'v', 'm', 'f')
		AND relname NOT LIKE 'bun!_migration%' ESCAPE '!' AND NOT EXISTS (SELECT FROM pg_depend
		WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e')) AS tables`
	surveySQLite = `SELECT FALSE AS standby, (SELECT encoding FROM pragma_encoding) AS encoding,
		EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'bun_migrations') AS listed,
		EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'schema_versions') AS versions,
		(SELECT coalesce(group_concat(name, ', '), '') FROM sqlite_schema WHERE type IN ('table', 'view')
		AND name NOT LIKE 'bun!_migration%' ESCAPE '!' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'
		AND name NOT LIKE '!_litestream%' ESCAPE '!') AS tables`
)

// look asks what the database is, and refuses one that this program cannot use at all.
func look(ctx context.Context, db bun.IDB, question string) (s survey, err error) {
	if err := db.NewRaw(question).Scan(ctx, &s); err != nil {
		return s, err
	}
	switch {
	case s.Standby:
		return s, ErrStandby
	case strings.ReplaceAll(s.Encoding, "-", "") != "UTF8":
		return s, fault.New(fault.Unavailable, "the database keeps its texts in %s, and Florin needs UTF8: make another one, "+
			"on PostgreSQL with createdb --encoding=UTF8 --template=template0", s.Encoding)
	case !s.Versions && s.Tables != "":
		return s, fault.New(fault.Unavailable, "the database holds tables of another program (%s): give Florin a database "+
			"of its own", few(s.Tables))
	}
	return s, nil
}

// few shortens a list of names.
func few(names string) string {
	const most = 5
	list := strings.Split(names, ", ")
	if len(list) <= most {
		return names
	}
	return strings.Join(list[:most], ", ") + " and others"
}

var sqlComment = regexp.MustCompile(`--[^\n]*`)

// digest tells the text of a migration from another one under the same name. Comments and white space do not count.
func digest(text string) string {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(sqlComment.ReplaceAllString(text, "")), " ")))
	return hex.EncodeToString(sum[:8])
}
