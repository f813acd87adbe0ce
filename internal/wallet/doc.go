// Package wallet holds the operator's private keys: the gas wallets and the
// seed that Solana deposit addresses derive from.
//
// Its one invariant: a key never leaves. What comes out is addresses and
// signatures; every holder prints as ***, wherever it is printed. The only
// texts it ever hands out are those of keys it has just made.
package wallet
