// Package migrations holds the schema of the database as embedded SQL, one
// directory for each kind of database.
//
// Its one invariant: a migration that was released is never changed. Migrations
// go forward only, each runs in one transaction, and the first line of each
// gives its reason. The two directories hold the same names in the same order.
//
// Old and new programs use one database while they are replaced one after the
// other. The second line of a migration, "-- Needs: NAME", says which migration
// a program must know at least to use the database after it; without the line,
// this one. A change therefore takes two releases: the first expands (a column
// with a default, a table, an index: it needs what came before), and programs
// stop using what is to go; the second contracts, and needs the first.
package migrations

import (
	"embed"
	"io/fs"
)

//go:embed postgres/*.tx.up.sql sqlite/*.tx.up.sql
var files embed.FS

// Postgres returns the migrations for PostgreSQL 13 or later.
func Postgres() fs.FS { return sub("postgres") }

// SQLite returns the migrations for SQLite 3.37 or later (STRICT tables).
func SQLite() fs.FS { return sub("sqlite") }

func sub(directory string) fs.FS {
	f, err := fs.Sub(files, directory)
	if err != nil {
		panic("migrations: the embedded directory " + directory + " is not a valid path")
	}
	return f
}
