package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"

	"github.com/florinpay/florin/internal/fault"
)

// maxRaces bounds how often migrateUp starts over because another program
// applied a migration first, or because a table was in use: each lost race
// means progress, and each wait lets the requests in between through.
const maxRaces = 100

var (
	// errAlreadyApplied: another program applied this migration first.
	errAlreadyApplied = errors.New("another program applied this migration first")
	// ErrNewerSchema: a newer program has removed from the database what this one needs.
	ErrNewerSchema = fault.New(fault.Unavailable,
		"the database was migrated by a newer version, and this one can no longer use it: run the newer version")
	errOlderSchema = fault.New(fault.Unavailable,
		"the database does not have the schema of this version: run `florin migrate`")
)

// Step is a migration.
type Step struct {
	Name   string // digits, in order
	Reason string
	Needs  string // the oldest migration that a program must know to use the database after this one
	digest string
}

// Schema is how a database stands to the migrations of this program.
type Schema struct {
	Known   string // the newest migration of this program
	Applied string // the newest migration of the database; empty: it has none
	Needs   string // the oldest migration that programs must know; empty: any will do
	Missing []Step // migrations of this program that are not applied, in order
	Changed bool   // a migration that was applied is not the one of this program under the same name
}

// Check fails if this program cannot use the database because a newer one, or another build, has migrated it.
func (s Schema) Check() error {
	switch {
	case s.Changed:
		return ErrOtherSchema
	case s.Needs > s.Known:
		return ErrNewerSchema
	}
	return nil
}

// Ready fails unless this program can use the database: with its own schema, or with that of a newer program that
// leaves in place what this one needs.
func (s Schema) Ready() error {
	if err := s.Check(); err != nil {
		return err
	}
	if len(s.Missing) > 0 {
		return errOlderSchema
	}
	return nil
}

// Plan says what a migration would do, and which servers may serve meanwhile.
func (s Schema) Plan() string {
	if len(s.Missing) == 0 {
		if s.Applied > s.Known {
			return "Nothing to do: a newer version has migrated the database, and this one can use it."
		}
		return "Nothing to do: the database is up to date."
	}
	var out strings.Builder
	stop := false
	for _, step := range s.Missing {
		fmt.Fprintf(&out, "%s  %s\n", step.Name, strings.TrimSuffix(step.Reason, "."))
		stop = stop || step.Needs > s.Applied
	}
	switch {
	case s.Applied == "":
		out.WriteString("The database is empty: no server uses it yet.")
	case stop:
		fmt.Fprintf(&out, "Servers of versions that know the schema %s, and nothing newer, cannot use the database "+
			"afterwards: stop them first, or upgrade to the versions in between, one after the other.", s.Applied)
	default:
		fmt.Fprintf(&out, "Servers of versions that know the schema %s go on serving. Run `florin migrate`, then replace "+
			"one server after the other.", s.Applied)
	}
	return out.String()
}

// stepFile is how the files of migrations are called.
var stepFile = regexp.MustCompile(`^(\d+)_[0-9a-z_-]+\.tx\.up\.sql$`)

// steps reads the migrations in order.
func steps(files fs.FS) (list []Step, err error) {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		m := stepFile.FindStringSubmatch(entry.Name())
		if m == nil {
			continue
		}
		text, err := fs.ReadFile(files, entry.Name())
		if err != nil {
			return nil, err
		}
		first, rest, _ := strings.Cut(string(text), "\n")
		second, _, _ := strings.Cut(rest, "\n")
		s := Step{
			Name: m[1], Reason: strings.TrimPrefix(first, "-- Reason: "), Needs: m[1], digest: digest(string(text)),
		}
		if needs, ok := strings.CutPrefix(second, "-- Needs: "); ok {
			s.Needs = strings.TrimSpace(needs)
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b Step) int { return strings.Compare(a.Name, b.Name) })
	return list, nil
}

// schemaOf compares the database with the migrations. listed: it has a list of those that were applied, which an empty
// database has not.
func schemaOf(ctx context.Context, db bun.IDB, files fs.FS, listed bool) (Schema, error) {
	all, err := steps(files)
	if err != nil || len(all) == 0 {
		return Schema{}, err
	}
	s := Schema{Known: all[len(all)-1].Name, Missing: all}
	var applied []string
	if listed {
		if err := db.NewRaw("SELECT name FROM bun_migrations ORDER BY name").Scan(ctx, &applied); err != nil {
			return Schema{}, err
		}
	}
	if len(applied) == 0 {
		return s, nil
	}
	var versions []struct{ Name, Needs, Digest string } // builds before the digest have none
	if err := db.NewRaw("SELECT * FROM schema_versions").Scan(ctx, &versions); err != nil {
		return Schema{}, err
	}
	s.Applied, s.Missing = applied[len(applied)-1], nil
	digests := make(map[string]string)
	for _, v := range versions {
		s.Needs, digests[v.Name] = max(s.Needs, v.Needs), v.Digest
	}
	for _, step := range all {
		if !slices.Contains(applied, step.Name) {
			s.Missing = append(s.Missing, step)
		} else if digests[step.Name] != step.digest {
			s.Changed = true
		}
	}
	return s, nil
}

// migrateUp applies what is missing, unless a newer program has migrated the database too far for this one. bun marks a
// migration as applied after its transaction; here it is marked inside, so that a crash between the two cannot make it
// run twice.
func migrateUp(ctx context.Context, db *bun.DB, files fs.FS, before migrate.MigrationHook) error {
	all := migrate.NewMigrations()
	if err := all.Discover(files); err != nil {
		return err
	}
	list, err := steps(files)
	if err != nil {
		return err
	}
	m := migrate.NewMigrator(db, all, migrate.WithMarkAppliedOnSuccess(true), migrate.WithUpsert(true),
		migrate.BeforeMigration(before), migrate.AfterMigration(markApplied(list)))
	if err := makeLists(ctx, m); err != nil {
		return err
	}
	schema, err := schemaOf(ctx, db, files, true)
	if err == nil {
		err = schema.Check()
	}
	if err != nil {
		return err
	}
	for range maxRaces {
		err = retry(ctx, func() error {
			_, err := m.Migrate(ctx)
			return err
		})
		if !errors.Is(err, errAlreadyApplied) && !inUse(err) {
			return err
		}
	}
	return err
}

// makeLists makes the tables of bun. Another program that makes one at the same moment makes this one fail.
func makeLists(ctx context.Context, m *migrate.Migrator) (err error) {
	for range maxRaces {
		err = retry(ctx, func() error { return m.Init(ctx) })
		made, ok := errors.AsType[*pgconn.PgError](err)
		if !IsDuplicate(err) && !(ok && (made.Code == pgDuplicateTable || made.Code == pgDuplicateObject)) {
			return err
		}
	}
	return err
}

// inUse reports whether a migration gave up because a table was in use for longer than it may hold up requests.
func inUse(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == pgLockNotAvailable
}

func (e *postgresEngine) Schema(ctx context.Context, m Migrations) (Schema, error) {
	found, err := look(ctx, e.db, surveyPostgres)
	if err != nil {
		return Schema{}, err
	}
	return schemaOf(ctx, e.db, m.Postgres, found.Listed)
}

func (e *sqliteEngine) Schema(ctx context.Context, m Migrations) (Schema, error) {
	found, err := look(ctx, e.db, surveySQLite)
	if err != nil {
		return Schema{}, err
	}
	return schemaOf(ctx, e.db, m.SQLite, found.Listed)
}

func refuseApplied(ctx context.Context, db bun.IConn, m *migrate.Migration) error {
	var n int
	err := db.QueryRowContext(ctx, "SELECT count(*) FROM bun_migrations WHERE name = ?", m.Name).Scan(&n)
	if err == nil && n > 0 {
		return errAlreadyApplied
	}
	return err
}

// markApplied marks a migration as applied, in its transaction.
func markApplied(list []Step) migrate.MigrationHook {
	return func(ctx context.Context, db bun.IConn, m *migrate.Migration) error {
		_, err := db.ExecContext(ctx, "INSERT INTO bun_migrations (name, group_id) VALUES (?, ?)", m.Name, m.GroupID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list, func(s Step) bool { return s.Name == m.Name })
		if i < 0 {
			return fmt.Errorf("the migration %s is not among those that were read", m.Name)
		}
		_, err = db.ExecContext(ctx, "INSERT INTO schema_versions (name, needs, digest) VALUES (?, ?, ?)", m.Name,
			list[i].Needs, list[i].digest)
		return err
	}
}

// lockMigration has programs migrate one after the other: the lock ends with the transaction, so that no pooler can
// keep it. Requests queue behind a migration that waits for a table: it gives up soon, lets them through, and tries
// again.
// The number is "Florin".
const lockMigration = "SET LOCAL lock_timeout = 0; SELECT pg_advisory_xact_lock(77431540181358); SET LOCAL lock_timeout = '1s'"

func lockAndRefuseApplied(ctx context.Context, db bun.IConn, m *migrate.Migration) error {
	if _, err := db.ExecContext(ctx, lockMigration); err != nil {
		return err
	}
	return refuseApplied(ctx, db, m)
}

// upToDate reports whether nothing is to be migrated, and fails if this program cannot use the database.
func upToDate(ctx context.Context, e Engine, m Migrations) (bool, error) {
	schema, err := e.Schema(ctx, m)
	if err == nil {
		err = schema.Check()
	}
	return schema.Applied != "" && len(schema.Missing) == 0, err
}

// Migrate takes no lock where nothing is to be done.
func (e *postgresEngine) Migrate(ctx context.Context, m Migrations, waits func(forWhat string)) (err error) {
	if done, err := upToDate(ctx, e, m); done || err != nil {
		return err
	}
	// A migration is many statements in one text, which only the simple protocol
	// accepts.
	db := e.openBun(pgx.QueryExecModeSimpleProtocol, 1)
	defer func() { err = errors.Join(err, db.Close()) }()
	var process int
	if err := db.NewRaw("SELECT pg_backend_pid()").Scan(ctx, &process); err != nil {
		return err
	}
	over, done := context.WithCancel(ctx)
	defer done()
	go e.reportWait(over, process, waits)
	return migrateUp(ctx, db, m.Postgres, lockAndRefuseApplied)
}

// waitReported is after how long, and how often, it is said what a migration waits for.
const waitReported = 5 * time.Second

// reportWait says what holds the locks that a process of the server waits for.
func (e *postgresEngine) reportWait(ctx context.Context, process int, waits func(string)) {
	const holders = `SELECT coalesce(nullif(a.application_name, ''), 'a program') || ', process ' || a.pid ||
		coalesce(' (' || a.state || ')', '') FROM unnest(pg_blocking_pids(?)) AS b JOIN pg_stat_activity AS a ON a.pid = b`
	tick := time.NewTicker(waitReported)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		var list []string
		if err := e.db.NewRaw(holders, process).Scan(ctx, &list); err == nil && len(list) > 0 {
			waits(strings.Join(list, "; "))
		}
	}
}
