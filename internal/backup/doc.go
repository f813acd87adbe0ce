// Package backup defines what a backup of a SQLite database holds, and how the
// program knows that its database was restored.
//
// Its one invariant: nothing of a backup is used before all of it was verified,
// and no restored database is served before it was adopted.
//
// # Backup
//
// SQLite's online backup copies one moment of the database while the server
// runs. The file is age(zstd(tar(manifest.json, florin.db))), so standard tools
// open it. The manifest has the hash of the copy, its schema, row counts,
// cursors and ledger sums, authenticated with FLORIN_SECRET_KEY: whoever can
// only write to where backups lie cannot plant a database.
//
// # Restore
//
//	decrypt → verify hash, manifest, integrity, contents → adopt → fsync → rename
//
// All steps but the last work on a file of their own; a database that exists is
// kept under another name, and only with --force.
//
// To adopt is to give the database the next generation, in one transaction. What
// was numbered in the time that is lost is never numbered again: sequences of
// payments and positions of events go on at bases of the generation
// (SequenceBase, PositionBase). Sessions, resets and invitations end, because
// they may have been revoked since; changes of settlement wallets that wait are
// stopped, because their owners may have stopped them. Networks are read on from
// the restored cursors, with every address there ever was (RereadTo). A network is
// replaying until it is read to its end: it is not offered, and webhooks of its
// payments of before are marked. Each network ends by itself. What an emptied
// address was swept to is read from the chain, and a payment of before expires only
// after its address was searched through every endpoint.
//
// # Mark
//
// A database may also go back without this program: a copied file, a snapshot, a
// replica. While it is served, the database counts ticks, and a small file
// outside it, the mark, follows. A database that has fewer ticks than its mark
// is older than one that was served, and is refused until it is adopted.
package backup
