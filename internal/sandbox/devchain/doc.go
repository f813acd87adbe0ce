// Package devchain runs development chains inside the process: real
// go-ethereum nodes without peers, whose blocks are made on command or by a
// timer, with free test tokens and the forwarder factory on them. The sandbox
// and the tests use it; the florin program never imports it, since it would
// grow by some 40 MB.
//
//	Commit ──▶ build from pool ──▶ insert ──▶ head ──▶ labels
//	Fork   ──▶ head goes back; the transactions return to the pool
//	Rollback ▶ the pool forgets them
//
// Its one invariant: a block at or below the finalized label is never rolled back, as on the networks it simulates.
package devchain
