// Package chaintest holds what the chain adapters are tested with: a scripted
// chain that mines, forks, lags and lies over real HTTP, and the conformance
// suite every chain.Reader passes.
//
//	RunReader, RunForks ──▶ Harness ──▶ a chain that can be driven
//	                           └──────▶ chain.Reader under test ──HTTP──▶ Endpoint ──▶ EVM
//
// Its one invariant: a scripted chain without faults answers as a real node
// does, so that it passes the suite in place of one; every fault is asked for.
package chaintest
