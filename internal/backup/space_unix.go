//go:build unix

package backup

import (
	"fmt"
	"math"
	"syscall"
)

// FreeSpace returns how many bytes may be written to the file system of the path.
func FreeSpace(path string) (int64, error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(path, &s); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", path, err)
	}
	free := float64(s.Bavail) * float64(s.Bsize)
	return int64(min(free, math.MaxInt64/2)), nil
}
