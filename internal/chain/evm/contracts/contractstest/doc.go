// Package contractstest has the contracts that tests and development chains run: a stablecoin that any account may
// mint, tokens and settlement contracts that misbehave, and the library whose clones the forwarders are. Nothing here
// is deployed to a public network or linked into the florin program.
package contractstest
