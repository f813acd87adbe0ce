package app

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// forgetStart gives back the pages of the program's own file that were needed
// to start it: most of its code runs once, or never. What is needed again is
// mapped again, from the kernel's cache. A part of which even one page was
// written to is left alone, for that page would be lost. It is worth a third of
// what the program holds when nobody asks it anything, and nothing depends on it.
func forgetStart() error {
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("the program's own file: %w", err)
	}
	maps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return fmt.Errorf("its memory: %w", err)
	}
	defer maps.Close()
	var from, to uintptr // the part that is being read about; none if to is 0
	lines := bufio.NewScanner(maps)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		switch {
		case len(f) >= 5 && strings.Contains(f[0], "-"):
			from, to = 0, 0
			if len(f) == 6 && f[5] == program && (f[1] == "r-xp" || f[1] == "r--p") {
				from, to = span(f[0])
			}
		case len(f) == 3 && f[0] == "Anonymous:" && f[1] == "0" && to != 0:
			if _, _, failed := syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_DONTNEED); failed != 0 {
				return fmt.Errorf("give memory back: %w", failed)
			}
		}
	}
	return lines.Err()
}

// span reads addresses such as "00400000-01854000"; 0 and 0 for anything else.
func span(text string) (from, to uintptr) {
	a, b, _ := strings.Cut(text, "-")
	low, err := strconv.ParseUint(a, 16, 64)
	high, err2 := strconv.ParseUint(b, 16, 64)
	if err != nil || err2 != nil || high < low {
		return 0, 0
	}
	return uintptr(low), uintptr(high)
}
