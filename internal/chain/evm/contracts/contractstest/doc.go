// Package contractstest has the contracts that tests run the
// forwarders against: tokens and settlement contracts that misbehave, and the library
// whose clones the forwarders are. Nothing here is deployed outside of tests.
package contractstest
