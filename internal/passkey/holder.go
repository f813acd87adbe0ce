package passkey

import (
	"encoding/json"
	"fmt"

	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/florinpay/florin/internal/identity"
)

// holder is a user as the protocol sees one.
type holder struct {
	user        identity.User
	credentials []webauthn.Credential
}

var _ webauthn.User = holder{}

func newHolder(user identity.User, have []identity.Passkey) (holder, error) {
	h := holder{user: user, credentials: make([]webauthn.Credential, len(have))}
	for i, x := range have {
		if err := json.Unmarshal([]byte(x.Record.Reveal()), &h.credentials[i]); err != nil {
			return holder{}, fmt.Errorf("read passkey %s: %w", x.ID, err)
		}
	}
	return h, nil
}

// WebAuthnID is the handle an authenticator keeps: random, and no address
// (section 14.6.1).
func (h holder) WebAuthnID() []byte { return []byte(h.user.PublicID) }

// WebAuthnName is what a person tells their accounts apart by.
func (h holder) WebAuthnName() string { return h.user.Email }

// WebAuthnDisplayName is shown beside it.
func (h holder) WebAuthnDisplayName() string { return h.user.Email }

// WebAuthnCredentials are the user's passkeys.
func (h holder) WebAuthnCredentials() []webauthn.Credential { return h.credentials }
