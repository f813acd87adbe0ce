package wallet

import "syscall"

// madvDontDump excludes memory from core dumps (madvise(2)).
const madvDontDump = 16

// lockedMemory returns memory outside the Go heap that is excluded from core dumps, and not swapped out if the limit
// of locked memory (RLIMIT_MEMLOCK) allows it.
func lockedMemory(size int) []byte {
	mem, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic("wallet: no memory for a key: " + err.Error())
	}
	_ = syscall.Mlock(mem)
	_ = syscall.Madvise(mem, madvDontDump)
	return mem
}

func freeMemory(mem []byte) { _ = syscall.Munmap(mem) }
