//go:build !unix

package app

// maxFiles is not known where there is no such limit.
func maxFiles() uint64 { return 0 }
