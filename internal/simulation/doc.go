// Package simulation shows that money is safe whatever goes wrong, by running
// the real services on a real database against a scripted ledger, with faults
// drawn from a seed. Everything is in its tests:
//
//	go test ./internal/simulation -run TestSeed -seed 7 -seeds 1 -trace  one seed, with its trace
//	go test ./internal/simulation -run TestSeed -seed 1000 -for 10m     many
//
// A run is a few hundred random steps: an action of a payer, a merchant or a network, a round of a loop, or a fault.
// Two networks run side by side: Polygon, where a nonce orders transactions, and Solana, where they expire.
// Faults are crashes before or after any commit, endpoints that fail, lag, invent, hide and repeat transfers,
// reorganizations, clocks that jump, receivers that fail and stall, a second instance whose rounds begin in the middle
// of the first one's, and decisions that are made twice. At the end the faults stop, and everything that was begun must
// finish.
//
//	seed ─▶ step ─▶ round of a watcher, expirer, sweeper, deliverer ─▶ store
//	          │            └─▶ chain, receivers (faults)
//	          └─▶ check: spec section 1, after every step and at the end
//
// Its one invariant: a run is a function of its seed, so that a failing seed fails again. Everything runs on one
// goroutine, time is a parameter, and whatever happens concurrently is sorted or leaves no trace.
//
// Where to read on: world_test.go and chain_test.go (the world), actions_test.go (what happens), crash_test.go,
// reader_test.go, sender_test.go and webhooks_test.go (its faults), invariants_test.go (what must hold).
package simulation
