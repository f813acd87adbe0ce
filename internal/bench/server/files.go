package main

import (
	"fmt"
	"syscall"
)

// besides are the files that are open beside those of the pages, here and in
// the program, which keeps some for requests.
const besides = 1_500

// roomFor lets this process, and with it those it starts, have as many files
// open as pages need, and returns for how many pages there is room.
func roomFor(pages int) int {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return pages
	}
	need := uint64(pages) + besides
	if l.Max < need {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: need, Max: need}); err == nil {
			return pages
		}
		fmt.Printf("the system allows %d open files: fewer pages are opened\n", l.Max)
		return int(l.Max - besides)
	}
	l.Cur = l.Max
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return int(l.Cur - besides)
	}
	return pages
}
