//go:build !linux

package wallet

// lockedMemory returns memory. Only Linux excludes it from dumps and swap here.
func lockedMemory(size int) []byte { return make([]byte, size) }

func freeMemory([]byte) {}
