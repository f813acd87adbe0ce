package main

import (
	"io/fs"
	"os"
	"syscall"
)

// prSetDumpable is an operation of prctl(2).
const prSetDumpable = 4

// harden keeps the memory of the program, which has keys in it, from core dumps, and from other programs of the same
// user (ptrace, /proc/PID/mem).
func harden() {
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{})
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, prSetDumpable, 0, 0) //nolint:dogsled // it fails on old kernels only
}

// keepOwner gives a file the owner of the file that it replaces.
func keepOwner(f *os.File, replaced fs.FileInfo) error {
	if owner, ok := replaced.Sys().(*syscall.Stat_t); ok {
		return f.Chown(int(owner.Uid), int(owner.Gid))
	}
	return nil
}
