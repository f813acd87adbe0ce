//go:build unix

package backup

import (
	"fmt"
	"math"
	"syscall"
)

// Space returns how many bytes may be written to the file system of the path, and how many it holds.
func Space(path string) (free, size int64, err error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return 0, 0, fmt.Errorf("free space of %s: %w", path, err)
	}
	bytes := func(blocks uint64) int64 { return int64(min(float64(blocks)*float64(s.Bsize), math.MaxInt64/2)) }
	return bytes(uint64(s.Bavail)), bytes(s.Blocks), nil //nolint:unconvert // the types differ by system
}
