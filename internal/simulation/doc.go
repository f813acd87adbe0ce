// Package simulation shows that money is safe whatever goes wrong, by running
// the real services on a real database against a scripted ledger, with faults
// drawn from a seed. Everything is in its tests, which run 200 seeds. More, with go test ./internal/simulation:
//
//	-run TestSeed -seed 7 -seeds 1 -trace          one seed, with its trace if it fails
//	-run TestSeed -seed 1000 -seeds 5000 -v        the seeds 1000 to 5999, and how much happened in them
//	-run TestSeed -seed 1000 -seeds 99999 -for 8m  those that are begun within eight minutes
//	-run TestPostgres -seeds 500                   on PostgreSQL, one in 50
//
// A seed that fails prints how to repeat it. A run of many is faster in one process with GOMAXPROCS=1.
//
// A world takes some dozen random steps: an action of a payer, a merchant or a network, a round of a loop that has
// something to do, or a fault. Two networks run side by side: Polygon, where a nonce orders transactions and `safe` or
// `finalized` counts, and Solana, where transactions expire. Both are read by the real adapters through one, two or three
// endpoints that answer in the process. What makes sweeps and recharges is simulated.
//
// Faults are
//
//   - crashes before or after any commit, commits that fail, commits whose answer is lost, decisions that another
//     transaction overtakes so that they are made again, and on PostgreSQL serialization failures (SQLSTATE 40001);
//   - endpoints that fail, lag, stand still on a fork, hide and deny transactions, invent or inflate them, name another
//     block, list them twice, answer with empty or half lists, time out, or break on single transactions and receipts,
//     for one call or for minutes, call a block final too early, too late or no more, or one that is none, and go over
//     to another chain for a while. About one transaction only one of them ever lies; one that is alone lies for less
//     time than lies between two readings, and stays on its chain, since it is believed;
//   - on Solana an index of signatures that is late or forgets, skipped slots, a refused rate of calls, and accounts
//     that a sweep has closed;
//   - reorganizations, and transactions whose recipient, asset, amount or order depends on the block;
//   - floods of dust, money after the end, in the last minute, of another token, in several payments at once;
//   - clocks that jump, receivers that fail and stall, a gas wallet that is empty or used by others, and a second
//     instance whose rounds begin in the middle of the first one's.
//
// At the end the faults stop. Whatever is final by then must be recorded within shownWithin, whoever hid it, and
// everything that was begun must finish. Transfers below a cent may be missing until the daily comparison of balances,
// where one endpoint is all there is.
//
//	seed ─▶ step ─▶ round of a watcher, expirer, sweeper, deliverer, recharge ─▶ store
//	          │            └─▶ chain, receivers (faults)
//	          └─▶ check: spec section 1, after every step and at the end
//
// Its one invariant: a run is a function of its seed, so that a failing seed fails again. Everything runs on one
// goroutine, time is a parameter, and whatever happens concurrently is sorted or leaves no trace. What must hold is
// checked against the world, which alone knows what happened, not against our own tables.
//
// Where to read on: world_test.go and chain_test.go (the world), actions_test.go and payer_test.go (what happens),
// crash_test.go, store_test.go, node_test.go, lies_test.go, reader_test.go, solana_node_test.go, solana_reader_test.go,
// sender_test.go, recharge_test.go and webhooks_test.go (its faults), invariants_test.go and arrivals_test.go (what
// must hold).
package simulation
