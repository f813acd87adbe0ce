//go:build !linux

package solana_test

import "testing"

// engines are the implementations of Solana that the tests run on. The real runtime exists for Linux only.
func engines() map[string]func(t *testing.T) *harness {
	return map[string]func(t *testing.T) *harness{"Devsol": func(t *testing.T) *harness { return newLedger(t).harness }}
}
