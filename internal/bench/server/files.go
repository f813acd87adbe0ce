package main

import (
	"fmt"
	"syscall"
)

// besides is the number of files that are open in addition to those of the pages, here and in the program, which
// reserves some for requests.
const besides = 1_500

// roomFor raises the limit of open files of this process and its children to what the pages need, and returns for how
// many pages there is room.
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
