// Package evm reads the EVM networks: blocks and token transfers, balances,
// transactions, and the deposit addresses of the forwarder factory.
//
//	sender ──▶ evm.Adapter (chain.Reader) ──▶ rpc.Pool ──▶ nodes
//	           Heads, BlockAt, Scan, Confirm, Balances, Find, Check
//
// Its one invariant: an answer is complete and consistent or it is an error.
// Nodes lag, follow stale forks, cut answers short and contradict themselves.
// After an answer that does not fit, another endpoint is queried; nothing is
// guessed or skipped.
package evm
