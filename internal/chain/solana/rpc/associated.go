package rpc

import (
	"sync"

	solanago "github.com/gagliardetto/solana-go"
)

// AccountOf returns the associated token account (program ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL) of an owner,
// who may be off the curve, for a mint of the token program.
func AccountOf(owner, mint solanago.PublicKey) solanago.PublicKey {
	return AccountOfProgram(owner, mint, solanago.TokenProgramID)
}

// AccountOfProgram is AccountOf for a mint of either token program.
func AccountOfProgram(owner, mint, program solanago.PublicKey) solanago.PublicKey {
	ata, _, err := solanago.FindAssociatedTokenAddressWithProgram(owner, mint, program)
	if err != nil {
		// no bump seed gives an address off the curve: practically impossible, and such an account cannot be paid
		return solanago.PublicKey{}
	}
	return ata
}

// Accounts caches associated accounts, because deriving one takes several hashes and curve checks.
type Accounts struct {
	mu    sync.Mutex
	known map[[2]solanago.PublicKey]solanago.PublicKey
}

// knownAddresses bounds the cache; a full one is emptied.
const knownAddresses = 1 << 18

// Of is AccountOf, from the cache.
func (b *Accounts) Of(owner, mint solanago.PublicKey) solanago.PublicKey {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := [2]solanago.PublicKey{owner, mint}
	if ata, ok := b.known[at]; ok {
		return ata
	}
	if b.known == nil || len(b.known) >= knownAddresses {
		b.known = make(map[[2]solanago.PublicKey]solanago.PublicKey)
	}
	ata := AccountOf(owner, mint)
	b.known[at] = ata
	return ata
}
