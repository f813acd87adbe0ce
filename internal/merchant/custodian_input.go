package merchant

import (
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
)

// CustodianInput says what a custodian is to be. Only what is given changes: a
// nil pointer, a network that is not in a map or list, leaves what is there.
// An empty text clears its field, and an amount of 0 takes its limit away.
type CustodianInput struct {
	Name        *string                  // at most 100 characters
	Wallets     map[chain.Network]string // settlement wallets
	CallbackURL *string                  // https
	Secret      *secret.Text             // at most 256 characters; travels in webhook bodies
	Networks    []NetworkInput           // each network at most once
	Branding    *BrandingInput
	// ShortBasis is by how many hundredths of a percent a payment may fall
	// short and still complete: 0 to MaxShortBasis.
	ShortBasis *int64
	// LateFor is for how long after expiry money still completes a payment:
	// whole seconds, 0 to MaxLateFor.
	LateFor *time.Duration
}

// Bounds of the acceptance policy.
const (
	// MaxShortBasis is 10 %: beyond it a discount is meant, not a rounding.
	MaxShortBasis = 1_000
	// MaxLateFor is for how long addresses stay watched after the end.
	MaxLateFor = 30 * 24 * time.Hour
)

// NetworkInput says what a merchant wants of one network.
type NetworkInput struct {
	Network   chain.Network
	Enabled   *bool
	Tokens    *[]money.Token // each at most once; empty: all
	MinAmount *money.Micros
	MaxAmount *money.Micros
	Finality  *string // chain.ParseFinality; empty: the network's own
	SweepMin  *money.Micros
}

// BrandingInput says how the checkout is to look.
type BrandingInput struct {
	Tagline         *string // at most 160 characters
	LogoURL         *string // https
	PrimaryColor    *string // #rgb or #rrggbb
	BackgroundColor *string
	Theme           *Theme // empty: AUTO
	SupportEmail    *string
	Website         *string // https
}

// ParseLimit reads an amount limit as it stands in JSON: as money.ParseMicros
// does, but 0 is fine and means that there is no limit.
func ParseLimit(field, text string) (money.Micros, error) {
	if text == "0" || text == "0.0" || text == "0.00" {
		return 0, nil
	}
	return money.ParseMicros(field, text)
}
