// Package table holds the tables that several stores read or write: the ledger with its balances, the audit log, users
// with their memberships, deposits, leases, and the secrets of custodians. Each table has one row type, in which its
// columns are listed, and the statements that its stores share.
//
// Its one invariant: unless its comment says that it is a transaction, a function runs in the transaction of its
// caller.
package table
