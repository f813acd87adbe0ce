// Package devchain runs development chains inside the process: a real EVM with free test tokens and the forwarder
// factory, whose blocks are made on command or by a timer. The sandbox and the tests use it; the florin program
// never imports it, since a chain in the program could mint tokens.
//
// What executes is go-ethereum's: its interpreter and state (core/vm, core/state), the rules by which a transaction
// changes a state and pays (core), the base fee (EIP-1559), the checks before a transaction is taken (core/txpool),
// the search for a gas limit (eth/gasestimator) and the JSON-RPC server (rpc). What a node has around that is ours
// and small, since nobody else's blocks are to be checked: which block is the head (seal.go), what waits for the next
// one (pool.go), the stored blocks (journal.go) and the methods (api.go, call.go, fees.go, logs.go), which answer
// and refuse in geth's words.
//
//	Send, eth_sendRawTransaction ──▶ pool
//	Commit, timer ──▶ build from pool ──▶ journal ──▶ head ──▶ labels, subscribers
//	Fork   ──▶ head goes back; the transactions return to the pool
//	Rollback ▶ the pool forgets them
//
// Its one invariant: a block at or below the finalized label is never rolled back, as on the networks it simulates.
package devchain
