package wallet

import (
	"crypto/sha512"
	"encoding"
	"encoding/binary"
	"runtime"
	"sync"
)

// nodeSize is the size of a SLIP-0010 key: 32 bytes of key, then 32 bytes of chain code.
const nodeSize = 64

// vault holds a node of the tree, and all that is computed with it, in memory outside the Go heap: the collector copies
// none of it, it is not swapped out where the system allows it, and it is in no core dump. A node that derives from it
// leaves the vault; what it holds does not.
type vault struct {
	mu  sync.Mutex
	mem []byte
}

// The parts of a vault's memory.
const (
	vaultRoot   = nodeSize          // end of the node
	vaultFirst  = vaultRoot + block // end of the first block of a hash
	vaultSecond = vaultFirst + block
	vaultSize   = vaultSecond
)

func newVault() *vault {
	v := &vault{mem: lockedMemory(vaultSize)}
	runtime.AddCleanup(v, func(mem []byte) { clear(mem); freeMemory(mem) }, v.mem)
	return v
}

// root is the memory of the node.
func (v *vault) root() []byte { return v.mem[:vaultRoot:vaultRoot] }

// child returns the hardened child of the node: index' in a path.
func (v *vault) child(index uint32) node {
	v.mu.Lock()
	defer v.mu.Unlock()
	defer runtime.KeepAlive(v)
	return childOf(v.root(), index, v.mem[vaultRoot:vaultFirst], v.mem[vaultFirst:vaultSecond])
}

// block is the size of SHA-512's block.
const block = sha512.BlockSize

// childOf returns the hardened child (SLIP-0010) of a node. It computes HMAC-SHA512 of 0 ‖ key ‖ index under the chain
// code in the two blocks, and clears them. The message is padded here and hashed in whole blocks, because a hash keeps
// the rest of an incomplete one in memory of its own.
func childOf(parent []byte, index uint32, first, second []byte) (n node) {
	key, chainCode := parent[:32], parent[32:nodeSize]
	defer func() { clear(first); clear(second) }()
	pad(first, chainCode, 0x36)
	clear(second)
	copy(second[1:], key)
	binary.BigEndian.PutUint32(second[33:], index|1<<31)
	inner := hashBlocks(first, second, 37)
	defer clear(inner)
	pad(first, chainCode, 0x5c)
	clear(second)
	copy(second, inner)
	outer := hashBlocks(first, second, sha512.Size)
	copy(n[:], outer)
	clear(outer)
	return n
}

// pad writes the key of an HMAC as a block.
func pad(dst, key []byte, with byte) {
	for i := range dst {
		dst[i] = with
		if i < len(key) {
			dst[i] ^= key[i]
		}
	}
}

// hashBlocks returns SHA-512 of the first block and the first n bytes of the second. It writes the padding into the
// second block.
func hashBlocks(first, second []byte, n int) []byte {
	second[n] = 0x80
	clear(second[n+1:])
	binary.BigEndian.PutUint64(second[block-8:], uint64(block+n)*8) //nolint:gosec // a length of less than two blocks
	h := sha512.New()
	_, _ = h.Write(first)
	_, _ = h.Write(second)
	marshaler, ok := h.(encoding.BinaryMarshaler)
	if !ok {
		panic("wallet: SHA-512 does not show its state")
	}
	state, err := marshaler.MarshalBinary()
	if err != nil || len(state) < stateMagic+sha512.Size {
		panic("wallet: SHA-512 does not show its state")
	}
	return state[stateMagic : stateMagic+sha512.Size]
}

// stateMagic is the length of what stands before the chaining value in a marshaled state of SHA-512.
const stateMagic = 4
