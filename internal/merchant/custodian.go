package merchant

import (
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
)

// Custodian holds the settlement wallets, callback and branding of a key. Each
// key has at most one.
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
	// ShortBasis, LateFor and KeepOver are the acceptance policy (payment.Terms).
	ShortBasis int64
	LateFor    time.Duration
	KeepOver   money.Micros
	// Repeats: references repeat by design, so that nobody is warned of two paid payments of one.
	Repeats bool
	// Restarts: a customer who let an order expire may start it again, as a new payment of the same reference.
	Restarts bool
	// OfferRefunds: payers are offered what came too much, too late or in another token, by the page itself.
	OfferRefunds bool
	// Pricing is what the merchant wants of the rates of prices in other currencies.
	Pricing exchange.Pricing
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
