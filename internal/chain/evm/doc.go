// Package evm reads and uses the EVM networks over JSON-RPC: blocks and token
// transfers, balances, transactions, the deposit addresses of the forwarder
// factory and its deployment.
//
//	Adapter ──▶ pool ──▶ endpoint ──HTTP──▶ node
//	   │                    ├ health, cool-down, chain id
//	   │                    └ how many blocks, topics and calls it takes at once
//	   └ Heads, Scan, Confirm, Balances, Find, BlockAt, Check (chain.Reader)
//
// Its one invariant: an answer is complete and consistent or it is an error.
// Nodes lag, sit on stale forks, cut answers short and contradict themselves;
// whatever does not fit together is asked of another endpoint and never
// guessed at or skipped.
package evm
