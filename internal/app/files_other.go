//go:build !unix

package app

// MaxFiles returns 0: this system has no such limit.
func MaxFiles() uint64 { return 0 }
