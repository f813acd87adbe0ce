//go:build !unix

package app

// maxFiles returns 0: this system has no such limit.
func maxFiles() uint64 { return 0 }
