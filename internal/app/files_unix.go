//go:build unix

package app

import "syscall"

// maxFiles returns how many files and connections the system lets the program
// have open at once; 0 if it is unknown.
func maxFiles() uint64 {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 0
	}
	return l.Cur
}
