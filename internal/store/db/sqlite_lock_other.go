//go:build !unix

package db

import "io"

// This system has no flock(2): the operator sees to it that one server uses the file.
func lockExclusive(string) (io.Closer, error) { return nothing{}, nil }

func isLocked(string) (bool, error) { return false, nil }
