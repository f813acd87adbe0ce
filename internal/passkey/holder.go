package passkey

import (
	"encoding/json"
	"fmt"

	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/florinpay/florin/internal/identity"
)

// holder is a user in the terms of the protocol.
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

// WebAuthnID is the user handle that an authenticator stores: random, not an e-mail address (section 14.6.1).
func (h holder) WebAuthnID() []byte { return []byte(h.user.PublicID) }

// WebAuthnName is the name by which users distinguish their accounts.
func (h holder) WebAuthnName() string { return h.user.Email }

// WebAuthnDisplayName is shown beside it.
func (h holder) WebAuthnDisplayName() string { return h.user.Email }

// WebAuthnCredentials are the user's passkeys.
func (h holder) WebAuthnCredentials() []webauthn.Credential { return h.credentials }
