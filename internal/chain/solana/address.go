package solana

import (
	"bytes"
	"sync"

	solanago "github.com/gagliardetto/solana-go"
)

// associated returns the associated token account of an owner, who may be off the curve, for a mint of the
// token program.
func associated(owner, mint solanago.PublicKey) solanago.PublicKey {
	return associatedOf(owner, mint, solanago.TokenProgramID)
}

// associatedOf is associated for a mint of either token program.
func associatedOf(owner, mint, program solanago.PublicKey) solanago.PublicKey {
	ata, _, err := solanago.FindAssociatedTokenAddressWithProgram(owner, mint, program)
	if err != nil {
		// no bump seed gives an address off the curve: practically impossible, and such an account cannot be paid
		return solanago.PublicKey{}
	}
	return ata
}

// addressCache caches associated accounts, because deriving one takes several hashes and curve checks.
type addressCache struct {
	mu    sync.Mutex
	known map[[2]solanago.PublicKey]solanago.PublicKey
}

// knownAddresses bounds the cache; a full one is emptied.
const knownAddresses = 1 << 18

func (b *addressCache) associated(owner, mint solanago.PublicKey) solanago.PublicKey {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := [2]solanago.PublicKey{owner, mint}
	if ata, ok := b.known[at]; ok {
		return ata
	}
	if b.known == nil || len(b.known) >= knownAddresses {
		b.known = make(map[[2]solanago.PublicKey]solanago.PublicKey)
	}
	ata := associated(owner, mint)
	b.known[at] = ata
	return ata
}

// less orders keys.
func less(a, b solanago.PublicKey) int { return bytes.Compare(a[:], b[:]) }
