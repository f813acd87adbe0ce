package wallet

import (
	"fmt"
	"strings"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
)

// seedPlace binds a sealed seed to its use.
const seedPlace = "solana deposit seed v1"

// sealedName may stand before a sealed seed, so that one text serves as a line of a .env file and as a file.
const sealedName = "FLORIN_SOL_SEED="

// SealedSeed returns the sealed seed in a text: without the name before it, and without comments. It is empty if the
// text is none.
func SealedSeed(text string) string {
	for line := range strings.Lines(text) {
		line = strings.Trim(strings.TrimPrefix(strings.TrimSpace(line), sealedName), `"`)
		if secret.KeyIDOf(line) != "" {
			return line
		}
	}
	return ""
}

// Seal returns the seed sealed under FLORIN_SECRET_KEY. It seals the key that deposit addresses derive from, not the
// words, of which nothing can be learned from it.
func (s *Seed) Seal(sealer *secret.Sealer) string {
	v := s.vault()
	v.mu.Lock()
	defer v.mu.Unlock()
	return sealer.SealBytes(seedPlace, v.root())
}

// OpenSeed opens a sealed seed. It fails with fault.Invalid.
func OpenSeed(sealer *secret.Sealer, sealed string) (*Seed, error) {
	v := newVault()
	plain, err := sealer.OpenInto(v.mem[:0:nodeSize], seedPlace, SealedSeed(sealed))
	if err != nil {
		return nil, fault.New(fault.Invalid, "%v", fmt.Errorf("the sealed seed cannot be opened: %w", err))
	}
	if len(plain) != nodeSize {
		return nil, fault.New(fault.Invalid, "the sealed seed has %d bytes, not %d", len(plain), nodeSize)
	}
	return &Seed{vault: enclose(v)}, nil
}

// ResealSeed returns a sealed seed sealed with the key that the sealer seals with: the same text if it is already.
func ResealSeed(sealer *secret.Sealer, sealed string) (string, error) {
	return sealer.Reseal(seedPlace, SealedSeed(sealed))
}
