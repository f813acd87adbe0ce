//go:build linux || darwin

package doctor

import "syscall"

// freeBytes returns how much a user may still write to the file system of the directory.
func freeBytes(directory string) (int64, bool) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(directory, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true //nolint:gosec,unconvert // far below 2⁶³; the types differ by system
}
