//go:build unix

package app

import "syscall"

// MaxFiles returns how many files and connections the program may have open at once; 0 if unknown.
func MaxFiles() uint64 {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 0
	}
	return l.Cur
}
