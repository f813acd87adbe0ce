// Package simulation shows that money is safe whatever goes wrong, by running
// the real services on a real database against a scripted ledger, with faults
// drawn from a seed. Everything is in its tests:
//
//	go test ./internal/simulation -run TestSeed -seed 7 -seeds 1 -whole  one seed, told
//	go test ./internal/simulation -run TestSeed -seed 1000 -for 10m     many
//
// A run is a few hundred steps: what payers, merchants and the network do, one
// round of a loop, a fault. Faults are crashes before or after any commit,
// endpoints that fail, lag, lie, hide and repeat themselves, reorganisations,
// clocks that jump, receivers that fail and stall, a second instance whose
// rounds begin in the middle of the first one's, decisions that are made twice.
// Then all is calm, and everything that was begun must come to its end.
//
//	seed ─▶ step ─▶ round of a watcher, expirer, sweeper, deliverer ─▶ store
//	          │            └─▶ ledger, receivers (faults)
//	          └─▶ check: spec section 1, after every step and at the end
//
// Its one invariant: a run is a function of its seed. Everything happens on one
// goroutine, time is given in, and what others decide for themselves is sorted
// or cannot be seen; so a failing seed fails again.
package simulation
