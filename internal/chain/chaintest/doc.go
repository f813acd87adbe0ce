// Package chaintest tests the chain adapters: a scripted chain that mines and
// forks, endpoints that show it over HTTP with faults on command, and the
// conformance suite of chain.Reader.
//
//	RunReader, RunForks ──▶ Harness ──▶ a chain that can be driven
//	                           └──────▶ chain.Reader under test ──HTTP──▶ Endpoint ──▶ EVM
//
// Its one invariant: a scripted chain without faults answers as a real node
// does, so that the conformance suite passes on both.
package chaintest
