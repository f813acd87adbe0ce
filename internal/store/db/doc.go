// Package db runs SQL on the two databases Florin supports: SQLite for a
// single machine, PostgreSQL for more. It knows no type of the domain.
//
// Its one invariant: a transaction is written whole or not at all, and every
// function that takes a transaction body may run that body again, because a
// transaction that loses a race against another one is repeated.
//
// There are two ways to run SQL:
//
//   - bun, for everything that is not run by every payment: Engine.Reader,
//     Engine.Write, Engine.Snapshot;
//   - prepared statements (Stmt), for the hot paths: Engine.Read, Engine.Hot.
//     Their texts are generated from the lists of Table, so that a table's
//     columns are listed once. bun reads rows by the same lists.
//
// # Sharing commits
//
// A commit costs one flush to disk, about as much as a hundred statements. So
// callers that wait while a commit runs share the next one (Batcher). On SQLite
// one writer runs the waiting methods in one transaction, each in its own
// savepoint. On PostgreSQL the callers' statements are merged: a Stmt with a
// text for many rows takes the arguments of all callers as arrays (unnest), so
// that 64 creates are one statement in one round trip. Both are measured
// against the limits of the write rates; without merging, PostgreSQL reaches
// about half the rate.
package db
