// Package wallet holds the operator's private keys: the gas wallets and the
// seed that Solana deposit addresses derive from.
//
// Its one invariant: a key never leaves the package. Only addresses and
// signatures do, and the text of a key that was just generated. Every type that
// holds a key prints as ***.
package wallet
