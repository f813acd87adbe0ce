// Package solana reads and uses Solana over JSON-RPC: slots and token
// transfers, balances, transactions, deposit addresses and sweeps.
//
//	Adapter ──▶ pool ──▶ endpoint ──HTTP──▶ node
//	   │                    └ health, cool-down, genesis hash
//	   ├ watchedAccounts: the last known state of each watched token account, and its history
//	   └ Heads, Scan, Confirm, Balances, Find, BlockAt, Check (chain.Reader)
//	Sender ──▶ Adapter (chain.SweepSender)
//
// The payer is shown the owner; money arrives on the owner's associated token
// account of a mint. A successful transaction credits the difference between
// that account's balances before and after it, as the node reports them, and
// only if the account was the owner's throughout. Instructions are not read,
// since most transfers are made by other programs. Other accounts under the
// owner's key are read once they are known (token_accounts.go).
//
// Its one invariant: an answer is complete and consistent or it is an error. A
// token account whose state changed must have a transaction that explains the
// change before the slots up to the change count as read.
package solana
