// Package devsol is a development ledger: a simulation of Solana for machines
// that have nothing but Go. It is not the Solana virtual machine. It verifies
// real signatures and carries out what wallets and sweeps send, after the rules
// of the programs it stands in for: transfers of SOL, associated accounts,
// tokens of the classic token program, compute budget and memo. Any other
// program fails the transaction. One suite of tests holds it against the real
// runtime, instruction by instruction.
//
//	send ──▶ verify ──▶ execute on the slot being made ──▶ Seal ──▶ confirmed
//	                                                         │  after some slots
//	Fork ──▶ undo the newest slots                           └──▶ finalized
//
// Its one invariant: a slot that is finalized is never taken back, and the
// same directory gives the same slots, hashes and accounts again.
package devsol
