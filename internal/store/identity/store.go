// Package identity stores users with their sessions, passwords, second factors and passkeys. It implements the Store
// port of the domain package identity.
//
// Its one invariant: secrets are stored sealed or hashed, and a code, token or challenge is accepted once.
package identity

import (
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/db"
)

// Store stores users. It is safe for concurrent use.
type Store struct {
	db     db.Engine
	sealer *secret.Sealer
}

var _ identity.Store = (*Store)(nil)

// New returns the store on an open database. The sealer seals second factors and passkeys.
func New(e db.Engine, sealer *secret.Sealer) *Store { return &Store{db: e, sealer: sealer} }
