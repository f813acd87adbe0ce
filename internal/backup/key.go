package backup

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"filippo.io/age"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
)

// MinPassphrase is the least length of a passphrase, in characters. A backup can be tried offline for years.
const MinPassphrase = 16

// Recipients parses public keys of age ("age1…").
func Recipients(texts []string) ([]age.Recipient, error) {
	list, err := age.ParseRecipients(strings.NewReader(strings.Join(texts, "\n")))
	if err != nil {
		return nil, fault.New(fault.Invalid,
			"--recipient must be the whole public key that age-keygen printed, which begins with age1")
	}
	return list, nil
}

// Identities reads a file of private keys, as age-keygen writes it.
func Identities(r io.Reader) ([]age.Identity, error) {
	list, err := age.ParseIdentities(r)
	if err != nil {
		return nil, fault.New(fault.Invalid, "--identity must name a file that age-keygen made")
	}
	return list, nil
}

// PassphraseRecipient returns the recipient of a backup that the passphrase opens. It fails with fault.Invalid if the
// passphrase is short.
func PassphraseRecipient(passphrase secret.Text) (age.Recipient, error) {
	if utf8.RuneCountInString(passphrase.Reveal()) < MinPassphrase {
		return nil, fault.New(fault.Invalid, "the passphrase must have at least %d characters", MinPassphrase)
	}
	to, err := age.NewScryptRecipient(passphrase.Reveal())
	if err != nil {
		return nil, fmt.Errorf("passphrase: %w", err)
	}
	return to, nil
}

// PassphraseIdentity returns the identity that opens what PassphraseRecipient encrypted.
func PassphraseIdentity(passphrase secret.Text) (age.Identity, error) {
	with, err := age.NewScryptIdentity(passphrase.Reveal())
	if err != nil {
		return nil, fmt.Errorf("passphrase: %w", err)
	}
	return with, nil
}
