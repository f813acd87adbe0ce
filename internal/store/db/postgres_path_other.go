//go:build !linux

package db

import "syscall"

// boundUnsent does nothing: there is no such setting.
func boundUnsent(string, string, syscall.RawConn) error { return nil }
