package solana_test

import "testing"

// runtimes are the implementations of Solana that the tests run on: the development ledger and the real
// runtime.
func runtimes() map[string]func(t *testing.T) *harness {
	return map[string]func(t *testing.T) *harness{
		"Devsol":   func(t *testing.T) *harness { return newLedger(t).harness },
		"Surfpool": newSurfpool,
	}
}
