// Package testtoken has the ERC-20 contracts of development chains and tests: a
// stablecoin that any account may mint. Nothing here is ever deployed to a
// public network or linked into the florin program.
package testtoken
