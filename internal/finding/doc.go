// Package finding answers "I have paid, find it": it looks a transaction up on
// every network it could be on and says exactly what is wrong with it, or how
// far it is.
//
// Its one invariant: it only looks. What it finds credits nothing; that is the
// watcher's, by the chain's own finality.
package finding
