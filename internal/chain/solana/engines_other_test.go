//go:build !linux

package solana_test

import "testing"

// runtimes are the implementations of Solana that the tests run on. The real runtime exists for Linux only.
func runtimes() map[string]func(t *testing.T) *harness {
	return map[string]func(t *testing.T) *harness{"Devsol": func(t *testing.T) *harness { return newLedger(t).harness }}
}
