// Package account is who uses Florin: users and their sessions, the API keys
// of a merchant, and the custodian of each key, which says where its money
// goes and how it is told.
//
// Its one invariant: a secret is stored only as a hash or sealed, and shown
// once, when it is made.
package account

import (
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
)

// User is a person who signs in.
type User struct {
	ID           int64
	PublicID     string // ULID
	Email        string // lower case, unique
	FirstName    string
	LastName     string
	PasswordHash string // argon2id
	Operator     bool
	CreatedAt    time.Time
	DisabledAt   time.Time // zero unless the operator disabled the user
}

// Key is an API key. Its secret is known only as a hash.
type Key struct {
	ID         int64
	PublicID   string // ULID
	UserID     int64  // the owner
	UserPublic string // the owner's public id
	Hash       Hash
	Label      string
	Wallet     chain.Address // the EVM wallet registered on the key; may be empty
	FirstName  string        // of the owner
	LastName   string
	Email      string
	CreatedAt  time.Time
	LastUsedAt time.Time // zero if never
	RevokedAt  time.Time // zero while it is in use
	DisabledAt time.Time // zero unless the operator disabled the key
}

// Hash is the SHA-256 of an API key or session token.
type Hash [32]byte

// Custodian holds where the money of a key goes, how the merchant is told, and
// how the checkout looks. There is one for each key.
type Custodian struct {
	ID          int64
	PublicID    string // ULID
	KeyID       int64
	Name        string
	Wallets     map[chain.Network]chain.Address // settlement wallets; a network without one is not offered
	CallbackURL string                          // empty: no webhooks
	// Secret is what the merchant set; it travels in webhook bodies.
	Secret secret.Text
	// SigningSecrets sign webhooks (Standard Webhooks 1.0), the newest first;
	// an older one stays valid while receivers move on.
	SigningSecrets []secret.Text
	Networks       map[chain.Network]NetworkOptions
	Branding       Branding
	// ShortBasis and LateFor are the acceptance policy (payment.Terms).
	ShortBasis int64
	LateFor    time.Duration
	// Closed: the operator disabled the key or its owner, so nothing is started.
	Closed    bool
	CreatedAt time.Time
	UpdatedAt time.Time
}

// NetworkOptions is what a merchant wants of one network.
type NetworkOptions struct {
	Enabled   bool
	Tokens    []money.Token  // empty: all
	MinAmount money.Micros   // 0: no limit
	MaxAmount money.Micros   // 0: no limit
	Finality  chain.Finality // zero: the network's own
	SweepMin  money.Micros   // smallest amount worth sweeping; 0: the operator's
}

// Theme is how a merchant wants the checkout to look.
type Theme string

// The themes.
const (
	ThemeAuto  Theme = "AUTO"
	ThemeLight Theme = "LIGHT"
	ThemeDark  Theme = "DARK"
)

// Branding is how the checkout looks. Colours are #rrggbb.
type Branding struct {
	Tagline         string
	LogoURL         string
	PrimaryColor    string
	BackgroundColor string
	Theme           Theme
	SupportEmail    string
	Website         string
}

// Offers reports whether the merchant takes the token on the network.
func (c Custodian) Offers(n chain.Network, t money.Token) bool {
	if c.Wallets[n] == "" {
		return false
	}
	o, ok := c.Networks[n]
	if !ok {
		return true
	}
	if !o.Enabled {
		return false
	}
	if slices.Contains(o.Tokens, t) {
		return true
	}
	return len(o.Tokens) == 0
}
