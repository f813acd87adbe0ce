package solana_test

import "testing"

// engines are the implementations of Solana that the tests run on: the development ledger and the real
// runtime.
func engines() map[string]func(t *testing.T) *harness {
	return map[string]func(t *testing.T) *harness{
		"Devsol":   func(t *testing.T) *harness { return newLedger(t).harness },
		"Surfpool": newSurfpool,
	}
}
