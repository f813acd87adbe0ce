//go:build !linux

package solana_test

import "testing"

// engines are what the adapter is tried on. The real runtime runs on Linux only.
func engines() map[string]func(t *testing.T) *harness {
	return map[string]func(t *testing.T) *harness{"Devsol": func(t *testing.T) *harness { return newLedger(t).harness }}
}
