// Package solana reads and uses Solana over JSON-RPC: slots and token
// transfers, balances, transactions, deposit addresses and sweeps.
//
//	Adapter ──▶ pool ──▶ endpoint ──HTTP──▶ node
//	   │                    └ health, cool-down, genesis hash
//	   ├ watchedAccounts: the last known state of each watched token account, and its history
//	   └ Heads, Scan, Confirm, Balances, Find, BlockAt, Check (chain.Reader)
//	Sender ──▶ Adapter (chain.SweepSender)
//
// A customer is shown the owner; money arrives on the owner's associated token
// account of a mint. What counts is the difference that a transaction without
// error made to that account, by the node's own balances before and after it,
// and only while the account was the owner's: instructions are not read, since
// most transfers are made by other programs.
//
// Its one invariant: an answer is complete and consistent or it is an error. A
// token account whose state changed must have a transaction that explains the
// change before the slots up to the change count as read.
package solana
