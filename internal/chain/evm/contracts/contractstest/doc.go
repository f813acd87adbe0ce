// Package contractstest has the contracts that tests set against the
// forwarders: tokens and settlement contracts that misbehave, and the library
// whose clones the forwarders are. Nothing here is deployed outside of tests.
package contractstest
