package app

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestForgetStart: pages of the program's file go, and what it needs of them
// comes back by itself.
func TestForgetStart(t *testing.T) {
	before := residentFile(t)
	if err := forgetStart(); err != nil {
		t.Fatal(err)
	}
	if after := residentFile(t); after >= before {
		t.Errorf("%d kB of files were resident, and %d still are", before, after)
	}
}

// residentFile is how much of files is in the memory of the process, in kB.
func residentFile(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "RssFile:")
	kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes
}
