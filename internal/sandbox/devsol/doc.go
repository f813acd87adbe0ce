// Package devsol is a development ledger: a simulation of Solana that needs nothing but Go. It is not the Solana
// virtual machine. It verifies real signatures and executes what wallets and sweeps send, by the rules of the
// programs it simulates: transfers of SOL, associated accounts, the classic token program, compute budget and memo.
// An instruction of any other program fails the transaction. The parity tests of package chain/solana compare it with
// the real runtime, instruction by instruction.
//
//	send ──▶ verify ──▶ execute on the slot being made ──▶ Seal ──▶ confirmed
//	                                                         │  after some slots
//	Fork ──▶ undo the newest slots                           └──▶ finalized
//
// Its one invariant: a finalized slot is never rolled back, and the same directory yields the same slots, hashes and
// accounts again.
package devsol
