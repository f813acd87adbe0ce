package identity

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"

	"golang.org/x/crypto/argon2"

	"github.com/florinpay/florin/internal/secret"
)

// newRecoveryCodes returns the codes as the user sees them, and their hashes.
func (s *Service) newRecoveryCodes(ctx context.Context, user User) ([]secret.Text, []Hash, error) {
	texts, hashes := make([]secret.Text, recoveryCodes), make([]Hash, recoveryCodes)
	for i := range texts {
		raw := make([]byte, plainBase32.DecodedLen(recoveryChars)+1)
		if _, err := io.ReadFull(s.opts.Random, raw); err != nil {
			return nil, nil, fmt.Errorf("make recovery codes: %w", err)
		}
		chars := strings.ToLower(plainBase32.EncodeToString(raw))[:recoveryChars]
		var groups []string
		for at := 0; at < recoveryChars; at += recoveryGroup {
			groups = append(groups, chars[at:at+recoveryGroup])
		}
		texts[i] = secret.New(strings.Join(groups, "-"))
		var err error
		if hashes[i], err = s.recoveryHash(ctx, user, chars); err != nil {
			return nil, nil, err
		}
	}
	return texts, hashes, nil
}

// recoveryText returns a code as it is hashed, in the form that users type it.
func recoveryText(code string) string { return strings.ToLower(plainCode(code)) }

// isRecoveryCode reports whether the text has the form of a recovery code. Others are refused without hashing.
func isRecoveryCode(code string) bool {
	text := recoveryText(code)
	return len(text) == recoveryChars && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// recoveryHash is argon2id of a code with the parameters of passwords. The salt is the user's, so that one hash finds
// the code among all of theirs; the code itself is random enough that the salt need not be.
func (s *Service) recoveryHash(ctx context.Context, user User, code string) (Hash, error) {
	done, err := s.passwords.turn(ctx, true)
	if err != nil {
		return Hash{}, err
	}
	defer done()
	salt := sha256.Sum256([]byte("recovery codes of " + user.PublicID))
	cost := s.opts.Hashing
	sum := argon2.IDKey([]byte(recoveryText(code)), salt[:cost.SaltLength], cost.Iterations, cost.Memory,
		cost.Parallelism, cost.KeyLength)
	return Hash(sum), nil
}
